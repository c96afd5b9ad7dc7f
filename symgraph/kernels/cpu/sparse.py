"""Compiled bodies of :mod:`symgraph.kernels.sparse`."""

from __future__ import annotations

import numpy as np

from symgraph.kernels.cpu.jit import as_index, as_rows, compiles, jit, prefetch
from symgraph.kernels.cpu.threads import PARTS, claim, run, run_owned
from symgraph.kernels.scatter import require_rows
from symgraph.kernels.segment import unique_rows
from symgraph.kernels.sparse import (
    csr_dot,
    csr_dot_transposed,
    csr_dot_transposed_dense,
    require_indptr,
    row_positions,
)

_AHEAD = 16  # elements asked for before they are read


@jit
def _dot(job, data, indices, indptr, dense, out):
    rows, width = out.shape
    nnz = data.size
    part = claim(job, -1)
    while part >= 0:
        for i in range(rows * part // job[PARTS], rows * (part + 1) // job[PARTS]):
            if width == 1:
                total = dense.dtype.type(0)
                for j in range(indptr[i], indptr[i + 1]):
                    prefetch(dense, np.int64(indices[min(j + _AHEAD, nnz - 1)]))
                    total += data[j] * dense[indices[j], 0]
                out[i, 0] = total
            else:
                for k in range(width):
                    out[i, k] = 0
                for j in range(indptr[i], indptr[i + 1]):
                    prefetch(dense, np.int64(indices[min(j + _AHEAD, nnz - 1)]) * width)
                    for k in range(width):
                        out[i, k] += data[j] * dense[indices[j], k]
        part = claim(job, part)


@csr_dot.register(np.ndarray)
def _(data, indices, indptr, dense, out):
    rows, values = as_rows(out), as_rows(dense)
    fits = out.shape[1:] == dense.shape[1:] and out.shape[0] + 1 == indptr.size
    if rows is None or values is None or not fits or not compiles(data, dense, out):
        return csr_dot.reference(np, data, indices, indptr, dense, out)
    require_rows("csr_dot", indices, dense.shape[0])
    require_indptr("csr_dot", indptr, data.size)
    nbytes = data.nbytes * values.shape[1]
    columns, starts = as_index(indices), as_index(indptr)
    return run(_dot, nbytes, np.ascontiguousarray(data), columns, starts, values, rows)


@jit
def _add_transposed(job, data, slot, indptr, dense, sums):
    mask = job[PARTS] - 1
    width = dense.shape[1]
    part = claim(job, -1)
    while part >= 0:
        for i in range(dense.shape[0]):
            for j in range(indptr[i], indptr[i + 1]):
                s = slot[j]
                if (s >> 4) & mask == part:  # 16 rows side by side belong to one thread
                    if width == 1:
                        sums[s, 0] += data[j] * dense[i, 0]
                    else:
                        for k in range(width):
                            sums[s, k] += data[j] * dense[i, k]
        part = claim(job, part)


@csr_dot_transposed.register(np.ndarray)
def _(data, indices, indptr, dense, num_cols):
    values = as_rows(dense)
    fits = dense.shape[0] + 1 == indptr.size and indices.shape == data.shape
    if values is None or not fits or not compiles(data, dense):
        return csr_dot_transposed.reference(np, data, indices, indptr, dense, num_cols)
    require_indptr("csr_dot_transposed", indptr, data.size)
    rows, slot = unique_rows(indices, num_cols)
    sums = np.zeros((rows.size, values.shape[1]), dense.dtype)
    _run_transposed(data, slot, indptr, values, sums)
    return rows, sums.reshape(rows.size, *dense.shape[1:])


@csr_dot_transposed_dense.register(np.ndarray)
def _(data, indices, indptr, dense, out):
    values, sums = as_rows(dense), as_rows(out)
    fits = (
        dense.shape[0] + 1 == indptr.size
        and indices.shape == data.shape
        and out.shape[1:] == dense.shape[1:]
    )
    if values is None or sums is None or not fits or not compiles(data, dense, out):
        return csr_dot_transposed_dense.reference(np, data, indices, indptr, dense, out)
    require_rows("csr_dot_transposed_dense", indices, out.shape[0])
    require_indptr("csr_dot_transposed_dense", indptr, data.size)
    sums[...] = 0
    return _run_transposed(data, as_index(indices), indptr, values, sums)


def _run_transposed(data, slot, indptr, dense, sums) -> None:
    nbytes = data.nbytes * dense.shape[1]
    data, starts = np.ascontiguousarray(data), as_index(indptr)
    run_owned(_add_transposed, nbytes, data, slot, starts, dense, sums)


@jit
def _positions(rows, wanted, found):
    start = 0
    for i in range(wanted.size):
        want = wanted[i]
        if start == rows.size or rows[start] > want:
            start = 0  # not ascending: look from the beginning
        step, stop = 1, start
        while stop < rows.size and rows[stop] < want:
            start = stop + 1
            stop += step
            step *= 2
        stop = min(stop, rows.size)
        while start < stop:
            middle = (start + stop) >> 1
            if rows[middle] < want:
                start = middle + 1
            else:
                stop = middle
        found[i] = start if start < rows.size and rows[start] == want else -1


@row_positions.register(np.ndarray)
def _(rows, wanted):
    found = np.empty(wanted.size, np.int64)
    _positions(as_index(rows), as_index(wanted), found)
    return found.reshape(wanted.shape)
