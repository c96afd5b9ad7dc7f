"""Parts of a csr matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.errors import StorageError
from symgraph.ndarray.canonical import index_array
from symgraph.ndarray.convert import csr_row_numbers
from symgraph.storage import CSR, Array


def select(value: CSR, rows: Any, columns: Any, xp: Any) -> CSR:
    """``value[rows, columns]``, where each is an integer, a slice or a list of integers.

    An integer keeps its axis, with length one.

    Raises
    ------
    IndexError
        If an index is out of range.
    StorageError
        If a column is asked for twice.
    """
    return _columns(_rows(value, rows, xp), columns, xp)


def _numbers(key: Any, length: int) -> range | np.ndarray:
    """The row or column numbers that ``key`` means."""
    if isinstance(key, slice):
        return range(*key.indices(length))
    if isinstance(key, int | np.integer):
        if not -length <= key < length:
            raise IndexError(f"index {key} is out of range for length {length}")
        return range(key % length, key % length + 1)
    if key is None or key is Ellipsis or isinstance(key, str | float):
        raise IndexError(f"{key!r} cannot index a csr matrix; integers, slices and lists can")
    if np.asarray(key).dtype == bool:
        key = np.flatnonzero(key)
    numbers = index_array(key, "csr index")
    bad = (numbers < -length) | (numbers >= length)
    if bad.any():
        raise IndexError(f"index {numbers[bad][0]} is out of range for length {length}")
    return numbers % length if length else numbers


def _rows(value: CSR, key: Any, xp: Any) -> CSR:
    numbers = _numbers(key, value.shape[0])
    if isinstance(numbers, range) and numbers.step == 1:
        return _row_range(value, numbers)
    rows = xp.asarray(np.asarray(numbers, np.int64))
    counts = value.indptr[rows + 1] - value.indptr[rows]
    indptr = _starts(counts, xp)
    stored = xp.arange(int(indptr[-1]))
    row = xp.searchsorted(indptr[1:], stored, side="right")
    source = stored - indptr[row] + value.indptr[rows[row]]
    shape = (len(numbers), value.shape[1])
    return CSR(value.data[source], value.indices[source], indptr, shape)


def _row_range(value: CSR, rows: range) -> CSR:
    indptr = value.indptr[rows.start : rows.start + len(rows) + 1]
    first, last = int(indptr[0]), int(indptr[-1])
    shape = (len(rows), value.shape[1])
    data, indices = value.data[first:last].copy(), value.indices[first:last].copy()
    return CSR(data, indices, indptr - first, shape)


def _columns(value: CSR, key: Any, xp: Any) -> CSR:
    width = value.shape[1]
    numbers = _numbers(key, width)
    if isinstance(numbers, range) and numbers == range(width):
        return value
    wanted = np.asarray(numbers, np.int64)
    if np.unique(wanted).size != wanted.size:
        raise StorageError("csr: a column may be asked for only once")
    place = np.full(width, -1)
    place[wanted] = np.arange(wanted.size)
    columns = xp.asarray(place)[value.indices]
    kept = columns >= 0
    indptr = _starts(kept, xp)[value.indptr]
    shape = (value.shape[0], wanted.size)
    found = CSR(value.data[kept], columns[kept], indptr, shape)
    return found if (np.diff(wanted) > 0).all() else _ascending(found, xp)


def _ascending(value: CSR, xp: Any) -> CSR:
    """Columns in order within each row."""
    order = xp.argsort(csr_row_numbers(value, xp) * value.shape[1] + value.indices)
    return CSR(value.data[order], value.indices[order], value.indptr, value.shape)


def _starts(counts: Array, xp: Any) -> Array:
    """0 and the running sums."""
    starts = xp.zeros(counts.shape[0] + 1, "int64")
    starts[1:] = xp.cumsum(counts)
    return starts
