"""Operators that change the shape and leave the memory as it is."""

from __future__ import annotations

from math import prod
from typing import Any

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.axes import one_axis
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator
from symgraph.storage import Shape


def _forward(self: Any, ctx: Ctx, data):
    return data.reshape(ctx.shapes["output"])


def _backward(self: Any, ctx: Ctx, dout):
    return {"data": dout.reshape(ctx.shapes["data"])}


@operator(aliases=("flatten",))
class Flatten(Op):
    """Collapse all axes but the first.

    Shapes
    ------
    data : (N, ...)
    output : (N, product of the rest)
    """

    alias = True
    forward, backward = _forward, _backward

    def infer_shape(self, s: Shapes):
        n, *rest = s["data"]
        s["output"] = (n, prod(rest))
        s["data"] = (s["output"][0], *rest)


@operator(aliases=("reshape",))
class Reshape(Op):
    """The same elements in another shape, given by numbers from left to right.

    A positive number is a length; 0 copies the length at this place of data; -1 takes what is left;
    -2 copies all further lengths; -3 multiplies two; -4 splits one into the two that follow.

    Shapes
    ------
    data, output : any, of equal size
    """

    shape: tuple[int, ...] = attr(default=(), ge=-4, doc="The new shape.")
    reverse: bool = attr(default=False, doc="Match shape with that of data from the right.")
    target_shape: tuple[int, ...] = attr(
        default=(), ge=0, doc="The new shape in files of before 2016, where 0 takes what is left."
    )
    keep_highest: bool = attr(default=False, doc="With target_shape: keep the first axis.")

    alias = True
    forward, backward = _forward, _backward

    def infer_shape(self, s: Shapes):
        data = s["data"]
        s["output"] = self._target(data)
        full = s["output"]
        if data.count(0) == 1 and 0 not in full:
            size = prod(n for n in data if n)
            s["data"] = tuple(n or prod(full) // size for n in data)

    def _target(self, data: Shape) -> Shape:
        if self.shape:
            return reshaped(self.shape, data, self.reverse)
        if not self.target_shape:
            raise ShapeError("an attribute shape is required")
        target = tuple(n or -1 for n in self.target_shape)
        if self.keep_highest:
            target = (data[0], *target[1:])
        return fill_rest(target, data)


def reshaped(codes: tuple[int, ...], data: Shape, reverse: bool = False) -> Shape:
    """The shape that ``codes`` make of ``data``; see :class:`Reshape`. 0 is unknown.

    Raises
    ------
    ShapeError
        If the codes do not fit ``data``.
    """
    tokens = _tokens(codes)
    step = -1 if reverse else 1
    source = list(data[::step])
    out: list[int] = []
    for token in tokens[::step]:
        if token[0] == -2:
            out += source
            source = []
            continue
        taken = [source.pop(0) for _ in range(min(2 if token[0] == -3 else 1, len(source)))]
        if not taken and token[0] in (0, -3, -4):
            raise ShapeError(f"shape {codes} needs more axes than data, {data}, has")
        if token[0] == -4:
            out += _split(taken[0], token[1:], codes)[::step]
        else:
            out.append({0: prod(taken), -3: prod(taken)}.get(token[0], token[0]))
    return fill_rest(tuple(out[::step]), data)


def _tokens(codes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """-4 together with the two numbers after it, everything else alone."""
    tokens: list[tuple[int, ...]] = []
    rest = list(codes)
    while rest:
        size = 3 if rest[0] == -4 else 1
        if len(rest) < size:
            raise ShapeError(f"shape is {codes}, but -4 must be followed by two numbers")
        tokens.append(tuple(rest[:size]))
        del rest[:size]
    return tokens


def _split(length: int, parts: tuple[int, ...], codes: tuple[int, ...]) -> list[int]:
    left, right = parts
    if min(parts) < -1 or max(parts) < 1 or 0 in parts:
        raise ShapeError(
            f"shape is {codes}, but -4 must be followed by two lengths, one of which may be -1"
        )
    if left == -1:
        left = length // right
    elif right == -1:
        right = length // left
    if length and left * right != length:
        raise ShapeError(f"shape is {codes}, but {length} does not split into {parts}")
    return [left, right]


def fill_rest(target: Shape, data: Shape) -> Shape:
    """``target`` with its -1 replaced by what makes it as large as ``data``.

    Raises
    ------
    ShapeError
        If -1 occurs twice or the sizes differ.
    """
    if target.count(-1) > 1:
        raise ShapeError(f"shape is {target}, but -1 may be given only once")
    size = 0 if 0 in data else prod(data)
    known = prod(n for n in target if n != -1)
    if size and known and size % known == 0:
        target = tuple(size // known if n == -1 else n for n in target)
    target = tuple(0 if n == -1 and not size else n for n in target)
    if size and known and prod(target) != size:
        raise ShapeError(f"data of shape {data} cannot take the shape {target}: the sizes differ")
    return target


@operator("expand_dims")
class ExpandDims(Op):
    """One more axis, of length one.

    Shapes
    ------
    data : any
    output : that of data with 1 inserted at ``axis``
    """

    axis: int = attr(doc="Where the new axis is in the output.")

    alias = True
    forward, backward = _forward, _backward

    def infer_shape(self, s: Shapes):
        data, out = s.get("data"), s.get("output")
        if data is not None:
            at = one_axis(self.axis, len(data) + 1)
            s["output"] = (*data[:at], 1, *data[at:])
        if out is not None:
            at = one_axis(self.axis, len(out))
            s["data"] = out[:at] + out[at + 1 :]


@operator("squeeze")
class Squeeze(Op):
    """Without axes of length one; one is left where none would be.

    Shapes
    ------
    data : any
    output : that of data without ``axis``, by default without all axes of length one
    """

    axis: tuple[int, ...] | None = attr(default=None, doc="Axes to drop.")

    alias = True
    forward, backward = _forward, _backward

    def infer_shape(self, s: Shapes):
        data = s["data"]
        if self.axis is None:
            if 0 in data:
                return
            drop = {i for i, n in enumerate(data) if n == 1}
        else:
            drop = {one_axis(a, len(data)) for a in self.axis}
            if any(data[i] > 1 for i in drop):
                raise ShapeError(f"axis is {self.axis}, but data has shape {data}")
        s["output"] = tuple(n for i, n in enumerate(data) if i not in drop) or (1,)


@operator("reshape_like")
class ReshapeLike(Op):
    """``lhs`` in the shape of ``rhs``, or some of its axes in those of some axes of ``rhs``.

    Shapes
    ------
    lhs : any
    rhs : any
    output : lhs with the axes from lhs_begin to lhs_end replaced by those of rhs
    """

    lhs_begin: int | None = attr(default=None, doc="First axis of lhs to replace.")
    lhs_end: int | None = attr(default=None, doc="Axis of lhs after the last to replace.")
    rhs_begin: int | None = attr(default=None, doc="First axis of rhs to take.")
    rhs_end: int | None = attr(default=None, doc="Axis of rhs after the last to take.")

    alias = True

    def infer_shape(self, s: Shapes):
        lhs, rhs = s["lhs"], s["rhs"]
        begin, end, _ = slice(self.lhs_begin, self.lhs_end).indices(len(lhs))
        out = (*lhs[:begin], *rhs[self.rhs_begin : self.rhs_end], *lhs[end:])
        s["output"] = fill_rest(out, lhs)

    def infer_dtype(self, t: DTypes):
        t.unify("lhs", "output")

    def forward(self, ctx: Ctx, lhs, rhs):
        return lhs.reshape(ctx.shapes["output"])

    def backward(self, ctx: Ctx, dout):
        return {"lhs": dout.reshape(ctx.shapes["lhs"])}
