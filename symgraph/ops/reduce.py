"""Reductions over axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from symgraph.ops.attrs import attr
from symgraph.ops.axes import accumulator, reduced_axes, reduced_shape
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.families import reduction
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.sparse_values import stored_sum
from symgraph.storage import Shape


def _product(data, axes):
    return data.prod(axes, dtype=accumulator(data.dtype.name), keepdims=True)


def _product_gradient(xp, g, data, output, axes):
    """The product of all others; where exactly one element is zero, only its own is not zero."""
    zero = data == 0
    others = xp.where(zero, xp.ones((), data.dtype), data)
    rest = _product(others, axes).astype(data.dtype)
    alone = zero.sum(axes, keepdims=True) == 1
    return g * xp.where(zero, rest * alone, output / others)


def _nan_to(xp, data, value):
    return xp.where(xp.isnan(data), xp.full((), value, data.dtype), data)


def _nan_product_gradient(xp, g, data, output, axes):
    return _product_gradient(xp, g, _nan_to(xp, data, 1), output, axes) * ~xp.isnan(data)


# fmt: off
reduction("sum", "sum", lambda g: g, aliases=("sum_axis", "_sparse_sum"),
          of_sparse=lambda xp, data, axes: stored_sum(xp, data, axes), doc="The sum.")
reduction("mean", "mean", lambda g, count: g / count, aliases=("_sparse_mean",),
          of_sparse=lambda xp, data, axes, count: stored_sum(xp, data, axes) / count,
          doc="The mean.")
reduction("prod", "prod", _product_gradient, doc="The product.")
reduction("nansum",
          lambda xp, data, axes: _nan_to(xp, data, 0).sum(
              axes, dtype=accumulator(data.dtype.name), keepdims=True),
          lambda xp, g, data: g * xp.equal(data, data), doc="The sum, nan counting as zero.")
reduction("nanprod", lambda xp, data, axes: _product(_nan_to(xp, data, 1), axes),
          _nan_product_gradient, doc="The product, nan counting as one.")
reduction("max", "max", lambda xp, g, data, output: g * xp.equal(data, output),
          aliases=("max_axis",), doc="The largest; all that tie get the whole gradient.")
reduction("min", "min", lambda xp, g, data, output: g * xp.equal(data, output),
          aliases=("min_axis",), doc="The smallest; all that tie get the whole gradient.")
# fmt: on


@operator("norm", aliases=("_sparse_norm",))
class Norm(Op):
    """The sum of absolute values, or the root of the sum of squares, over axes.

    The gradient where the norm is zero is zero.

    Shapes
    ------
    data : any
    output : data without ``axis``, or with length one there
    """

    ord: int = attr(default=2, ge=1, le=2, doc="1 for absolute values, 2 for squares.")
    axis: tuple[int, ...] | None = attr(default=None, doc="Axes to reduce, all by default.")
    out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = attr(
        default=None, doc="Element type of the output; by default that of data."
    )
    keepdims: bool = attr(default=False, doc="Keep the reduced axes with length one.")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        s["output"] = reduced_shape(data, self._axes(data), self.keepdims)

    def infer_dtype(self, t: DTypes):
        if self.out_dtype is None:
            t.unify("data", "output")
        else:
            t["output"] = self.out_dtype

    def _axes(self, shape: Shape) -> tuple[int, ...]:
        return reduced_axes(self.axis, False, len(shape))

    def forward(self, ctx: Ctx, data):
        return self._finish(ctx, self._powers(ctx, data).sum(self._axes(data.shape)))

    @stored("csr -> default")
    @stored("row_sparse -> default")
    def forward_stored(self, ctx: Ctx, data):
        powers = replace(data, data=self._powers(ctx, data.data))
        return self._finish(ctx, stored_sum(ctx.xp, powers, self._axes(data.shape)))

    def backward(self, ctx: Ctx, dout, *, data, output):
        xp, shape = ctx.xp, ctx.shapes["data"]
        kept = reduced_shape(shape, self._axes(shape), keepdims=True)
        dout, norm = dout.reshape(kept), output.reshape(kept)
        if self.ord == 1:
            grad = xp.sign(data) * dout
        else:
            grad = data * (dout / xp.where(norm == 0, xp.ones((), norm.dtype), norm))
        return {"data": grad.astype(data.dtype, copy=False)}

    def _powers(self, ctx: Ctx, data):
        wide = data.astype(accumulator(data.dtype.name), copy=False)
        return ctx.xp.absolute(wide) if self.ord == 1 else wide * wide

    def _finish(self, ctx: Ctx, total):
        root = total if self.ord == 1 else ctx.xp.sqrt(total)
        return root.reshape(ctx.shapes["output"]).astype(ctx.dtypes["output"])


def _arg(name: str, doc: str) -> None:
    """``argmax`` and ``argmin``."""

    class Arg(Op):
        axis: int | None = attr(default=None, doc="Axis to search; by default the flattened data.")
        keepdims: bool = attr(default=False, doc="Keep the axis with length one.")

        family = "reduce"

        def infer_shape(self, s: Shapes):
            data = s["data"]
            if self.axis is None:
                s["output"] = (1,) * len(data) if self.keepdims else (1,)
            else:
                axes = reduced_axes((self.axis,), False, len(data))
                s["output"] = reduced_shape(data, axes, self.keepdims)

        def forward(self, ctx: Ctx, data):
            found = getattr(data, name)(self.axis)
            return ctx.xp.asarray(found, dtype=data.dtype).reshape(ctx.shapes["output"])

    shapes = "data : any\noutput : data without ``axis``, in its element type"
    Arg.__doc__ = f"{doc}\n\nShapes\n------\n{shapes}\n"
    operator(name)(Arg)


_arg("argmax", "Position of the first largest element, in the element type of data.")
_arg("argmin", "Position of the first smallest element, in the element type of data.")


@operator("argmax_channel")
class ArgmaxChannel(Op):
    """Position of the largest element along axis 1.

    Shapes
    ------
    data : (N, C, ...)
    output : (N, ...)
    """

    def infer_shape(self, s: Shapes):
        n, _, *rest = s["data"]
        s["output"] = (n, *rest)

    def forward(self, ctx: Ctx, data):
        return data.argmax(1).astype(data.dtype)
