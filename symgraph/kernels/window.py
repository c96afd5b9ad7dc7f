"""Windows that slide over the spatial axes of an array. Shared by convolution and pooling.

A shape is (N, C, *space). A window has a ``kernel`` shape; its taps are ``dilate`` apart and
windows ``stride`` apart; the first one starts ``pad`` before the array. All are tuples with one
number per spatial axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from symgraph.storage import Array, Shape


def ones(kernel: Shape) -> Shape:
    """A tuple of ones, such as the dilation of plain windows."""
    return (1,) * len(kernel)


def padded(
    xp: Any,
    data: Array,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    out: Shape,
    value: float = 0,
) -> Array:
    """``data`` with ``value`` around it, so that it holds all windows; itself where it does."""
    ends = _ends(data.shape[2:], kernel, stride, dilate, pad, out)
    if not any(pad) and not any(ends):
        return data
    widths = ((0, 0), (0, 0), *zip(pad, ends, strict=True))
    return xp.pad(data, widths, constant_values=value)


def windows(xp: Any, data: Array, kernel: Shape, stride: Shape, dilate: Shape, out: Shape) -> Array:
    """A view of :func:`padded` data by position and tap: (N, C, *out, *kernel)."""
    steps = data.strides[2:]
    return xp.lib.stride_tricks.as_strided(
        data,
        (*data.shape[:2], *out, *kernel),
        (
            *data.strides[:2],
            *(a * b for a, b in zip(steps, stride, strict=True)),
            *(a * b for a, b in zip(steps, dilate, strict=True)),
        ),
    )


def taps(
    kernel: Shape, stride: Shape, dilate: Shape, out: Shape
) -> Iterator[tuple[Shape, tuple[Any, ...]]]:
    """Every tap, and the slices of padded data that meet it in the windows in turn."""
    for tap in product(*map(range, kernel)):
        starts = [t * d for t, d in zip(tap, dilate, strict=True)]
        yield (
            tap,
            tuple(
                slice(a, a + s * (n - 1) + 1, s)
                for a, s, n in zip(starts, stride, out, strict=True)
            ),
        )


def zeros_around(
    xp: Any,
    shape: Shape,
    dtype: Any,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    out: Shape,
) -> tuple[Array, Array]:
    """Zeros that hold all windows of an array of ``shape``, and the part that is the array."""
    space = shape[2:]
    ends = _ends(space, kernel, stride, dilate, pad, out)
    whole = [b + n + e for b, n, e in zip(pad, space, ends, strict=True)]
    full = xp.zeros((*shape[:2], *whole), dtype)
    return full, full[(..., *(slice(b, b + n) for b, n in zip(pad, space, strict=True)))]


def _ends(
    space: Shape, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape, out: Shape
) -> list[int]:
    """How far the last window reaches over the end, along each axis."""
    return [
        max(0, (o - 1) * s + d * (k - 1) + 1 - b - n)
        for n, k, s, d, b, o in zip(space, kernel, stride, dilate, pad, out, strict=True)
    ]
