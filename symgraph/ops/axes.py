"""Axes and shapes that operators have in common: broadcasting and reducing."""

from __future__ import annotations

import itertools

from symgraph.errors import ShapeError
from symgraph.storage import Array, Shape


def accumulator(dtype: str) -> str:
    """The type to sum ``dtype`` in: thousands of halves do not add up in a half."""
    return "float32" if dtype == "float16" else dtype


def stretched_axes(shape: Shape, small: Shape) -> tuple[int, ...]:
    """Axes of ``shape`` along which an array of shape ``small`` was stretched."""
    small = (1,) * (len(shape) - len(small)) + small
    return tuple(i for i, (n, m) in enumerate(zip(shape, small, strict=True)) if n != m)


def unbroadcast(xp, array: Array, shape: Shape) -> Array:
    """Sum ``array`` over the axes along which ``shape`` was stretched to its shape."""
    if array.shape == shape:
        return array
    axes = stretched_axes(array.shape, shape)
    total = array.sum(axes, dtype=accumulator(array.dtype.name), keepdims=True)
    return xp.broadcast_to(total.reshape(shape), shape).astype(array.dtype, copy=False)


def reduced_axes(axis: tuple[int, ...] | None, exclude: bool, ndim: int) -> tuple[int, ...]:
    """Axes to reduce, ascending; none given means all.

    Raises
    ------
    ShapeError
        If an axis does not exist or is given twice.
    """
    if not axis:
        return tuple(range(ndim))
    if any(not -ndim <= a < ndim for a in axis):
        raise ShapeError(f"axis is {axis}, but data has {ndim} axes")
    given = {a % ndim for a in axis}
    if len(given) < len(axis):
        raise ShapeError(f"axis is {axis}, but an axis may be given only once")
    return tuple(a for a in range(ndim) if (a in given) != exclude)


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """``shape`` without ``axes``; (1,) where none would remain."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes) or (1,)


def broadcast(*shapes: Shape) -> Shape:
    """The shape that arrays stretch to; 0 is an unknown length.

    Raises
    ------
    ShapeError
        If they do not fit.
    """
    out = []
    for lengths in itertools.zip_longest(*(s[::-1] for s in shapes), fillvalue=1):
        long = {n for n in lengths if n > 1}
        if len(long) > 1:
            raise ShapeError(f"shapes {' and '.join(map(str, shapes))} do not broadcast")
        out.append(long.pop() if long else min(lengths))
    return tuple(reversed(out))


def one_axis(axis: int, ndim: int) -> int:
    """``axis`` counted from the left.

    Raises
    ------
    ShapeError
        If there is no such axis.
    """
    if not -ndim <= axis < ndim:
        raise ShapeError(f"axis is {axis}, but there are {ndim} axes")
    return axis % ndim
