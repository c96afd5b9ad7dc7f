"""Pooling: the maximum or the sum under every window, and the gradients."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from symgraph.kernels import kernel
from symgraph.kernels.window import ones, padded, taps, windows, zeros_around
from symgraph.storage import Array, Shape


@kernel
def max_pool(
    xp, data: Array, kernel: Shape, stride: Shape, pad: Shape, out: Shape
) -> tuple[Array, Array]:
    """The largest element under every window, and which tap holds it, the first of several.

    A NaN is larger than all else. Where nothing is above the smallest finite number, that number
    is the result, and -1 its tap.

    Shapes: data (N, C, *space), results (N, C, *out), the second int32.
    """
    lowest = float(xp.finfo(data.dtype).min)
    whole = padded(xp, data, kernel, stride, ones(kernel), pad, out, lowest)
    view = windows(xp, whole, kernel, stride, ones(kernel), out)
    flat = view.reshape(*data.shape[:2], *out, prod(kernel))
    best = flat.max(-1)
    place = xp.where(best <= lowest, -1, flat.argmax(-1)).astype("int32")
    return xp.maximum(best, lowest), place


@kernel
def max_pool_gradient(
    xp, dout: Array, place: Array, space: Shape, kernel: Shape, stride: Shape, pad: Shape
) -> Array:
    """Gradient of :func:`max_pool`, from the taps it found.

    Shapes: dout and place (N, C, *out), result (N, C, *space).
    """
    out = dout.shape[2:]
    shape, plain = (*dout.shape[:2], *space), ones(kernel)
    full, inner = zeros_around(xp, shape, dout.dtype, kernel, stride, plain, pad, out)
    numbers = xp.arange(prod(kernel), dtype="int32").reshape(kernel)
    if prod(out) < prod(kernel):
        for at, where in _positions(kernel, stride, out):
            full[(..., *where)] += _at(dout, at, kernel) * (_at(place, at, kernel) == numbers)
    else:
        for number, (_, where) in enumerate(taps(kernel, stride, plain, out)):
            full[(..., *where)] += dout * (place == number)
    return inner


@kernel
def sum_pool(xp, data: Array, kernel: Shape, stride: Shape, pad: Shape, out: Shape) -> Array:
    """The sum under every window.

    Shapes: data (N, C, *space), result (N, C, *out).
    """
    whole = padded(xp, data, kernel, stride, ones(kernel), pad, out)
    view = windows(xp, whole, kernel, stride, ones(kernel), out)
    return view.sum(tuple(range(-len(kernel), 0)))


@kernel
def sum_pool_gradient(
    xp, dout: Array, space: Shape, kernel: Shape, stride: Shape, pad: Shape
) -> Array:
    """Gradient of :func:`sum_pool`.

    Shapes: dout (N, C, *out), result (N, C, *space).
    """
    out = dout.shape[2:]
    shape, plain = (*dout.shape[:2], *space), ones(kernel)
    full, inner = zeros_around(xp, shape, dout.dtype, kernel, stride, plain, pad, out)
    if prod(out) < prod(kernel):
        for at, where in _positions(kernel, stride, out):
            full[(..., *where)] += _at(dout, at, kernel)
    else:
        for _, where in taps(kernel, stride, plain, out):
            full[(..., *where)] += dout
    return inner


def _positions(kernel: Shape, stride: Shape, out: Shape) -> Any:
    """Every position, and the slices of padded data that are its window."""
    for at in product(*map(range, out)):
        starts = [i * s for i, s in zip(at, stride, strict=True)]
        yield at, tuple(slice(a, a + k) for a, k in zip(starts, kernel, strict=True))


def _at(array: Array, at: Shape, kernel: Shape) -> Array:
    """The elements at a position, such that they broadcast over its window."""
    return array[(slice(None), slice(None), *at)].reshape(*array.shape[:2], *ones(kernel))
