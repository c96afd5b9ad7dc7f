"""Pooling."""

from __future__ import annotations

from typing import Literal

from symgraph.errors import AttributeValueError, ShapeError
from symgraph.kernels.pool import max_pool, max_pool_gradient, sum_pool, sum_pool_gradient
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.layout import channels_first, channels_last, is_channels_last, spread
from symgraph.ops.op import Ctx, Op, operator
from symgraph.ops.precision import narrow, require_float, wide
from symgraph.storage import Array, Shape


@operator(aliases=("_npx_pooling",))
class Pooling(Op):
    """One number for every window over the spatial axes.

    ``lp`` is ``sum(x ** p_value) ** (1 / p_value)``, without absolute values, as in MXNet.
    A window that meets no element, which ``full`` allows, gives zero, or the smallest number
    for ``max``.

    Shapes, with * the spatial axes; in a layout with channels last, C stands there
    ------
    data : (N, C, *S)
    output : (N, C, *O); O is (S + 2 * pad - kernel) // stride + 1, rounded up when ``full``,
        S / stride rounded up when ``same``, 1 when ``global_pool``
    workspace : the shape of output, int32: which tap holds the maximum
    """

    kernel: Shape = attr(default=(), ge=1, doc="Window size; not needed by global_pool.")
    pool_type: Literal["avg", "lp", "max", "sum"] = attr(default="max", doc="What to compute.")
    global_pool: bool = attr(default=False, doc="Let one window hold everything.")
    cudnn_off: bool = attr(default=False, doc="Accepted and ignored.")
    pooling_convention: Literal["full", "same", "valid"] = attr(
        default="valid", doc="Whether windows may reach over the end."
    )
    stride: Shape = attr(default=(), ge=1, doc="Distance between windows, 1 by default.")
    pad: Shape = attr(default=(), ge=0, doc="Zeros added on both sides, 0 by default.")
    p_value: int | None = attr(default=None, ge=1, doc="Exponent of lp.")
    count_include_pad: bool | None = attr(
        default=None, doc="Whether avg counts padding; it does by default."
    )
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = attr(
        default=None, doc="Order of axes; channels first by default."
    )

    def __post_init__(self):
        if not self.kernel and not self.global_pool:
            raise AttributeValueError("kernel is required unless global_pool is set")
        for name in ("stride", "pad"):
            value = getattr(self, name)
            if value and self.kernel and len(value) != len(self.kernel):
                raise AttributeValueError(
                    f"{name} is {value}, but as many numbers as in kernel {self.kernel} "
                    "are required"
                )
        if self.pool_type == "lp" and self.p_value is None:
            raise AttributeValueError("p_value is required by pool_type 'lp'")
        if self.pooling_convention == "same" and any(self.pad):
            raise AttributeValueError("pad must be zero when pooling_convention is 'same'")

    def list_outputs(self):
        return ("output", "workspace") if self._keeps_places() else ("output",)

    def num_visible(self):
        return 1

    def list_needs(self):
        if self.pool_type == "max":
            return ("workspace",) if self._keeps_places() else ("data",)
        return ("data", "output") if self.pool_type == "lp" else ()

    def infer_shape(self, s: Shapes):
        data = s["data"]
        ranks = [len(self.kernel) + 2] if self.kernel else [3, 4, 5]
        if len(data) not in ranks:
            raise ShapeError(
                f"data has shape {data}, but {' or '.join(map(str, ranks))} axes are required"
            )
        n, channels, *space = channels_first(data, self.layout)
        out = [self._out(i, size) for i, size in enumerate(space)]
        s["output"] = channels_last((n, channels, *out), self.layout)
        s.unify("output", "workspace")
        n, channels, *_ = channels_first(s["output"], self.layout)
        s["data"] = channels_last((n, channels, *space), self.layout)

    def infer_dtype(self, t: DTypes):
        t["workspace"] = "int32"
        t.unify("data", "output")
        require_float(t, "data")

    def forward(self, ctx: Ctx, data):
        x = channels_first(data, self.layout)
        window = self._window(x.shape[2:])
        if self.pool_type == "max":
            out, place = max_pool(x, *window)
            out = channels_last(out, self.layout)
            return (out, place) if self._keeps_places() else out
        x = wide(x)
        if self.pool_type == "lp":
            power = self.p_value or 1
            total = sum_pool(x**power, *window)
            out = ctx.xp.sign(total) * ctx.xp.abs(total) ** (1 / power)
        else:
            out = self._mean(ctx, sum_pool(x, *window), x.shape[2:])
        return narrow(channels_last(out, self.layout), data)

    def backward(self, ctx: Ctx, dout, *, data=None, output=None, workspace=None):
        space = channels_first(ctx.shapes["data"], self.layout)[2:]
        kernel, stride, pad, out = self._window(space)
        d = wide(channels_first(dout, self.layout))
        if self.pool_type == "max":
            place = workspace
            if place is None:
                x = channels_first(data, self.layout)
                place = max_pool(x, kernel, stride, pad, out)[1]
            grad = max_pool_gradient(d, place, space, kernel, stride, pad)
        elif self.pool_type == "lp":
            power = (self.p_value or 1) - 1
            root = wide(channels_first(output, self.layout)) ** power
            d = ctx.xp.where(root == 0, 0, d / ctx.xp.where(root == 0, 1, root))
            x = wide(channels_first(data, self.layout))
            grad = sum_pool_gradient(d, space, kernel, stride, pad) * x**power
        else:
            grad = sum_pool_gradient(self._mean(ctx, d, space), space, kernel, stride, pad)
        return {"data": narrow(channels_last(grad, self.layout), dout)}

    def _keeps_places(self) -> bool:
        """Whether the hidden output is there; MXNet's symbol files count it in these cases."""
        return self.pool_type == "max" and bool(self.kernel) and not is_channels_last(self.layout)

    def _out(self, i: int, size: int) -> int:
        """Output length along spatial axis ``i``; 0, unknown, stays unknown."""
        if self.global_pool:
            return 1
        if not size:
            return 0
        kernel, rank = self.kernel[i], len(self.kernel)
        stride, pad = spread(self.stride, 1, rank)[i], spread(self.pad, 0, rank)[i]
        if self.pooling_convention == "same":
            return -(-size // stride)
        room = size + 2 * pad - kernel
        if room < 0:
            raise ShapeError(
                f"data has length {size} along spatial axis {i}, {size + 2 * pad} when padded, "
                f"but the window has {kernel}"
            )
        return (-(-room // stride) if self.pooling_convention == "full" else room // stride) + 1

    def _window(self, space: Shape) -> tuple[Shape, Shape, Shape, Shape]:
        """(kernel, stride, pad, out) of data with these spatial axes."""
        rank = len(space)
        if self.global_pool:
            return space, (1,) * rank, (0,) * rank, (1,) * rank
        stride, pad = spread(self.stride, 1, rank), spread(self.pad, 0, rank)
        out = tuple(self._out(i, size) for i, size in enumerate(space))
        if self.pooling_convention == "same":
            sizes = zip(space, self.kernel, stride, out, strict=True)
            pad = tuple(max(0, (o - 1) * s + k - n) // 2 for n, k, s, o in sizes)
        return self.kernel, stride, pad, out

    def _mean(self, ctx: Ctx, total: Array, space: Shape) -> Array:
        """``total`` divided by how many elements each window counts, for avg."""
        if self.pool_type != "avg":
            return total
        kernel, stride, pad, out = self._window(space)
        for i, size in enumerate(space):
            first = ctx.xp.arange(out[i], dtype=total.dtype) * stride[i] - pad[i]
            if self.count_include_pad is False:
                last = ctx.xp.minimum(first + kernel[i], size)
                first = ctx.xp.maximum(first, 0)
            else:
                # only "same" pads the end by one more than the beginning
                limit = size + pad[i] + (self.pooling_convention == "same")
                last = ctx.xp.minimum(first + kernel[i], limit)
            count = ctx.xp.maximum(last - first, 1)
            total = total / count.reshape(-1, *(1,) * (len(space) - 1 - i))
        return total
