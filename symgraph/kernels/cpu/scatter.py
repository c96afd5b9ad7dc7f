"""Compiled bodies of :mod:`symgraph.kernels.scatter`."""

from __future__ import annotations

import numpy as np

from symgraph.kernels.cpu.jit import as_index, as_rows, compiles, jit, prefetch
from symgraph.kernels.cpu.threads import PARTS, claim, run, run_owned
from symgraph.kernels.scatter import check_rows, put_rows, require_rows, scatter_add, take_rows

_AHEAD = 8  # rows asked for before they are read
_LINE = 64  # bytes
_SMALL = 1 << 16  # bytes that NumPy moves as fast; its code need not be compiled first


@check_rows.register(np.ndarray)
def _(index, num_rows):
    flat = as_index(index)
    if not flat.size:
        return -1
    unsigned = flat.view(np.uint32 if flat.itemsize == 4 else np.uint64)  # negative ones are huge
    return (
        -1 if np.maximum.reduce(unsigned) < num_rows else check_rows.reference(np, flat, num_rows)
    )


@jit
def _take(job, table, index, out):
    n, width = out.shape
    step = _LINE // out.itemsize
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            coming = index[min(i + _AHEAD, stop - 1)] * width
            for k in range(0, width, step):
                prefetch(table, coming + k)
            r = index[i]
            for k in range(width):
                out[i, k] = table[r, k]
        part = claim(job, part)


@take_rows.register(np.ndarray)
def _(table, index, out):
    rows, gathered = as_rows(table), as_rows(out, index.ndim)
    fits = out.shape == (*index.shape, *table.shape[1:]) and compiles(table, out)
    if rows is None or gathered is None or not fits:
        return take_rows.reference(np, table, index, out)
    require_rows("take_rows", index, table.shape[0])
    if gathered.nbytes <= _SMALL:
        # "clip" changes nothing here, and spares NumPy a copy of what it would have to undo
        np.take(rows, as_index(index), axis=0, out=gathered, mode="clip")
        return None
    return run(_take, gathered.nbytes, rows, as_index(index), gathered)


@jit
def _put(dst, index, src):
    for i in range(index.size):
        r = index[i]
        for k in range(dst.shape[1]):
            dst[r, k] = src[i, k]


@put_rows.register(np.ndarray)
def _(dst, index, src):
    rows, values = as_rows(dst), as_rows(src, index.ndim)
    fits = src.shape == (*index.shape, *dst.shape[1:]) and compiles(dst, src)
    if rows is None or values is None or not fits:
        return put_rows.reference(np, dst, index, src)
    require_rows("put_rows", index, dst.shape[0])
    return _put(rows, as_index(index), values)


@jit
def _add(job, dst, index, src):
    n, width = src.shape
    step = _LINE // dst.itemsize
    mask = job[PARTS] - 1
    part = claim(job, -1)
    while part >= 0:
        for i in range(n):
            coming = index[min(i + _AHEAD, n - 1)]
            if (coming >> 4) & mask == part:
                for k in range(0, width, step):
                    prefetch(dst, coming * width + k)
            r = index[i]
            if (r >> 4) & mask == part:  # 16 rows side by side belong to one thread
                for k in range(width):
                    dst[r, k] += src[i, k]
        part = claim(job, part)


@scatter_add.register(np.ndarray)
def _(dst, index, src):
    rows, values = as_rows(dst), as_rows(src, index.ndim)
    fits = src.shape == (*index.shape, *dst.shape[1:]) and compiles(dst, src)
    if rows is None or values is None or not fits:
        return scatter_add.reference(np, dst, index, src)
    require_rows("scatter_add", index, dst.shape[0])
    return run_owned(_add, values.nbytes, rows, as_index(index), values)
