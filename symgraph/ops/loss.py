"""Output layers: their gradient is that of a loss, whatever gradient arrives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, Literal

from symgraph.errors import ShapeError
from symgraph.ops.activation import sigmoid
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator
from symgraph.ops.precision import can_step, evaluate
from symgraph.storage import Array, Shape

Steps = Callable[..., list[Step]]


def _no_gradient(grads: dict[str, Array]) -> list[Step]:
    """Steps that give the label, if somebody asks, the gradient zero."""
    return [(grads["label"].fill, (0,))] if "label" in grads else []


# ---- regression ---------------------------------------------------------------------


def _copy(xp: Any, data: Array, out: Array) -> list[Step]:
    return [(xp.copyto, (out, data))]


def _difference(xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
    return [(xp.subtract, (output, label, out))]


def _sign_of_difference(xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
    return [(xp.subtract, (output, label, out)), (xp.sign, (out, out))]


def _regression(name: str, link: Steps, slope: Steps, *, doc: str) -> type[Op]:
    """``output = link(data)``, with ``slope(output, label)`` as the gradient of data."""

    @operator(name, aliases=(f"_sparse_{name}",))
    class Regression(Op):
        __doc__ = f"""{doc}

        The gradient is divided by the number of elements of one sample. A gradient that
        arrives is ignored: this operator ends a network.

        Shapes
        ------
        data, output : (N, ...)
        label : the shape of data, or any other of N rows and the same size; by default (N,)
            for data (N, 1)
        """

        in_place = True

        grad_scale: float = attr(default=1.0, doc="Factor on the gradient.")

        def infer_shape(self, s: Shapes):
            s.unify("data", "output")
            data, label = s["data"], s.get("label")
            if 0 in data:
                return
            if label is None:
                s["label"] = data[:1] if data[1:] == (1,) else data
            elif label[:1] != data[:1] or prod(label) != prod(data):
                s["label"] = data

        def forward(self, ctx: Ctx, data, label):
            return evaluate(link, ctx.xp, data)

        def backward(self, ctx: Ctx, *, label, output):
            label = label.reshape(output.shape)
            return {"data": evaluate(self._gradient, ctx.xp, label, output)}

        def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
            return link(ctx.xp, ins[0], outs[0]) if can_step(ins[0], outs[0]) else None

        def lower_backward(
            self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
        ) -> list[Step] | None:
            label, output = needs["label"], needs["output"]
            if "data" not in grads or not can_step(label, output, grads["data"]):
                return None
            label = label.reshape(output.shape)
            return _no_gradient(grads) + self._gradient(ctx.xp, label, output, grads["data"])

        def _gradient(self, xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
            factor = self.grad_scale * output.shape[0] / output.size
            steps = slope(xp, label, output, out)
            return steps if factor == 1 else [*steps, (xp.multiply, (out, factor, out))]

    return Regression


LinearRegressionOutput = _regression(
    "LinearRegressionOutput",
    _copy,
    _difference,
    doc="The data, with the gradient of half the squared error against the label.",
)
LogisticRegressionOutput = _regression(
    "LogisticRegressionOutput",
    sigmoid,
    _difference,
    doc="Logistic sigmoid, with the gradient of the cross entropy against a label in [0, 1].",
)
MAERegressionOutput = _regression(
    "MAERegressionOutput",
    _copy,
    _sign_of_difference,
    doc="The data, with the gradient of the absolute error against the label.",
)


# ---- classification -----------------------------------------------------------------


@operator(aliases=("Softmax",))
class SoftmaxOutput(Op):
    """Softmax whose gradient is that of the cross entropy with ``label``.

    The gradient that arrives is ignored unless ``out_grad``: this operator ends a network. A
    label that is no class belongs to none, a fraction is cut off. A label of the shape of data
    holds probabilities; then only ``grad_scale`` and ``out_grad`` matter.

    Shapes
    ------
    data, output : (N, C); (..., C) when ``preserve_shape``; (N, C, ...) when ``multi_output``;
        else (N, ...), where all axes but the first hold classes
    label : (N,); (...) when ``preserve_shape``; (N, ...), (N, 1, ...) or (N, P), P the number of
        positions, when ``multi_output``; else all axes of data but the last, of which, as in
        MXNet, the first N elements count
    """

    grad_scale: float = attr(default=1.0, doc="Factor on the gradient.")
    ignore_label: float = attr(default=-1.0, doc="Label without gradient, when use_ignore.")
    multi_output: bool = attr(default=False, doc="Classes lie on axis 1, with positions after it.")
    use_ignore: bool = attr(default=False, doc="Give instances labelled ignore_label no gradient.")
    preserve_shape: bool = attr(default=False, doc="Classes lie on the last axis.")
    normalization: Literal["batch", "null", "valid"] = attr(
        default="null",
        doc="Divide the gradient by the number of labels (batch), of those that are not "
        "ignore_label (valid), or of the positions of a sample (null).",
    )
    out_grad: bool = attr(default=False, doc="Multiply with the gradient that arrives.")
    smooth_alpha: float = attr(
        default=0.0, ge=0, le=1, doc="Probability moved from the label to the other classes."
    )

    def list_heads(self):
        return ("output",) if self.out_grad else ()

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        data, label = s["data"], s.get("label")
        if len(data) < 2:
            raise ShapeError(f"data has shape {data}, but at least two axes are required")
        legal = self._label_shapes(data)
        fits = (shape for shape in legal if label is not None and _agree(shape, label))
        s["label"] = next(fits, legal[0])
        if not self.multi_output and len(s["label"]) < len(data):
            s["data"] = (*s["label"], *data[len(data) - 1 :])

    def forward(self, ctx: Ctx, data, label):
        return evaluate(self._softmax, ctx.xp, data)

    def backward(self, ctx: Ctx, *douts, label, output):
        return {"data": evaluate(self._gradient, ctx.xp, output, label, *douts)}

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        return self._softmax(ctx.xp, ins[0], outs[0]) if can_step(ins[0], outs[0]) else None

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        label, output = needs["label"], needs["output"]
        if "data" not in grads or not can_step(label, output, *heads, grads["data"]):
            return None
        steps = self._gradient(ctx.xp, output, label, *heads, grads["data"])
        return _no_gradient(grads) + steps

    def _label_shapes(self, data: Shape) -> list[Shape]:
        """Legal shapes of the label, the usual one first."""
        if not self.multi_output:
            return [data[:-1], data]
        n, _, *rest = data
        return [(n, prod(rest)), (n, *rest), (n, 1, *rest), data]

    def _classes_second(self, shape: Shape) -> Shape:
        """``shape`` with all classes on axis 1: (samples, classes[, positions])."""
        if self.multi_output and len(shape) > 2:
            return (shape[0], shape[1], prod(shape[2:]))
        classes = prod(shape[len(shape) - 1 :] if self.preserve_shape else shape[1:])
        return (prod(shape) // classes, classes)

    def _softmax(self, xp: Any, data: Array, out: Array) -> list[Step]:
        shape = self._classes_second(data.shape)
        data, out = data.reshape(shape), out.reshape(shape)
        each = xp.empty((shape[0], 1, *shape[2:]), data.dtype)
        return [
            (data.max, (1, each, True)),
            (xp.subtract, (data, each, out)),
            (xp.exp, (out, out)),
            (out.sum, (1, None, each, True)),
            (xp.divide, (out, each, out)),
        ]

    def _gradient(self, xp: Any, output: Array, label: Array, *others: Array) -> list[Step]:
        """Steps that write into the last of ``others``; a head gradient may be before it."""
        *heads, out = others
        if label.shape == output.shape:
            steps: list[Step] = [(xp.subtract, (output, label, out))]
            factor = self.grad_scale
        else:
            steps, factor = self._gradient_of_classes(xp, output, label, out)
        if factor != 1:
            steps.append((xp.multiply, (out, factor, out)))
        return steps + [(xp.multiply, (out, dout, out)) for dout in heads]

    def _gradient_of_classes(
        self, xp: Any, output: Array, label: Array, out: Array
    ) -> tuple[list[Step], float]:
        """Steps for all but a constant factor, and that factor."""
        shape = self._classes_second(output.shape)
        samples, classes, *positions = shape
        count = samples * prod(positions)
        output, out, labels = output.reshape(shape), out.reshape(shape), label.reshape(-1)
        whole = xp.empty(labels.shape, output.dtype)
        each = whole[:count].reshape(samples, 1, *positions)
        numbers = xp.arange(classes, dtype=output.dtype).reshape(classes, *(1 for _ in positions))
        steps: list[Step] = [(xp.trunc, (labels, whole)), (xp.equal, (numbers, each, out))]
        if self.smooth_alpha:
            other = self.smooth_alpha / max(classes - 1, 1)
            steps.append((xp.multiply, (out, 1 - self.smooth_alpha - other, out)))
            steps.append((xp.add, (out, other, out)))
        steps.append((xp.subtract, (output, out, out)))
        if self.use_ignore or self.normalization == "valid":
            # from here on ``whole`` is 1 where a label counts, 0 where it is ignored
            steps.append((xp.not_equal, (whole, int(self.ignore_label), whole)))
        if self.use_ignore:
            steps.append((xp.multiply, (out, each, out)))
        if self.normalization == "valid":
            valid = xp.empty((1,), output.dtype)
            steps.append((whole.sum, (None, None, valid, True)))
            steps.append((partial(xp.maximum, valid, 1, out=valid), ()))
            steps.append((xp.divide, (out, valid, out)))
        per = {"batch": labels.size, "null": prod(positions), "valid": 1}[self.normalization]
        return steps, self.grad_scale / per


def _agree(shape: Shape, other: Shape) -> bool:
    """Whether these can be one shape, 0 standing for any length."""
    pairs = zip(shape, other, strict=False)
    return len(shape) == len(other) and all(a == b or not a or not b for a, b in pairs)
