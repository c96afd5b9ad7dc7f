"""Sparse arrays in canonical order: indices ascending, without repetition and in range.

What users and files give comes in any order. It is put right once, on the host, so that no
operator ever has to look again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.errors import ShapeError, StorageError
from symgraph.storage import CSR, RowSparse, Shape


def canonical_rows(data: np.ndarray, indices: Any, shape: Shape) -> RowSparse:
    """Rows in ascending order; rows of the same number are summed.

    Shapes: data (n, *shape[1:]), indices (n,).

    Raises
    ------
    ShapeError
        If the shapes do not fit or a row number is out of range.
    """
    indices = index_array(indices, "row_sparse indices")
    if not shape:
        raise ShapeError("row_sparse: the shape is (), but at least one dimension is required")
    if data.size == 0 and indices.size == 0:
        data = data.reshape(0, *shape[1:])
    if data.shape != (indices.size, *shape[1:]):
        raise ShapeError(
            f"row_sparse: data has shape {data.shape}, but {(indices.size, *shape[1:])} is "
            f"required for {indices.size} rows of an array of shape {shape}"
        )
    _check_range("row_sparse: row", indices, shape[0])
    if indices.size > 1 and not (indices[1:] > indices[:-1]).all():
        indices, data = _sorted_sum(indices, data)
    return RowSparse(data, indices, shape)


def canonical_csr(data: np.ndarray, indices: Any, indptr: Any, shape: Shape) -> CSR:
    """Columns in ascending order within each row; repeated ones are summed.

    Shapes: data and indices (nnz,), indptr (shape[0] + 1,).

    Raises
    ------
    ShapeError
        If the shapes do not fit, indptr does not ascend or a column is out of range.
    """
    indices = index_array(indices, "csr indices")
    indptr = index_array(indptr, "csr indptr")
    if len(shape) != 2:
        raise ShapeError(f"csr: the shape is {shape}, but two dimensions are required")
    rows, columns = shape
    if data.shape != indices.shape:
        raise ShapeError(f"csr: {data.shape} values for {indices.shape} column numbers")
    if indptr.size != rows + 1:
        raise ShapeError(f"csr: indptr has {indptr.size} items, {rows + 1} are required")
    if indptr[0] != 0 or indptr[-1] != indices.size or (indptr[1:] < indptr[:-1]).any():
        raise ShapeError(
            f"csr: indptr must ascend from 0 to the number of values, {indices.size}, "
            f"but it goes from {indptr[0]} to {indptr[-1]}"
        )
    _check_range("csr: column", indices, columns)
    row_of = np.repeat(np.arange(rows), np.diff(indptr))
    ascending = (indices[1:] > indices[:-1]) | (row_of[1:] != row_of[:-1])
    if not ascending.all():
        return _csr_of(row_of, indices, data, shape)
    return CSR(data, indices, indptr, shape)


def coo_to_csr(data: np.ndarray, rows: Any, columns: Any, shape: Shape) -> CSR:
    """From coordinates; repeated ones are summed. Shapes: all three (nnz,).

    Raises
    ------
    ShapeError
        If the shapes do not fit or a coordinate is out of range.
    """
    rows, columns = index_array(rows, "csr rows"), index_array(columns, "csr columns")
    if not data.shape == rows.shape == columns.shape:
        raise ShapeError(
            f"csr: {data.shape} values for {rows.shape} row and {columns.shape} column numbers"
        )
    _check_range("csr: row", rows, shape[0])
    _check_range("csr: column", columns, shape[1])
    return _csr_of(rows, columns, data, shape)


def index_array(numbers: Any, what: str) -> np.ndarray:
    """``numbers`` as int64; floats are taken where they are whole, as MXNet's arrays hold them.

    Raises
    ------
    StorageError
        If they are no integers or not one-dimensional.
    """
    found = np.asarray(numbers)
    if found.ndim != 1:
        raise StorageError(f"{what}: shape {found.shape} came, one dimension is required")
    if found.dtype.kind not in "iuf" or (found.dtype.kind == "f" and (found % 1 != 0).any()):
        raise StorageError(f"{what}: integers are required, {found.dtype.name} values came")
    return found.astype(np.int64, copy=False)


def _check_range(what: str, numbers: np.ndarray, length: int) -> None:
    bad = (numbers < 0) | (numbers >= length)
    if bad.any():
        raise ShapeError(f"{what} {numbers[bad][0]} is out of range for length {length}")


def _csr_of(rows: np.ndarray, columns: np.ndarray, data: np.ndarray, shape: Shape) -> CSR:
    order = np.lexsort((columns, rows))
    rows, columns, data = rows[order], columns[order], data[order]
    new = np.ones(rows.size, bool)
    new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    if not new.all():
        data = np.add.reduceat(data, np.flatnonzero(new), dtype=data.dtype)
        rows, columns = rows[new], columns[new]
    indptr = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int64, copy=False)
    return CSR(data, columns, indptr, shape)


def _sorted_sum(indices: np.ndarray, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(indices, kind="stable")
    indices, data = indices[order], data[order]
    new = np.ones(indices.size, bool)
    new[1:] = indices[1:] != indices[:-1]
    if new.all():
        return indices, data
    return indices[new], np.add.reduceat(data, np.flatnonzero(new), axis=0, dtype=data.dtype)
