"""Layers: fully connected, activations and dropout."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, Literal

from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator
from symgraph.ops.precision import can_step, evaluate, narrow, wide
from symgraph.storage import Array


@operator(aliases=("_npx_fully_connected", "_sparse_FullyConnected"))
class FullyConnected(Op):
    """Affine map ``output = data @ weight.T + bias``.

    Shapes, with K the product of the trailing axes of ``data``
    ------
    data : (N, ...), or (..., K) when not ``flatten``
    weight : (num_hidden, K)
    bias : (num_hidden,), absent when ``no_bias``
    output : (N, num_hidden), or (..., num_hidden) when not ``flatten``
    """

    num_hidden: int = attr(ge=1, doc="Number of output features.")
    no_bias: bool = attr(default=False, doc="Leave the bias out.")
    flatten: bool = attr(default=True, doc="Collapse all axes of data but the first.")

    def list_inputs(self):
        return ("data", "weight") if self.no_bias else ("data", "weight", "bias")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        head = len(data[:1] if self.flatten else data[:-1])
        s["weight"] = (self.num_hidden, prod(data[head:]))
        s["bias"] = (self.num_hidden,)
        s["output"] = (*data[:head], self.num_hidden)
        rows, features = s["output"][:head], s["weight"][1]
        known = prod(n for n in data[head:] if n)
        if data[head:].count(0) == 1 and features and features % known == 0:
            data = (*data[:head], *(n or features // known for n in data[head:]))
        s["data"] = (*rows, *data[head:])

    def forward(self, ctx: Ctx, data, weight, bias=None):
        out = self._rows(wide(data)) @ wide(weight).T
        if bias is not None:
            out += bias
        return narrow(out, data).reshape(ctx.shapes["output"])

    def backward(self, ctx: Ctx, dout, *, data, weight):
        rows = wide(dout).reshape(-1, self.num_hidden)
        grads = {}
        if ctx.wants("data"):
            grads["data"] = narrow(rows @ wide(weight), data).reshape(data.shape)
        if ctx.wants("weight"):
            grads["weight"] = narrow(rows.T @ self._rows(wide(data)), weight)
        if ctx.wants("bias"):
            grads["bias"] = narrow(rows.sum(0), weight)
        return grads

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        if not can_step(*ins, *outs):
            return None
        data, weight, *bias = ins
        rows, out = self._rows(data), outs[0].reshape(-1, self.num_hidden)
        steps: list[Step] = [(ctx.xp.matmul, (rows, weight.T, out))]
        return steps + [(ctx.xp.add, (out, b, out)) for b in bias]

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        if not can_step(*heads, *needs.values(), *grads.values()):
            return None
        xp, rows = ctx.xp, heads[0].reshape(-1, self.num_hidden)
        steps: list[Step] = []
        if "data" in grads:
            out = grads["data"].reshape(rows.shape[0], -1)
            steps.append((xp.matmul, (rows, needs["weight"], out)))
        if "weight" in grads:
            steps.append((xp.matmul, (rows.T, self._rows(needs["data"]), grads["weight"])))
        if "bias" in grads:
            # a product with ones is several times faster than a sum over a short first axis
            ones = xp.ones(rows.shape[0], rows.dtype)
            steps.append((xp.matmul, (ones, rows, grads["bias"])))
        return steps

    def _rows(self, data):
        """(N, ...) -> (N, K), a view of a contiguous array."""
        return data.reshape(data.shape[0], -1) if self.flatten else data.reshape(-1, data.shape[-1])


# ---- activations --------------------------------------------------------------------


def sigmoid(xp: Any, data: Array, out: Array) -> list[Step]:
    """Steps for ``out = 1 / (1 + exp(-data))``."""
    return [
        (xp.negative, (data, out)),
        (xp.exp, (out, out)),
        (xp.add, (out, 1, out)),
        (xp.reciprocal, (out, out)),
    ]


def _softsign(xp: Any, data: Array, out: Array) -> list[Step]:
    size = xp.empty_like(data)
    return [(xp.abs, (data, size)), (xp.add, (size, 1, size)), (xp.divide, (data, size, out))]


_FUNCTIONS: dict[str, Callable[[Any, Array, Array], list[Step]]] = {
    "relu": lambda xp, data, out: [(partial(xp.maximum, data, 0, out=out), ())],
    "sigmoid": sigmoid,
    "softrelu": lambda xp, data, out: [(xp.logaddexp, (data, 0, out))],
    "softsign": _softsign,
    "tanh": lambda xp, data, out: [(xp.tanh, (data, out))],
}

# Slopes as functions of the output alone, so that nobody keeps the data alive.
_SLOPES: dict[str, Callable[[Any, Array, Array], list[Step]]] = {
    "relu": lambda xp, output, out: [(xp.greater, (output, 0, out))],
    "sigmoid": lambda xp, output, out: [
        (xp.subtract, (1, output, out)),
        (xp.multiply, (out, output, out)),
    ],
    "softrelu": lambda xp, output, out: [
        (xp.negative, (output, out)),
        (xp.expm1, (out, out)),
        (xp.negative, (out, out)),
    ],
    "softsign": lambda xp, output, out: [
        (xp.abs, (output, out)),
        (xp.subtract, (1, out, out)),
        (xp.square, (out, out)),
    ],
    "tanh": lambda xp, output, out: [
        (xp.square, (output, out)),
        (xp.subtract, (1, out, out)),
    ],
}


@operator(aliases=("_npx_activation",))
class Activation(Op):
    """Nonlinear function of each element, chosen by name.

    ``relu`` is ``max(x, 0)``, ``softrelu`` is ``log(1 + exp(x))``, ``softsign`` is
    ``x / (1 + |x|)``. Unlike in MXNet, ``relu`` of a NaN is NaN, so that it stays visible.

    Shapes
    ------
    data, output : any
    """

    in_place = True

    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"] = attr(
        doc="Which function."
    )

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def forward(self, ctx: Ctx, data):
        return evaluate(_FUNCTIONS[self.act_type], ctx.xp, data)

    def backward(self, ctx: Ctx, dout, *, output):
        return {"data": dout * evaluate(_SLOPES[self.act_type], ctx.xp, output)}

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        if not can_step(*ins, *outs):
            return None
        return _FUNCTIONS[self.act_type](ctx.xp, *ins, *outs)

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        if not can_step(*heads, *needs.values(), *grads.values()):
            return None
        grad = grads["data"]
        slope = _SLOPES[self.act_type](ctx.xp, needs["output"], grad)
        return [*slope, (ctx.xp.multiply, (grad, heads[0], grad))]
