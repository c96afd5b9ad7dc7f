"""Compiled bodies of :mod:`symgraph.kernels.pool`.

Bodies see (planes, depth, height, width), axes that data does not have being of length one. They
read no padding: the taps of a window outside the data are skipped. A plane belongs to one thread.
"""

from __future__ import annotations

from math import prod

import numpy as np

from symgraph.kernels.cpu.jit import compiles, jit
from symgraph.kernels.cpu.threads import PARTS, claim, run
from symgraph.kernels.pool import max_pool, max_pool_gradient, sum_pool, sum_pool_gradient


@jit
def _update(line, tap, offset, stride, best, places):
    """Let the elements that a tap meets, ``offset`` from the start of each window, compete."""
    first = max(0, -(offset // stride))
    last = min(best.size, (line.size - 1 - offset) // stride + 1)
    for k in range(first, last):
        value, before = line[k * stride + offset], best[k]
        # without a branch: random data make it unpredictable
        better = (value > before) | (value != value)
        best[k] = value if better else before
        places[k] = tap if better else places[k]


@jit
def _max(job, data, kernel, stride, pad, lowest, out, places):
    count, depth, height, _ = out.shape
    part = claim(job, -1)
    while part >= 0:
        for n in range(count * part // job[PARTS], count * (part + 1) // job[PARTS]):
            plane = data[n]
            for i in range(depth):
                z = i * stride[0] - pad[0]
                for j in range(height):
                    y = j * stride[1] - pad[1]
                    best, place = out[n, i, j], places[n, i, j]
                    best[:] = lowest
                    place[:] = -1
                    for a in range(max(z, 0), min(z + kernel[0], plane.shape[0])):
                        for b in range(max(y, 0), min(y + kernel[1], plane.shape[1])):
                            tap = ((a - z) * kernel[1] + b - y) * kernel[2]
                            for c in range(kernel[2]):
                                _update(plane[a, b], tap + c, c - pad[2], stride[2], best, place)
        part = claim(job, part)


@max_pool.register(np.ndarray)
def _(data, kernel, stride, pad, out):
    if not compiles(data) or data.dtype.kind != "f":
        return max_pool.reference(np, data, kernel, stride, pad, out)
    result = np.empty((*data.shape[:2], *out), data.dtype)
    places = np.empty(result.shape, np.int32)
    lowest = np.finfo(data.dtype).min
    window = _three(kernel, 1), _three(stride, 1), _three(pad, 0)
    nbytes = result.nbytes * prod(kernel)
    run(_max, nbytes, _planes(data), *window, lowest, _planes(result), _planes(places))
    return result, places


@jit
def _max_gradient(job, dout, places, kernel, stride, pad, grad):
    count, depth, height, width = dout.shape
    part = claim(job, -1)
    while part >= 0:
        for n in range(count * part // job[PARTS], count * (part + 1) // job[PARTS]):
            grad[n] = 0
            for i in range(depth):
                for j in range(height):
                    for k in range(width):
                        place = places[n, i, j, k]
                        if place >= 0:
                            z = i * stride[0] - pad[0] + place // (kernel[1] * kernel[2])
                            y = j * stride[1] - pad[1] + place // kernel[2] % kernel[1]
                            x = k * stride[2] - pad[2] + place % kernel[2]
                            grad[n, z, y, x] += dout[n, i, j, k]
        part = claim(job, part)


@max_pool_gradient.register(np.ndarray)
def _(dout, place, space, kernel, stride, pad):
    if not compiles(dout):
        return max_pool_gradient.reference(np, dout, place, space, kernel, stride, pad)
    grad = np.empty((*dout.shape[:2], *space), dout.dtype)
    window = _three(kernel, 1), _three(stride, 1), _three(pad, 0)
    nbytes = grad.nbytes + dout.nbytes
    run(_max_gradient, nbytes, _planes(dout), _planes(place), *window, _planes(grad))
    return grad


@jit
def _sum(job, data, kernel, stride, pad, out):
    count, depth, height, width = out.shape
    part = claim(job, -1)
    while part >= 0:
        for n in range(count * part // job[PARTS], count * (part + 1) // job[PARTS]):
            plane = data[n]
            for i in range(depth):
                z = i * stride[0] - pad[0]
                for j in range(height):
                    y = j * stride[1] - pad[1]
                    for k in range(width):
                        x = k * stride[2] - pad[2]
                        total = plane.dtype.type(0)
                        for a in range(max(z, 0), min(z + kernel[0], plane.shape[0])):
                            for b in range(max(y, 0), min(y + kernel[1], plane.shape[1])):
                                for c in range(max(x, 0), min(x + kernel[2], plane.shape[2])):
                                    total += plane[a, b, c]
                        out[n, i, j, k] = total
        part = claim(job, part)


@sum_pool.register(np.ndarray)
def _(data, kernel, stride, pad, out):
    # a wide window is summed more exactly, in pairs, by NumPy
    if not compiles(data) or prod(kernel) > 64:
        return sum_pool.reference(np, data, kernel, stride, pad, out)
    result = np.empty((*data.shape[:2], *out), data.dtype)
    window = _three(kernel, 1), _three(stride, 1), _three(pad, 0)
    run(_sum, result.nbytes * prod(kernel), _planes(data), *window, _planes(result))
    return result


@jit
def _sum_gradient(job, dout, kernel, stride, pad, grad):
    count, depth, height, width = dout.shape
    part = claim(job, -1)
    while part >= 0:
        for n in range(count * part // job[PARTS], count * (part + 1) // job[PARTS]):
            plane = grad[n]
            plane[:] = 0
            for i in range(depth):
                z = i * stride[0] - pad[0]
                for j in range(height):
                    y = j * stride[1] - pad[1]
                    for k in range(width):
                        x = k * stride[2] - pad[2]
                        for a in range(max(z, 0), min(z + kernel[0], plane.shape[0])):
                            for b in range(max(y, 0), min(y + kernel[1], plane.shape[1])):
                                for c in range(max(x, 0), min(x + kernel[2], plane.shape[2])):
                                    plane[a, b, c] += dout[n, i, j, k]
        part = claim(job, part)


@sum_pool_gradient.register(np.ndarray)
def _(dout, space, kernel, stride, pad):
    if not compiles(dout):
        return sum_pool_gradient.reference(np, dout, space, kernel, stride, pad)
    grad = np.empty((*dout.shape[:2], *space), dout.dtype)
    window = _three(kernel, 1), _three(stride, 1), _three(pad, 0)
    nbytes = grad.nbytes + dout.nbytes * prod(kernel)
    run(_sum_gradient, nbytes, _planes(dout), *window, _planes(grad))
    return grad


def _planes(array):
    """(N, C, *space) -> (N * C, depth, height, width), contiguous."""
    space = array.shape[2:]
    shape = (array.shape[0] * array.shape[1], *_three(space, 1))
    return np.ascontiguousarray(array).reshape(shape)


def _three(values, missing):
    return (*(missing,) * (3 - len(values)), *values)
