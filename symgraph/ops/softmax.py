"""Softmax and its kin as plain functions; :mod:`symgraph.ops.loss` has the output layer."""

from __future__ import annotations

from typing import Any, Literal

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator
from symgraph.ops.precision import narrow, require_float, wide
from symgraph.storage import Array

_FloatType = Literal["float16", "float32", "float64"]


@operator("softmax", aliases=("_npx_softmax",))
class Softmax(Op):
    """``exp(data / temperature)``, scaled to sum one along ``axis``.

    Shapes
    ------
    data, output : any
    length : the shape of data without ``axis``, integers; only when ``use_length``: elements
        from there on count as absent and are zero
    """

    axis: int = attr(default=-1, doc="Axis along which to normalise.")
    temperature: float | None = attr(default=None, doc="Divisor of data; 1 by default.")
    dtype: _FloatType | None = attr(default=None, doc="Type of output; that of data by default.")
    use_length: bool | None = attr(default=False, doc="Take the number of elements from length.")

    def list_inputs(self):
        return ("data", "length") if self.use_length else ("data",)

    def infer_shape(self, s: Shapes):
        axis = _infer_shape(s, self.axis)
        data = s["data"]
        s["length"] = data[:axis] + data[axis + 1 :]

    def infer_dtype(self, t: DTypes):
        _infer_dtype(t, self.dtype)

    def forward(self, ctx: Ctx, data, length=None):
        logits = _logits(ctx, data, self.temperature)
        if length is None:
            return softmax(ctx.xp, logits, self.axis).astype(ctx.dtypes["output"], copy=False)
        axis = self.axis % data.ndim
        places = ctx.xp.arange(data.shape[axis]).reshape(-1, *(1,) * (data.ndim - 1 - axis))
        present = places < ctx.xp.expand_dims(length, axis)
        out = _masked_softmax(ctx.xp, logits, present, axis)
        return out.astype(ctx.dtypes["output"], copy=False)

    def backward(self, ctx: Ctx, dout, *, output):
        grad = softmax_gradient(wide(dout), wide(output), self.axis)
        return {"data": _scaled(ctx, grad, self.temperature)}


@operator("softmin")
class Softmin(Op):
    """``exp(-data / temperature)``, scaled to sum one along ``axis``.

    Shapes
    ------
    data, output : any
    """

    axis: int = attr(default=-1, doc="Axis along which to normalise.")
    temperature: float | None = attr(default=None, doc="Divisor of data; 1 by default.")
    dtype: _FloatType | None = attr(default=None, doc="Type of output; that of data by default.")
    use_length: bool | None = attr(default=False, doc="Accepted and ignored.")

    def infer_shape(self, s: Shapes):
        _infer_shape(s, self.axis)

    def infer_dtype(self, t: DTypes):
        _infer_dtype(t, self.dtype)

    def forward(self, ctx: Ctx, data):
        out = softmax(ctx.xp, -_logits(ctx, data, self.temperature), self.axis)
        return out.astype(ctx.dtypes["output"], copy=False)

    def backward(self, ctx: Ctx, dout, *, output):
        grad = -softmax_gradient(wide(dout), wide(output), self.axis)
        return {"data": _scaled(ctx, grad, self.temperature)}


@operator("log_softmax", aliases=("_npx_log_softmax",))
class LogSoftmax(Op):
    """Logarithm of the softmax of ``data / temperature`` along ``axis``.

    Shapes
    ------
    data, output : any
    """

    axis: int = attr(default=-1, doc="Axis along which to normalise.")
    temperature: float | None = attr(default=None, doc="Divisor of data; 1 by default.")
    dtype: _FloatType | None = attr(default=None, doc="Type of output; that of data by default.")
    use_length: bool | None = attr(default=False, doc="Accepted and ignored.")

    def infer_shape(self, s: Shapes):
        _infer_shape(s, self.axis)

    def infer_dtype(self, t: DTypes):
        _infer_dtype(t, self.dtype)

    def forward(self, ctx: Ctx, data):
        logits = _logits(ctx, data, self.temperature)
        out = logits - logits.max(self.axis, keepdims=True)
        out -= ctx.xp.log(ctx.xp.exp(out).sum(self.axis, keepdims=True))
        return out.astype(ctx.dtypes["output"], copy=False)

    def backward(self, ctx: Ctx, dout, *, output):
        dout = wide(dout)
        grad = dout - ctx.xp.exp(wide(output)) * dout.sum(self.axis, keepdims=True)
        return {"data": _scaled(ctx, grad, self.temperature)}


@operator()
class SoftmaxActivation(Op):
    """Softmax over the last axis, or over axis 1 in ``channel`` mode.

    Shapes
    ------
    data, output : any
    """

    mode: Literal["channel", "instance"] = attr(default="instance", doc="Where the classes lie.")

    def infer_shape(self, s: Shapes):
        _infer_shape(s, self._axis())

    def forward(self, ctx: Ctx, data):
        return narrow(softmax(ctx.xp, wide(data), self._axis()), data)

    def backward(self, ctx: Ctx, dout, *, output):
        return {"data": narrow(softmax_gradient(wide(dout), wide(output), self._axis()), dout)}

    def _axis(self):
        return 1 if self.mode == "channel" else -1


# ---- what they share ----------------------------------------------------------------


def softmax(xp: Any, data: Array, axis: int) -> Array:
    """``exp(data)``, scaled to sum one along ``axis``."""
    out = xp.exp(data - data.max(axis, keepdims=True))
    out /= out.sum(axis, keepdims=True)
    return out


def softmax_gradient(dout: Array, output: Array, axis: int) -> Array:
    """Gradient of softmax with respect to its data."""
    weighted = dout * output
    return weighted - output * weighted.sum(axis, keepdims=True)


def _masked_softmax(xp: Any, data: Array, present: Array, axis: int) -> Array:
    """Softmax of the elements that are ``present``; the others, and empty rows, are zero."""
    peak = xp.where(present, data, xp.finfo(data.dtype).min).max(axis, keepdims=True)
    out = xp.exp(xp.where(present, data - peak, 0)) * present
    # the largest element of a row contributes one, so that only an empty row sums to less
    out /= xp.maximum(out.sum(axis, keepdims=True), 1)
    return out


def _logits(ctx: Ctx, data: Array, temperature: float | None) -> Array:
    """``data / temperature`` in a type no narrower than data, output and float32."""
    double = "float64" in (ctx.dtypes["data"], ctx.dtypes["output"])
    data = data.astype("float64" if double else "float32", copy=False)
    return data if temperature is None else data / temperature


def _scaled(ctx: Ctx, grad: Array, temperature: float | None) -> Array:
    """The gradient of data from that of data / temperature."""
    grad = grad if temperature is None else grad / temperature
    return grad.astype(ctx.dtypes["data"], copy=False)


def _infer_shape(s: Shapes, axis: int) -> int:
    """Unify data and output; the axis, counted from the front."""
    s.unify("data", "output")
    rank = len(s["data"])
    if not -rank <= axis < rank:
        raise ShapeError(f"data has {rank} axes, so that axis {axis} is none of them")
    return axis % rank


def _infer_dtype(t: DTypes, dtype: str | None) -> None:
    if dtype is None:
        t.unify("data", "output")
    else:
        t["output"] = dtype
    require_float(t, "data")
