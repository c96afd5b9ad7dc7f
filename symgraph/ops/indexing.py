"""Operators that look up and place elements by index.

Indices may have any element type; a fraction is cut off.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from symgraph.errors import ShapeError
from symgraph.kernels.scatter import scatter_add, take_rows
from symgraph.kernels.segment import row_gradient
from symgraph.ops.attrs import attr
from symgraph.ops.axes import one_axis
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, Step, operator, stored
from symgraph.ops.sparse_values import rows_of
from symgraph.ops.steps import put
from symgraph.ops.typenames import NumberType
from symgraph.storage import Array

Mode = Literal["clip", "raise", "wrap"]


def to_rows(xp, index, length: int, mode: str = "clip"):
    """Whole numbers in ``[0, length)`` of any shape.

    Raises
    ------
    IndexError
        With mode ``raise``, if one lies outside. This waits for the device.
    """
    rows = index.astype("int64")
    if mode == "wrap":
        return rows % length
    clipped = xp.clip(rows, 0, length - 1)
    if mode == "raise" and bool((rows != clipped).any()):
        bad = rows[rows != clipped].reshape(-1)[0]
        raise IndexError(f"index {bad} is given, but one from 0 to {length - 1} is required")
    return clipped


def rows_steps(xp, data: Array, rows: Array, length: int) -> list[Step]:
    """Steps of :func:`to_rows`, clipping, from ``data`` into the buffer ``rows``."""
    low, high = xp.asarray(0), xp.asarray(length - 1)
    return [
        put(rows, data),
        (partial(xp.maximum, out=rows), (rows, low)),
        (partial(xp.minimum, out=rows), (rows, high)),
    ]


@operator(aliases=("_npx_embedding", "_sparse_Embedding"))
class Embedding(Op):
    """Look up rows of ``weight``: ``output[..., :] = weight[data[...]]``.

    An index outside ``[0, input_dim)`` is clipped into it, whether ``sparse_grad`` is set or not.

    Shapes
    ------
    data : any, indices
    weight : (input_dim, output_dim); may be row_sparse, rows it does not store being zero
    output : (..., output_dim)
    """

    input_dim: int = attr(ge=1, doc="Number of rows of weight.")
    output_dim: int = attr(ge=1, doc="Length of a row.")
    dtype: NumberType = attr(default="float32", doc="Element type of weight where nobody says.")
    sparse_grad: bool = attr(default=False, doc="Store the gradient of weight as row_sparse.")

    def infer_shape(self, s: Shapes):
        s["weight"] = (self.input_dim, self.output_dim)
        if s.get("output") is not None:
            s["data"] = s["output"][:-1]
        s["output"] = (*s["data"], self.output_dim)

    def infer_dtype(self, t: DTypes):
        t.unify("weight", "output")
        if t.get("weight") is None:
            t["weight"] = t["output"] = self.dtype

    def forward(self, ctx: Ctx, data, weight):
        out = ctx.xp.empty(ctx.shapes["output"], weight.dtype)
        take_rows(weight, to_rows(ctx.xp, data, self.input_dim), out)
        return out

    @stored("default, row_sparse -> default")
    def forward_rows(self, ctx: Ctx, data, weight):
        if weight.is_full:
            return self.forward(ctx, data, weight.data)
        return rows_of(ctx.xp, weight, to_rows(ctx.xp, data, self.input_dim))

    def backward(self, ctx: Ctx, dout, *, data):
        grad = ctx.xp.zeros(ctx.shapes["weight"], dout.dtype)
        scatter_add(grad, to_rows(ctx.xp, data, self.input_dim), dout)
        return {"weight": grad}

    @stored("default, default -> -, row_sparse", when=lambda op: op.sparse_grad)
    def backward_rows(self, ctx: Ctx, dout, *, data):
        rows = to_rows(ctx.xp, data, self.input_dim)
        return {"weight": row_gradient(rows, dout, self.input_dim)}

    def lower(self, ctx: Ctx, ins, outs):
        data, weight = ins
        rows = ctx.xp.empty(data.shape, "int64")
        steps = rows_steps(ctx.xp, data, rows, self.input_dim)
        return [*steps, (take_rows.body_for(weight), (weight, rows, outs[0]))]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        grad = grads["weight"]
        rows = ctx.xp.empty(needs["data"].shape, "int64")
        steps = rows_steps(ctx.xp, needs["data"], rows, self.input_dim)
        add = (scatter_add.body_for(grad), (grad, rows, heads[0]))
        return [*steps, (grad.fill, (0,)), add]


@operator("take")
class Take(Op):
    """Slices of ``a`` along an axis, by index.

    Shapes
    ------
    a : (*B, N, *A)
    indices : any
    output : (*B, *indices, *A)
    """

    axis: int = attr(default=0, doc="Axis to look up along.")
    mode: Mode = attr(default="clip", doc="What an index outside does.")

    def infer_shape(self, s: Shapes):
        a, indices = s["a"], s["indices"]
        axis = one_axis(self.axis, len(a))
        s["output"] = (*a[:axis], *indices, *a[axis + 1 :])

    def infer_dtype(self, t: DTypes):
        t.unify("a", "output")

    def forward(self, ctx: Ctx, a, indices):
        rows = to_rows(ctx.xp, indices, a.shape[self.axis], self.mode)
        return ctx.xp.take(a, rows, axis=self.axis)

    def backward(self, ctx: Ctx, dout, *, indices):
        xp, shape = ctx.xp, ctx.shapes["a"]
        axis = self.axis % len(shape)
        rows = to_rows(xp, indices, shape[axis], self.mode)
        ahead = range(axis, axis + indices.ndim)
        back = xp.moveaxis(dout, list(ahead), list(range(indices.ndim)))
        grad = xp.zeros((shape[axis], *shape[:axis], *shape[axis + 1 :]), dout.dtype)
        scatter_add(grad, rows, xp.ascontiguousarray(back))
        return {"a": xp.moveaxis(grad, 0, axis)}


@operator("batch_take")
class BatchTake(Op):
    """One element of each row: ``output[i] = a[i, indices[i]]``, indices outside being clipped.

    Shapes
    ------
    a : (N, C)
    indices, output : (N,)
    """

    def infer_shape(self, s: Shapes):
        s.unify("indices", "output")
        s["output"] = s["a"][:1]

    def infer_dtype(self, t: DTypes):
        t.unify("a", "output")

    def forward(self, ctx: Ctx, a, indices):
        columns = to_rows(ctx.xp, indices, a.shape[1])
        return a[ctx.xp.arange(a.shape[0]), columns]

    def backward(self, ctx: Ctx, dout, *, indices):
        xp, width = ctx.xp, ctx.shapes["a"][1]
        columns = to_rows(xp, indices, width)
        return {"a": (xp.arange(width) == columns[:, None]) * dout[:, None]}


@operator("pick", aliases=("choose_element_0index",))
class Pick(Op):
    """One element along an axis, by index.

    Shapes
    ------
    data : any
    index : that of data without ``axis``, or with length one there
    output : that of data without ``axis``, or with length one there when ``keepdims``
    """

    axis: int | None = attr(default=-1, doc="Axis to pick along.")
    keepdims: bool = attr(default=False, doc="Keep the axis with length one.")
    mode: Literal["clip", "wrap"] = attr(default="clip", doc="What an index outside does.")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        axis = self._at(data)
        dropped = data[:axis] + data[axis + 1 :] or (1,)
        kept = (*data[:axis], 1, *data[axis + 1 :])
        index = s.get("index")
        s["index"] = kept if index is not None and len(index) == len(kept) > 1 else dropped
        s["output"] = kept if self.keepdims else dropped

    def infer_dtype(self, t: DTypes):
        t.unify("data", "output")

    def _at(self, data):
        if self.axis is None:
            raise ShapeError("axis is None, but an axis is required")
        return one_axis(self.axis, len(data))

    def _place(self, ctx: Ctx, index):
        """The index with the axis kept, for take_along_axis."""
        shape = ctx.shapes["data"]
        axis = self._at(shape)
        rows = to_rows(ctx.xp, index, shape[axis], self.mode)
        return rows.reshape(*shape[:axis], 1, *shape[axis + 1 :]), axis

    def forward(self, ctx: Ctx, data, index):
        place, axis = self._place(ctx, index)
        return ctx.xp.take_along_axis(data, place, axis).reshape(ctx.shapes["output"])

    def backward(self, ctx: Ctx, dout, *, index):
        place, axis = self._place(ctx, index)
        shape = [1] * len(ctx.shapes["data"])
        shape[axis] = -1
        every = ctx.xp.arange(ctx.shapes["data"][axis]).reshape(shape)
        return {"data": (every == place) * dout.reshape(place.shape)}


@operator("one_hot")
class OneHot(Op):
    """``on_value`` at the index along a new last axis, ``off_value`` elsewhere and outside.

    Shapes
    ------
    indices : any
    output : (*indices, depth)
    """

    depth: int = attr(ge=1, doc="Length of the new axis.")
    on_value: float = attr(default=1.0, doc="Value at the index.")
    off_value: float = attr(default=0.0, doc="Value elsewhere.")
    dtype: NumberType = attr(default="float32", doc="Element type of the output.")

    def infer_shape(self, s: Shapes):
        if s.get("output") is not None:
            s["indices"] = s["output"][:-1]
        s["output"] = (*s["indices"], self.depth)

    def infer_dtype(self, t: DTypes):
        t["output"] = self.dtype

    def forward(self, ctx: Ctx, indices):
        xp = ctx.xp
        hit = indices.astype("int64")[..., None] == xp.arange(self.depth)
        return xp.where(hit, self.on_value, self.off_value).astype(self.dtype)


@operator("gather_nd")
class GatherND(Op):
    """Elements or slices at positions given by one column of ``indices`` each.

    Shapes
    ------
    data : (*D, *A)
    indices : (len(D), *B); negative ones count from the end
    output : (*B, *A)
    """

    def infer_shape(self, s: Shapes):
        data, indices = s["data"], s["indices"]
        if indices[0] > len(data):
            raise ShapeError(f"indices has {indices[0]} rows, but data has {len(data)} axes")
        s["output"] = (*indices[1:], *data[indices[0] :])

    def infer_dtype(self, t: DTypes):
        t.unify("data", "output")

    def forward(self, ctx: Ctx, data, indices):
        return data[tuple(indices.astype("int64"))]

    def backward(self, ctx: Ctx, dout, *, indices):
        xp, shape = ctx.xp, ctx.shapes["data"]
        depth = indices.shape[0]
        flat, length = xp.zeros(indices.shape[1:], "int64"), 1
        for n, row in zip(shape[depth - 1 :: -1], indices[::-1].astype("int64"), strict=False):
            flat += (row % n) * length
            length *= n
        grad = xp.zeros((length, *shape[depth:]), dout.dtype)
        scatter_add(grad, flat, dout)
        return {"data": grad.reshape(shape)}
