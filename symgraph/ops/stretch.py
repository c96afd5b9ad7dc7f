"""Operators that repeat elements."""

from __future__ import annotations

from typing import Any

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.axes import accumulator, one_axis, unbroadcast
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator
from symgraph.ops.steps import put
from symgraph.storage import Array, Shape


def _stretched(data: Shape, target: Shape) -> Shape:
    """``target``, to which ``data`` must stretch; a 0 there keeps the length."""
    if len(data) != len(target):
        raise ShapeError(f"shape is {target}, but as many axes as in data, {data}, are required")
    target = tuple(t or d for d, t in zip(data, target, strict=True))
    if any(d not in (0, 1, t) for d, t in zip(data, target, strict=True)):
        raise ShapeError(f"data has shape {data}, which does not stretch to {target}")
    return target


def _forward(self: Any, ctx: Ctx, data):
    return ctx.xp.broadcast_to(data, ctx.shapes["output"])


def _lower(self: Any, ctx: Ctx, ins: list[Array], outs: list[Array]):
    return [put(outs[0], ins[0])]


def _backward(self: Any, ctx: Ctx, dout):
    return {"data": unbroadcast(ctx.xp, dout, ctx.shapes["data"])}


@operator("broadcast_to")
class BroadcastTo(Op):
    """Stretch axes of length one.

    Shapes
    ------
    data : as many axes as ``shape``
    output : ``shape``, with the lengths of data where that has 0
    """

    shape: tuple[int, ...] = attr(default=(), ge=0, doc="The shape; 0 keeps the length of data.")

    forward, lower, backward = _forward, _lower, _backward

    def infer_shape(self, s: Shapes):
        s["output"] = _stretched(s["data"], self.shape)


@operator("broadcast_axis", aliases=("broadcast_axes",))
class BroadcastAxis(Op):
    """Stretch some axes of length one.

    Shapes
    ------
    data : length one along ``axis``
    output : that of data with ``size`` along ``axis``
    """

    axis: tuple[int, ...] = attr(default=(), doc="Axes to stretch.")
    size: tuple[int, ...] = attr(default=(), doc="Their lengths.")

    forward, lower, backward = _forward, _lower, _backward

    def infer_shape(self, s: Shapes):
        data = s["data"]
        if len(self.axis) != len(self.size):
            raise ShapeError(f"axis is {self.axis} and size is {self.size}; they differ in length")
        target = list(data)
        for axis, size in zip(self.axis, self.size, strict=True):
            target[one_axis(axis, len(data))] = size
        s["output"] = _stretched(data, tuple(target))


@operator("broadcast_like")
class BroadcastLike(Op):
    """Stretch axes of length one to the lengths of another array.

    Shapes
    ------
    lhs : any
    rhs : as many axes where ``lhs_axes`` is not given
    output : that of lhs with the lengths of rhs along the given axes, by default all
    """

    lhs_axes: tuple[int, ...] | None = attr(default=None, doc="Axes of lhs to stretch.")
    rhs_axes: tuple[int, ...] | None = attr(default=None, doc="The axes of rhs for them.")

    def infer_shape(self, s: Shapes):
        lhs, rhs = s["lhs"], s["rhs"]
        if self.lhs_axes is None or self.rhs_axes is None:
            s["output"] = _stretched(lhs, rhs)
            return
        target = list(lhs)
        for to, of in zip(self.lhs_axes, self.rhs_axes, strict=True):
            target[one_axis(to, len(lhs))] = rhs[one_axis(of, len(rhs))]
        s["output"] = _stretched(lhs, tuple(target))

    def infer_dtype(self, t: DTypes):
        t.unify("lhs", "output")

    def forward(self, ctx: Ctx, lhs, rhs):
        return ctx.xp.broadcast_to(lhs, ctx.shapes["output"])

    def lower(self, ctx: Ctx, ins, outs):
        return [put(outs[0], ins[0])]

    def backward(self, ctx: Ctx, dout):
        return {"lhs": unbroadcast(ctx.xp, dout, ctx.shapes["lhs"])}


@operator("tile")
class Tile(Op):
    """The whole array again and again.

    Shapes
    ------
    data : any
    output : the lengths of data times ``reps``, both filled with ones from the left
    """

    reps: tuple[int, ...] = attr(ge=1, doc="How often along each axis.")

    def infer_shape(self, s: Shapes):
        data, reps = self._aligned(s["data"])
        s["output"] = tuple(n * r for n, r in zip(data, reps, strict=True))

    def _aligned(self, data: Shape) -> tuple[Shape, Shape]:
        ndim = max(len(data), len(self.reps))
        return (1,) * (ndim - len(data)) + data, (1,) * (ndim - len(self.reps)) + self.reps

    def forward(self, ctx: Ctx, data):
        return ctx.xp.tile(data, self.reps)

    def backward(self, ctx: Ctx, dout):
        data, reps = self._aligned(ctx.shapes["data"])
        pairs = tuple(n for pair in zip(reps, data, strict=True) for n in pair)
        axes = tuple(range(0, len(pairs), 2))
        total = dout.reshape(pairs).sum(axes, dtype=accumulator(dout.dtype.name))
        return {"data": total.reshape(ctx.shapes["data"]).astype(dout.dtype, copy=False)}


@operator("repeat")
class Repeat(Op):
    """Each element again and again, of the flattened data or along one axis.

    Shapes
    ------
    data : any
    output : that of data with ``axis`` as many times as long; (data.size * repeats,) without axis
    """

    repeats: int = attr(ge=1, doc="How often.")
    axis: int | None = attr(default=None, doc="Axis; by default the data is flattened.")

    def infer_shape(self, s: Shapes):
        before, n, after = self._around(s["data"])
        s["output"] = (*before, n * self.repeats, *after)

    def _around(self, data: Shape) -> tuple[Shape, int, Shape]:
        if self.axis is None:
            size = 1
            for n in data:
                size *= n
            return (), size, ()
        axis = one_axis(self.axis, len(data))
        return data[:axis], data[axis], data[axis + 1 :]

    def forward(self, ctx: Ctx, data):
        return ctx.xp.repeat(data, self.repeats, self.axis)

    def backward(self, ctx: Ctx, dout):
        before, n, after = self._around(ctx.shapes["data"])
        parts = dout.reshape(*before, n, self.repeats, *after)
        total = parts.sum(len(before) + 1, dtype=accumulator(dout.dtype.name))
        return {"data": total.reshape(ctx.shapes["data"]).astype(dout.dtype, copy=False)}
