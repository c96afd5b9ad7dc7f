"""Convolution as a matrix product of filters and patches."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from symgraph.kernels import kernel
from symgraph.kernels.window import padded, taps, windows, zeros_around
from symgraph.storage import Array, Shape

_PATCH_ELEMENTS = 1 << 22
"""About how many elements of patches are held at a time: they are many times the data."""


@kernel
def im2col(
    xp, data: Array, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape, out: Shape
) -> Array:
    """Patches under every window, zero outside the data.

    Shapes: data (N, C, *space), result (N, C, *kernel, *out).
    """
    whole = padded(xp, data, kernel, stride, dilate, pad, out)
    view = windows(xp, whole, kernel, stride, dilate, out)
    rank = len(kernel)
    axes = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    return xp.ascontiguousarray(view.transpose(axes))


@kernel
def col2im(
    xp, columns: Array, space: Shape, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape
) -> Array:
    """Add patches up where they lie: the adjoint of :func:`im2col`.

    Shapes: columns (N, C, *kernel, *out), result (N, C, *space).
    """
    shape, out = (*columns.shape[:2], *space), columns.shape[2 + len(kernel) :]
    full, inner = zeros_around(xp, shape, columns.dtype, kernel, stride, dilate, pad, out)
    for tap, where in taps(kernel, stride, dilate, out):
        full[(..., *where)] += columns[(slice(None), slice(None), *tap)]
    return inner


@kernel
def convolve(
    xp, data: Array, weight: Array, stride: Shape, dilate: Shape, pad: Shape, groups: int
) -> Array:
    """Cross-correlation.

    Shapes: data (N, C, *space), weight (F, C / groups, *kernel), result (N, F, *out).
    """
    kernel = weight.shape[2:]
    out = _positions(data.shape[2:], kernel, stride, dilate, pad)
    result = xp.empty((data.shape[0], weight.shape[0], *out), data.dtype)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    for part in _parts(data, kernel, out):
        patches = _patches(xp, data[part], kernel, stride, dilate, pad, out)
        patches = patches.reshape(patches.shape[0], groups, -1, prod(out))
        target = result[part].reshape(patches.shape[0], groups, filters.shape[1], prod(out))
        xp.matmul(filters, patches, target)
    return result


@kernel
def convolve_data_gradient(
    xp,
    dout: Array,
    weight: Array,
    space: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    groups: int,
) -> Array:
    """Gradient of :func:`convolve` with respect to data; also a transposed convolution.

    Shapes: dout (N, F, *out), weight (F, C / groups, *kernel), result (N, C, *space).
    """
    kernel, out = weight.shape[2:], dout.shape[2:]
    channels = weight.shape[1] * groups
    result = xp.empty((dout.shape[0], channels, *space), dout.dtype)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1).swapaxes(1, 2)
    for part in _parts(result, kernel, out):
        d = dout[part].reshape(-1, groups, filters.shape[2], prod(out))
        columns = xp.matmul(filters, d).reshape(d.shape[0], channels, *kernel, *out)
        result[part] = col2im(columns, space, kernel, stride, dilate, pad)
    return result


@kernel
def convolve_weight_gradient(
    xp,
    dout: Array,
    data: Array,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    groups: int,
) -> Array:
    """Gradient of :func:`convolve` with respect to weight.

    Shapes: dout (N, F, *out), data (N, C, *space), result (F, C / groups, *kernel).
    """
    filters, out = dout.shape[1], dout.shape[2:]
    width = data.shape[1] // groups * prod(kernel)
    result = xp.zeros((groups, filters // groups, width), dout.dtype)
    for part in _parts(data, kernel, out):
        d = dout[part].reshape(-1, groups, filters // groups, prod(out))
        patches = _patches(xp, data[part], kernel, stride, dilate, pad, out)
        patches = patches.reshape(d.shape[0], groups, width, prod(out))
        result += xp.matmul(d, patches.swapaxes(2, 3)).sum(0)
    return result.reshape(filters, -1, *kernel)


def _patches(
    xp: Any, data: Array, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape, out: Shape
) -> Array:
    """:func:`im2col`, without a copy where a patch is one element."""
    if prod(kernel) > 1 or any(pad):
        return im2col(data, kernel, stride, dilate, pad, out)
    steps = (slice(None, s * (n - 1) + 1, s) for s, n in zip(stride, out, strict=True))
    return data[(..., *steps)]


def _positions(space: Shape, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape) -> Shape:
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(space, kernel, stride, dilate, pad, strict=True)
    )


def _parts(data: Array, kernel: Shape, out: Shape) -> Iterator[slice]:
    """Slices of samples whose patches together are of a good size."""
    each = data.shape[1] * prod(kernel) * prod(out)
    step = max(1, _PATCH_ELEMENTS // max(each, 1))
    return (slice(i, i + step) for i in range(0, data.shape[0], step))
