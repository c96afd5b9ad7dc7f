"""Output layers for classes, and any other loss: their gradient ignores what arrives."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Literal

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator
from symgraph.ops.precision import can_step, narrow, wide
from symgraph.ops.softmax import softmax
from symgraph.ops.steps import copy, evaluate, no_gradient
from symgraph.storage import Array, Shape

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
        return no_gradient(grads) + steps

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


@operator()
class SVMOutput(Op):
    """The data, with the gradient of a hinge loss of each class against the others.

    The wanted answer is ``margin`` or more for the class of the label and ``-margin`` or less
    for all others. The gradient that arrives is ignored: this operator ends a network.

    Shapes
    ------
    data, output : (..., C)
    label : (...), class numbers
    """

    margin: float = attr(default=1.0, doc="Distance from zero that costs nothing.")
    regularization_coefficient: float = attr(default=1.0, doc="Factor on the gradient.")
    use_linear: bool = attr(default=False, doc="Charge the distance itself, not its square.")

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        s["label"] = s["data"][:-1]
        s["data"] = (*s["label"], *s["data"][len(s["label"]) :])

    def forward(self, ctx: Ctx, data, label):
        return data.copy()

    def backward(self, ctx: Ctx, *, label, output):
        xp = ctx.xp
        numbers = xp.arange(output.shape[-1], dtype=label.dtype)
        sign = xp.where(xp.trunc(label)[..., None] == numbers, -1, 1).astype(output.dtype)
        short = xp.maximum(self.margin + sign * output, 0)
        size = (short > 0) if self.use_linear else 2 * short
        return {"data": sign * size * self.regularization_coefficient}


@operator()
class softmax_cross_entropy(Op):  # noqa: N801  the class is named as the operator
    """Sum over all rows of the cross entropy between softmax and label.

    A label that is no class costs nothing.

    Shapes
    ------
    data : (N, C)
    label : (N,), class numbers
    output : (1,)
    """

    def infer_shape(self, s: Shapes):
        s["output"] = (1,)
        data = s["data"]
        if len(data) != 2:
            raise ShapeError(f"data has shape {data}, but two axes are required")
        s["label"] = data[:1]
        s["data"] = (*s["label"], data[1])

    def forward(self, ctx: Ctx, data, label):
        xp, x = ctx.xp, wide(data)
        x = x - x.max(1, keepdims=True)
        cost = xp.log(xp.exp(x).sum(1, keepdims=True)) - x
        return narrow((cost * self._chosen(xp, label, x)).sum().reshape(1), data)

    def backward(self, ctx: Ctx, dout, *, data, label):
        xp, x = ctx.xp, wide(data)
        chosen = self._chosen(xp, label, x)
        grad = softmax(xp, x, 1) * chosen.sum(1, keepdims=True) - chosen
        return {"data": narrow(grad * wide(dout), data)}

    def _chosen(self, xp: Any, label: Array, data: Array) -> Array:
        """1 where the label is, else 0."""
        numbers = xp.arange(data.shape[1], dtype=label.dtype)
        return (xp.trunc(label)[:, None] == numbers).astype(data.dtype)


# ---- any loss -----------------------------------------------------------------------


@operator()
class MakeLoss(Op):
    """The data, with ``grad_scale`` as gradient, so that it is what gets minimised.

    Shapes
    ------
    data, output : any
    """

    alias = True

    grad_scale: float = attr(default=1.0, doc="The gradient of each element.")
    valid_thresh: float = attr(default=0.0, doc="Elements above it are valid.")
    normalization: Literal["batch", "null", "valid"] = attr(
        default="null", doc="Divide by nothing, the first length, or the number of valid elements."
    )

    def list_needs(self):
        return ("data",) if self.normalization == "valid" else ()

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def forward(self, ctx: Ctx, data):
        return data

    def backward(self, ctx: Ctx, *, data=None):
        xp, shape, dtype = ctx.xp, ctx.shapes["data"], ctx.dtypes["data"]
        scale = self.grad_scale
        if data is not None:
            count = xp.maximum((data > self.valid_thresh).sum(), 1)
            return {"data": xp.full(shape, 1, dtype) * (scale / count).astype(dtype)}
        return {"data": xp.full(shape, scale / shape[0] if self._by_batch() else scale, dtype)}

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        return copy(ctx.xp, ins[0], outs[0])

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        if needs:
            return None
        grad = grads["data"]
        scale = self.grad_scale / (grad.shape[0] if self._by_batch() else 1)
        return [(grad.fill, (scale,))]

    def _by_batch(self):
        return self.normalization == "batch"


@operator(aliases=("_sparse_make_loss",))
class make_loss(Op):  # noqa: N801  the class is named as the operator
    """The data, with ones as gradient, so that its sum is what gets minimised.

    Shapes
    ------
    data, loss : any
    """

    outputs = ("loss",)
    alias = True

    def infer_shape(self, s: Shapes):
        s.unify("data", "loss")

    def forward(self, ctx: Ctx, data):
        return data

    def backward(self, ctx: Ctx):
        return {"data": ctx.xp.ones(ctx.shapes["data"], ctx.dtypes["data"])}

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        return copy(ctx.xp, ins[0], outs[0])

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        return [(grads["data"].fill, (1,))]


def _agree(shape: Shape, other: Shape) -> bool:
    """Whether these can be one shape, 0 standing for any length."""
    pairs = zip(shape, other, strict=False)
    return len(shape) == len(other) and all(a == b or not a or not b for a, b in pairs)
