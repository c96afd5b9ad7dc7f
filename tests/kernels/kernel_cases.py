"""What to call each kernel with, and what it must do, said in plain loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgraph.kernels import Kernel, reduce, scatter, segment, sparse, update

ROWS, WIDTH = 37, 5


@dataclass(frozen=True)
class Case:
    """``make(rng, dtype, index_dtype, count)`` gives the arguments.

    ``expect`` is a function of copies of them, with the meaning of the kernel; its results are
    compared with the kernel's, and so are the arrays it changed.
    """

    kernel: Kernel[..., Any]
    make: Callable[..., list[Any]]
    expect: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.kernel.__name__


def _floats(rng: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


def _ids(rng: np.random.Generator, index_dtype: Any, count: int) -> np.ndarray:
    return rng.integers(0, ROWS, count).astype(index_dtype)


def _some_rows(rng: np.random.Generator, index_dtype: Any, count: int) -> np.ndarray:
    return np.sort(rng.permutation(ROWS)[:count]).astype(index_dtype)


# ---- rows ------------------------------------------------------------------------------------


def _table_index_rows(rng, dtype, index_dtype, count):
    return [
        _floats(rng, dtype, ROWS, WIDTH),
        _ids(rng, index_dtype, count),
        _floats(rng, dtype, count, WIDTH),
    ]


def _distinct_table_index_rows(rng, dtype, index_dtype, count):
    index = rng.permutation(_some_rows(rng, index_dtype, count))
    return [_floats(rng, dtype, ROWS, WIDTH), index, _floats(rng, dtype, index.size, WIDTH)]


def _scatter_add(dst, index, src):
    wide = dst.astype(np.float64)
    for i, row in enumerate(index):
        wide[row] += src[i]
    dst[...] = wide


def _take_rows(table, index, out):
    for i, row in enumerate(index):
        out[i] = table[row]


def _put_rows(dst, index, src):
    for i, row in enumerate(index):
        dst[row] = src[i]


# ---- merged rows -----------------------------------------------------------------------------


def _index_only(num_rows):
    def make(rng, dtype, index_dtype, count):
        return [_ids(rng, index_dtype, count), num_rows]

    return make


def _index_and_rows(num_rows):
    def make(rng, dtype, index_dtype, count):
        return [_ids(rng, index_dtype, count), _floats(rng, dtype, count, WIDTH), num_rows]

    return make


def _unique_rows(index, num_rows):
    rows = sorted(set(index.tolist()))
    slot = [rows.index(i) for i in index.tolist()]
    return np.array(rows, np.int64), np.array(slot, np.int32)


def _unique_rows_sum(index, src, num_rows):
    rows, slot = _unique_rows(index, num_rows)
    sums = np.zeros((rows.size, WIDTH))
    for i, s in enumerate(slot):
        sums[s] += src[i]
    return rows, sums.astype(src.dtype)


def _unique_rows_padded(index, num_rows):
    rows, slot = _unique_rows(index, num_rows)
    padding = np.full(index.size - rows.size, rows[-1] if rows.size else 0)
    return np.concatenate([rows, padding]), slot


def _unique_rows_sum_padded(index, src, num_rows):
    rows, sums = _unique_rows_sum(index, src, num_rows)
    padding = np.full(index.size - rows.size, rows.size - 1)
    last = np.concatenate([np.arange(rows.size), padding])
    return rows[last], sums[last]


# ---- csr -------------------------------------------------------------------------------------


def _csr(rng, dtype, index_dtype, count):
    lengths = np.bincount(rng.integers(0, 7, count), minlength=7)
    lengths[2] = 0
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index_dtype)
    nnz = int(indptr[-1])
    return [_floats(rng, dtype, nnz), _ids(rng, index_dtype, nnz), indptr]


def _csr_times(width):
    def make(rng, dtype, index_dtype, count):
        return [
            *_csr(rng, dtype, index_dtype, count),
            _floats(rng, dtype, ROWS, *width),
            _floats(rng, dtype, 7, *width),
        ]

    return make


def _csr_transposed_times(width, into=True):
    def make(rng, dtype, index_dtype, count):
        last = _floats(rng, dtype, ROWS, *width) if into else ROWS
        return [*_csr(rng, dtype, index_dtype, count), _floats(rng, dtype, 7, *width), last]

    return make


def _dense(data, indices, indptr):
    matrix = np.zeros((indptr.size - 1, ROWS))
    for i in range(indptr.size - 1):
        for j in range(indptr[i], indptr[i + 1]):
            matrix[i, indices[j]] += data[j]
    return matrix


def _csr_dot(data, indices, indptr, dense, out):
    out[...] = np.tensordot(_dense(data, indices, indptr), dense.astype(np.float64), 1)


def _csr_dot_transposed_dense(data, indices, indptr, dense, out):
    out[...] = np.tensordot(_dense(data, indices, indptr).T, dense.astype(np.float64), 1)


def _csr_dot_transposed(data, indices, indptr, dense, num_cols):
    whole = np.zeros((num_cols, *dense.shape[1:]), dense.dtype)
    _csr_dot_transposed_dense(data, indices, indptr, dense, whole)
    rows = np.unique(indices).astype(np.int64)
    return rows, whole[rows]


def _lookup(rng, dtype, index_dtype, count):
    return [_some_rows(rng, index_dtype, 20), _ids(rng, index_dtype, count)]


def _ascending_lookup(rng, dtype, index_dtype, count):
    return [_some_rows(rng, index_dtype, 20), np.sort(_ids(rng, index_dtype, count))]


def _row_positions(rows, wanted):
    known = rows.tolist()
    return np.array([known.index(w) if w in known else -1 for w in wanted.tolist()], np.int64)


# ---- sums --------------------------------------------------------------------------------------


def _table_and_sums(width):
    def make(rng, dtype, index_dtype, count):
        return [_floats(rng, dtype, 20 * count, width), _floats(rng, dtype, 20 * count)]

    return make


def _sum_rows(data, out):
    for i, row in enumerate(data.astype(np.float64)):
        out[i] = sum(row)


# ---- optimizer steps: golden values are checked in test_update.py -----------------------------


def _rows_step(states, *options):
    def make(rng, dtype, index_dtype, count):
        rows = _some_rows(rng, index_dtype, count)
        tables = [_floats(rng, dtype, ROWS, WIDTH)]
        tables += [abs(_floats(rng, dtype, ROWS, WIDTH)) for _ in range(states)]
        return [*tables, rows, _floats(rng, dtype, rows.size, WIDTH), *options]

    return make


def _dense_step(states, *options):
    def make(rng, dtype, index_dtype, count):
        shape = (count, 3, 7)
        tables = [_floats(rng, dtype, *shape)]
        tables += [abs(_floats(rng, dtype, *shape)) for _ in range(states)]
        return [*tables, _floats(rng, dtype, *shape), *options]

    return make


def _each_number(kernel, states):
    """The kernel applied to one row of one double at a time."""

    def expect(*args):
        arrays, options = args[: states + 2], args[states + 2 :]
        one_row = np.zeros(1, np.int64)
        for place in np.ndindex(arrays[0].shape):
            cells = [np.array([[a[place]]], np.float64) for a in arrays]
            rounded = [float(arrays[0].dtype.type(o)) if o is not None else None for o in options]
            kernel.reference(np, *cells[:-1], one_row, cells[-1], *rounded)
            for array, cell in zip(arrays[:-1], cells, strict=False):
                array[place] = cell[0, 0]

    return expect


def _each_number_of_rows(kernel, states):
    dense = _each_number(kernel, states)

    def expect(*args):
        tables, rows, rest = args[: states + 1], args[states + 1], args[states + 2 :]
        picked = [t[rows] for t in tables]
        dense(*picked, *rest)
        for table, values in zip(tables, picked, strict=True):
            table[rows] = values

    return expect


def _steps(kernel, states, *options, dense=None):
    yield Case(kernel, _rows_step(states, *options), _each_number_of_rows(kernel, states))
    if dense is not None:
        yield Case(dense, _dense_step(states, *options), _each_number(kernel, states))


MANY_ROWS = 1 << 20

CASES: Sequence[Case] = [
    Case(scatter.scatter_add, _table_index_rows, _scatter_add),
    Case(scatter.take_rows, _table_index_rows, _take_rows),
    Case(scatter.put_rows, _distinct_table_index_rows, _put_rows),
    Case(segment.unique_rows, _index_only(ROWS), _unique_rows),
    Case(segment.unique_rows, _index_only(MANY_ROWS), _unique_rows),
    Case(segment.unique_rows, _index_only(1 << 62), _unique_rows),
    Case(segment.unique_rows_sum, _index_and_rows(ROWS), _unique_rows_sum),
    Case(segment.unique_rows_sum, _index_and_rows(MANY_ROWS), _unique_rows_sum),
    Case(segment.unique_rows_padded, _index_only(ROWS), _unique_rows_padded),
    Case(segment.unique_rows_sum_padded, _index_and_rows(ROWS), _unique_rows_sum_padded),
    Case(sparse.csr_dot, _csr_times((WIDTH,)), _csr_dot),
    Case(sparse.csr_dot, _csr_times((1,)), _csr_dot),
    Case(sparse.csr_dot, _csr_times(()), _csr_dot),
    Case(
        sparse.csr_dot_transposed, _csr_transposed_times((WIDTH,), into=False), _csr_dot_transposed
    ),
    Case(sparse.csr_dot_transposed, _csr_transposed_times((1,), into=False), _csr_dot_transposed),
    Case(
        sparse.csr_dot_transposed_dense,
        _csr_transposed_times((2, 3)),
        _csr_dot_transposed_dense,
    ),
    Case(reduce.sum_rows, _table_and_sums(67), _sum_rows),
    Case(reduce.sum_rows, _table_and_sums(1), _sum_rows),
    Case(sparse.row_positions, _lookup, _row_positions),
    Case(sparse.row_positions, _ascending_lookup, _row_positions),
    *_steps(update.sgd_rows, 0, 0.1, 0.3, 2.0, 0.5, dense=update.sgd_dense),
    *_steps(update.sgd_rows, 0, 0.1, 0.0, 1.0, None, dense=update.sgd_dense),
    *_steps(update.sgd_mom_rows, 1, 0.1, 0.3, 0.9, 2.0, 0.5, dense=update.sgd_mom_dense),
    *_steps(update.sgd_mom_rows, 1, 0.1, 0.3, 0.9, 2.0, -1.0, dense=update.sgd_mom_dense),
    *_steps(update.adam_rows, 2, 0.1, 0.3, 0.9, 0.99, 1e-2, 2.0, 0.5, dense=update.adam_dense),
    *_steps(update.adam_rows, 2, 0.1, 0.3, 0.9, 0.99, 1e-2, 2.0, None, dense=update.adam_dense),
    *_steps(update.adagrad_rows, 1, 0.1, 0.3, 1e-2, 2.0, 0.5),
    *_steps(update.ftrl_rows, 2, 0.1, 0.3, 0.05, 1.3, 2.0, 0.5),
]

TOLERANCE = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-12}


def equal(got, wanted, dtype):
    """Assert that results are of one type and shape, and near each other."""
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted, strict=True):
            equal(g, w, dtype)
    elif isinstance(wanted, np.ndarray):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        limit = TOLERANCE[dtype]
        np.testing.assert_allclose(
            got.astype(np.float64), wanted.astype(np.float64), rtol=limit, atol=limit
        )
    else:
        assert got == wanted
