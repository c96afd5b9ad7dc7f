"""Output layers for numbers: their gradient is that of a regression loss."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from symgraph.ops.activation import sigmoid
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator
from symgraph.ops.precision import can_step
from symgraph.ops.steps import copy, evaluate, no_gradient
from symgraph.storage import Array

Steps = Callable[..., list[Step]]


def _difference(xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
    return [(xp.subtract, (output, label, out))]


def _sign_of_difference(xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
    """1 where the output is larger, else -1, equality included, as in MXNet."""
    return [
        (xp.greater, (output, label, out)),
        (xp.multiply, (out, 2, out)),
        (xp.subtract, (out, 1, out)),
    ]


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
            return no_gradient(grads) + self._gradient(ctx.xp, label, output, grads["data"])

        def _gradient(self, xp: Any, label: Array, output: Array, out: Array) -> list[Step]:
            factor = self.grad_scale * output.shape[0] / output.size
            steps = slope(xp, label, output, out)
            return steps if factor == 1 else [*steps, (xp.multiply, (out, factor, out))]

    return Regression


LinearRegressionOutput = _regression(
    "LinearRegressionOutput",
    copy,
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
    copy,
    _sign_of_difference,
    doc="The data, with the gradient of the absolute error against the label.",
)
