"""Convolution and its transpose."""

from __future__ import annotations

from typing import Any, Literal

from symgraph.errors import AttributeValueError, ShapeError
from symgraph.kernels.conv import (
    convolve,
    convolve_data_gradient,
    convolve_weight_gradient,
)
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.layout import channels_first, channels_last, spread
from symgraph.ops.op import Ctx, Op, operator
from symgraph.ops.precision import narrow, wide
from symgraph.storage import Array, Shape

_Tune = Literal["fastest", "limited_workspace", "off"]
_Layout = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"]


@operator(aliases=("_npx_convolution",))
class Convolution(Op):
    """Cross-correlation over one, two or three spatial axes.

    Shapes, with F = num_filter, G = num_group, * the spatial axes; in a layout with channels
    last, C and C / G stand there
    ------
    data : (N, C, *S)
    weight : (F, C / G, *kernel)
    bias : (F,), absent when ``no_bias``
    output : (N, F, *O), O = (S + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1
    """

    kernel: Shape = attr(ge=1, doc="Window size; its length is the number of spatial axes.")
    stride: Shape = attr(default=(), ge=1, doc="Distance between windows, 1 by default.")
    dilate: Shape = attr(default=(), ge=1, doc="Distance between taps, 1 by default.")
    pad: Shape = attr(default=(), ge=0, doc="Zeros added on both sides, 0 by default.")
    num_filter: int = attr(ge=1, doc="Number of output channels.")
    num_group: int = attr(default=1, ge=1, doc="Number of independent channel groups.")
    workspace: int = attr(default=1024, ge=0, doc="Accepted and ignored.")
    no_bias: bool = attr(default=False, doc="Leave the bias out.")
    cudnn_tune: _Tune | None = attr(default=None, doc="Accepted and ignored.")
    cudnn_off: bool = attr(default=False, doc="Accepted and ignored.")
    layout: _Layout | None = attr(default=None, doc="Order of axes; channels first by default.")

    def __post_init__(self):
        _check(self)

    def list_inputs(self):
        return ("data", "weight") if self.no_bias else ("data", "weight", "bias")

    def infer_shape(self, s: Shapes):
        _require_rank(self, s["data"])
        n, channels, *space = channels_first(s["data"], self.layout)
        if channels % self.num_group:
            raise ShapeError(
                f"data has {channels} channels, which do not split into {self.num_group} groups"
            )
        weight = (self.num_filter, channels // self.num_group, *self.kernel)
        s["weight"] = channels_last(weight, self.layout)
        s["bias"] = (self.num_filter,)
        output = (n, self.num_filter, *map(self._out, range(len(space)), space))
        s["output"] = channels_last(output, self.layout)
        n, _, *out = channels_first(s["output"], self.layout)
        channels = channels_first(s["weight"], self.layout)[1] * self.num_group
        data = (n, channels, *map(self._in, range(len(out)), out))
        s["data"] = channels_last(data, self.layout)

    def forward(self, ctx: Ctx, data, weight, bias=None):
        x, w = _wide_first(self, data), _wide_first(self, weight)
        out = convolve(x, w, *self._window(), self.num_group)
        if bias is not None:
            out += wide(bias).reshape(-1, *(1,) * len(self.kernel))
        return narrow(channels_last(out, self.layout), data)

    def backward(self, ctx: Ctx, dout, *, data, weight):
        d, x, w = (_wide_first(self, a) for a in (dout, data, weight))
        grads: dict[str, Array] = {}
        window = (*self._window(), self.num_group)
        if ctx.wants("data"):
            grads["data"] = convolve_data_gradient(d, w, x.shape[2:], *window)
        if ctx.wants("weight"):
            grads["weight"] = convolve_weight_gradient(d, x, self.kernel, *window)
        return _finish(self, ctx, d, grads, weight)

    def _window(self) -> tuple[Shape, Shape, Shape]:
        rank = len(self.kernel)
        return spread(self.stride, 1, rank), spread(self.dilate, 1, rank), spread(self.pad, 0, rank)

    def _out(self, i: int, size: int) -> int:
        """Output length along spatial axis ``i``; 0, unknown, stays unknown."""
        stride, dilate, pad = (v[i] for v in self._window())
        reach = dilate * (self.kernel[i] - 1) + 1
        if size and reach > size + 2 * pad:
            raise ShapeError(
                f"data has length {size} along spatial axis {i}, {size + 2 * pad} when padded, "
                f"but the window reaches over {reach}"
            )
        return size and (size + 2 * pad - reach) // stride + 1

    def _in(self, i: int, out: int) -> int:
        """Input length along spatial axis ``i``, which only stride 1 determines."""
        stride, dilate, pad = (v[i] for v in self._window())
        known = out and stride == 1
        return out + dilate * (self.kernel[i] - 1) - 2 * pad if known else 0


@operator(aliases=("_npx_deconvolution",))
class Deconvolution(Op):
    """Transposed convolution: the gradient of a convolution with respect to its data.

    Shapes, with F = num_filter, G = num_group, * the spatial axes; in a layout with channels
    last, C and F / G stand there
    ------
    data : (N, C, *S)
    weight : (C, F / G, *kernel)
    bias : (F,), absent when ``no_bias``
    output : (N, F, *O), O = stride * (S - 1) + dilate * (kernel - 1) + 1 - 2 * pad + adj, or
        target_shape, from which pad and adj then follow
    """

    kernel: Shape = attr(ge=1, doc="Window size; its length is the number of spatial axes.")
    stride: Shape = attr(default=(), ge=1, doc="Distance between windows, 1 by default.")
    dilate: Shape = attr(default=(), ge=1, doc="Distance between taps, 1 by default.")
    pad: Shape = attr(default=(), ge=0, doc="Elements cut off on both sides, 0 by default.")
    adj: Shape = attr(default=(), ge=0, doc="Elements added at the end, below stride.")
    target_shape: Shape = attr(default=(), ge=0, doc="Lengths of output, in the place of pad.")
    num_filter: int = attr(ge=1, doc="Number of output channels.")
    num_group: int = attr(default=1, ge=1, doc="Number of independent channel groups.")
    workspace: int = attr(default=512, ge=0, doc="Accepted and ignored.")
    no_bias: bool = attr(default=True, doc="Leave the bias out.")
    cudnn_tune: _Tune | None = attr(default=None, doc="Accepted and ignored.")
    cudnn_off: bool = attr(default=False, doc="Accepted and ignored.")
    layout: _Layout | None = attr(default=None, doc="Order of axes; channels first by default.")

    def __post_init__(self):
        _check(self)
        stride = spread(self.stride, 1, len(self.kernel))
        if any(a >= s for a, s in zip(self.adj, stride, strict=False)):
            raise AttributeValueError(f"adj is {self.adj}, but less than stride is required")

    def list_inputs(self):
        return ("data", "weight") if self.no_bias else ("data", "weight", "bias")

    def infer_shape(self, s: Shapes):
        _require_rank(self, s["data"])
        n, channels, *space = channels_first(s["data"], self.layout)
        if channels % self.num_group:
            raise ShapeError(
                f"data has {channels} channels, which do not split into {self.num_group} groups"
            )
        weight = (channels, self.num_filter // self.num_group, *self.kernel)
        s["weight"] = channels_last(weight, self.layout)
        s["bias"] = (self.num_filter,)
        output = (n, self.num_filter, *map(self._out, range(len(space)), space))
        s["output"] = channels_last(output, self.layout)
        n, channels = s["output"][0], s["weight"][0]
        s["data"] = channels_last((n, channels, *space), self.layout)

    def forward(self, ctx: Ctx, data, weight, bias=None):
        x, w = _wide_first(self, data), _wide_first(self, weight)
        space = channels_first(ctx.shapes["output"], self.layout)[2:]
        window = self._window(x.shape[2:])
        out = convolve_data_gradient(x, w, space, *window, self.num_group)
        if bias is not None:
            out += wide(bias).reshape(-1, *(1,) * len(self.kernel))
        return narrow(channels_last(out, self.layout), data)

    def backward(self, ctx: Ctx, dout, *, data, weight):
        d, x, w = (_wide_first(self, a) for a in (dout, data, weight))
        grads: dict[str, Array] = {}
        window = (*self._window(x.shape[2:]), self.num_group)
        if ctx.wants("data"):
            grads["data"] = convolve(d, w, *window)
        if ctx.wants("weight"):
            grads["weight"] = convolve_weight_gradient(x, d, self.kernel, *window)
        return _finish(self, ctx, d, grads, weight)

    def _window(self, space: Shape) -> tuple[Shape, Shape, Shape]:
        rank = len(self.kernel)
        pad = tuple(self._cut(i, n)[0] for i, n in enumerate(space))
        return spread(self.stride, 1, rank), spread(self.dilate, 1, rank), pad

    def _out(self, i: int, size: int) -> int:
        """Output length along spatial axis ``i``; 0, unknown, stays unknown."""
        if not size:
            return 0
        pad, adj = self._cut(i, size)
        length = self._full(i, size) - 2 * pad + adj
        if length < 1:
            raise ShapeError(
                f"data has length {size} along spatial axis {i}, and pad {pad} leaves nothing of it"
            )
        return length

    def _full(self, i: int, size: int) -> int:
        rank = len(self.kernel)
        stride, dilate = spread(self.stride, 1, rank)[i], spread(self.dilate, 1, rank)[i]
        return stride * (size - 1) + dilate * (self.kernel[i] - 1) + 1

    def _cut(self, i: int, size: int) -> tuple[int, int]:
        """(pad, adj) along spatial axis ``i``; ``target_shape`` determines both where it is set."""
        if not any(self.target_shape):
            rank = len(self.kernel)
            return spread(self.pad, 0, rank)[i], spread(self.adj, 0, rank)[i]
        surplus = self._full(i, size) - self.target_shape[i]
        if surplus < 0:
            raise ShapeError(
                f"target_shape is {self.target_shape}, but along spatial axis {i} at most "
                f"{self._full(i, size)} is reached"
            )
        return (surplus + 1) // 2, surplus % 2


# ---- what they share ----------------------------------------------------------------


def _check(op: Any) -> None:
    """Refuse attributes that do not fit each other."""
    rank = len(op.kernel)
    if rank not in (1, 2, 3):
        raise AttributeValueError(f"kernel is {op.kernel}, but one to three numbers are required")
    for name in ("stride", "dilate", "pad", "adj", "target_shape"):
        value = getattr(op, name, ())
        if value and len(value) != rank:
            raise AttributeValueError(
                f"{name} is {value}, but as many numbers as in kernel {op.kernel} are required"
            )
    if op.layout is not None and len(op.layout) != rank + 2:
        raise AttributeValueError(f"layout is {op.layout}, but kernel {op.kernel} has {rank} axes")
    if op.num_filter % op.num_group:
        raise AttributeValueError(
            f"num_filter is {op.num_filter}, which does not split into {op.num_group} groups"
        )


def _require_rank(op: Any, shape: Shape) -> None:
    rank = len(op.kernel) + 2
    if len(shape) != rank:
        raise ShapeError(f"data has shape {shape}, but kernel {op.kernel} requires {rank} axes")


def _wide_first(op: Any, array: Array) -> Array:
    return wide(channels_first(array, op.layout))


def _finish(
    op: Any, ctx: Ctx, dout: Array, grads: dict[str, Array], like: Array
) -> dict[str, Array]:
    """Add the gradient of bias; bring all in the user's layout and type."""
    grads = {name: channels_last(grad, op.layout) for name, grad in grads.items()}
    if ctx.wants("bias"):
        grads["bias"] = dout.sum((0, *range(2, dout.ndim)))
    return {name: narrow(grad, like) for name, grad in grads.items()}
