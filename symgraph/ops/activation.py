"""Nonlinear functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import Any, ClassVar, Literal

from symgraph.kernels.special import erf
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator
from symgraph.ops.precision import can_step, narrow, wide
from symgraph.ops.steps import evaluate
from symgraph.storage import Array


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

# Slopes as functions of the output where it determines them, so that nobody keeps the data alive.
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
    "softsign": lambda xp, data, out: [
        (xp.abs, (data, out)),
        (xp.add, (out, 1, out)),
        (xp.square, (out, out)),
        (xp.reciprocal, (out, out)),
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

    def list_needs(self):
        # a softsign near one no longer tells large data apart
        return ("data",) if self.act_type == "softsign" else ("output",)

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def forward(self, ctx: Ctx, data):
        return evaluate(_FUNCTIONS[self.act_type], ctx.xp, data)

    def backward(self, ctx: Ctx, dout, *, data=None, output=None):
        kept = output if data is None else data
        return {"data": dout * evaluate(_SLOPES[self.act_type], ctx.xp, kept)}

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
        (kept,) = needs.values()
        slope = _SLOPES[self.act_type](ctx.xp, kept, grad)
        return [*slope, (ctx.xp.multiply, (grad, heads[0], grad))]


# ---- leaky rectifiers ---------------------------------------------------------------

# G. Klambauer et al., Self-Normalizing Neural Networks, 2017: the fixed point of mean and variance.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


@operator(aliases=("_npx_leaky_relu",))
class LeakyReLU(Op):
    """The data where it is positive, something smaller elsewhere.

    ``leaky``: ``slope * x``. ``prelu``: ``gamma * x``, with a learnt gamma. ``rrelu``: a random
    slope for each element in training, the mean of the bounds otherwise. ``elu``:
    ``slope * (exp(x) - 1)``. ``selu``: that with fixed slope, and all scaled. ``gelu``: ``x``
    times the normal distribution function of ``x``, everywhere.

    Shapes
    ------
    data, output : any
    gamma : (C,), the length of axis 1, or (1,); only for ``prelu``
    mask : the shape of data, the slope of each element; only for ``rrelu``
    """

    aux_init: ClassVar = {"gamma": '["Constant", {"value": 0.25}]'}

    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = attr(
        default="leaky", doc="Which function."
    )
    slope: float = attr(default=0.25, doc="Slope of leaky and elu.")
    lower_bound: float = attr(default=0.125, doc="Smallest random slope of rrelu.")
    upper_bound: float = attr(default=0.334, doc="Largest random slope of rrelu.")

    def list_inputs(self):
        return ("data", "gamma") if self.act_type == "prelu" else ("data",)

    def list_outputs(self):
        return ("output", "mask") if self.act_type == "rrelu" else ("output",)

    def list_heads(self):
        return ("output",)

    def list_needs(self):
        return {"prelu": ("data", "gamma"), "rrelu": ("mask",)}.get(self.act_type, ("data",))

    def infer_shape(self, s: Shapes):
        s.unify("data", "output", "mask")
        data = s["data"]
        if self.act_type == "prelu" and s.get("gamma") != (1,):
            s["gamma"] = data[1:2] or data

    def forward(self, ctx: Ctx, data, gamma=None):
        xp, x = ctx.xp, wide(data)
        if self.act_type == "gelu":
            return narrow(x * _normal(x), data)
        if self.act_type == "rrelu":
            slope = xp.where(x > 0, 1, self._random_slopes(ctx, x)).astype(x.dtype)
            return narrow(x * slope, data), narrow(slope, data)
        if self.act_type == "prelu":
            out = xp.where(x > 0, x, x * self._column(gamma, x))
        elif self.act_type == "leaky":
            out = xp.where(x > 0, x, x * self.slope)
        else:
            alpha, scale = self._exponential()
            out = xp.where(x > 0, x, xp.expm1(xp.minimum(x, 0)) * alpha) * scale
        return narrow(out, data)

    def backward(self, ctx: Ctx, dout, *, data=None, gamma=None, mask=None):
        if mask is not None:
            return {"data": dout * mask}
        xp, x, grads = ctx.xp, wide(data), {}
        if self.act_type == "gelu":
            density = xp.exp(-0.5 * xp.square(x)) / sqrt(2 * pi)
            slope = _normal(x) + x * density
        elif gamma is not None:
            slope = xp.where(x > 0, 1, self._column(gamma, x))
            below = dout * xp.minimum(x, 0)
            others = tuple(i for i in range(x.ndim) if i != min(1, x.ndim - 1))
            grad = below.sum() if gamma.size == 1 else below.sum(others)
            grads["gamma"] = narrow(grad.reshape(gamma.shape), gamma)
        elif self.act_type == "leaky":
            slope = xp.where(x > 0, 1, self.slope)
        else:
            alpha, scale = self._exponential()
            slope = xp.where(x > 0, 1, xp.exp(xp.minimum(x, 0)) * alpha) * scale
        return {"data": narrow(dout * slope, dout), **grads}

    def _exponential(self):
        """(alpha, scale) of the two functions with an exponential branch."""
        return (_SELU_ALPHA, _SELU_SCALE) if self.act_type == "selu" else (self.slope, 1.0)

    def _column(self, gamma, data):
        """gamma such that it broadcasts along axis 1 of ``data``."""
        return wide(gamma).reshape(-1, *(1,) * (data.ndim - 2))

    def _random_slopes(self, ctx: Ctx, data):
        low, high = self.lower_bound, self.upper_bound
        if not ctx.is_train:
            return (low + high) / 2
        return low + (high - low) * ctx.rng().random(data.shape, dtype="float32")


def _normal(data: Array) -> Array:
    """The normal distribution function."""
    return (erf(data / sqrt(2)) + 1) / 2
