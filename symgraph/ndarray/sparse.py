"""``mx.nd.sparse``: row_sparse and csr arrays, and the operators with sparse bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.context import Context, current_context
from symgraph.dtypes import dtype_name
from symgraph.errors import ShapeError, StorageError
from symgraph.ndarray.canonical import canonical_csr, canonical_rows, coo_to_csr, index_array
from symgraph.ndarray.convert import backend_of, empty_sparse, from_host, host_array
from symgraph.ndarray.creation import array as _dense_array
from symgraph.ndarray.creation import shape_of
from symgraph.ndarray.creation import zeros as _dense_zeros
from symgraph.ndarray.elementwise import add, divide, multiply, subtract
from symgraph.ndarray.functions import namespace_getattr, operator_names
from symgraph.ndarray.ndarray import NDArray
from symgraph.ndarray.sparse_arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from symgraph.storage import CSR, RowSparse, Shape

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "csr_matrix",
    "divide",
    "empty",
    "multiply",
    "retain",
    "row_sparse_array",
    "subtract",
    "zeros",
]

__getattr__ = namespace_getattr("sparse")


def csr_matrix(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> CSRNDArray:
    """A csr matrix. Columns may come in any order; repeated ones are summed.

    Parameters
    ----------
    arg1 : (data, indices, indptr), (data, (row, column)), (rows, columns), or any matrix
        The three arrays of the format; coordinates; a shape, for a matrix that stores nothing; or
        a dense, csr or SciPy matrix.
    shape : tuple of int, optional
        By default as large as the indices need.
    dtype : optional
        By default that of the data if it is an array, else float32.

    Raises
    ------
    ShapeError
        If the arrays contradict each other or an index is out of range.
    """
    if isinstance(arg1, tuple) and len(arg1) == 3:
        return _csr_of_parts(*arg1, shape, ctx, dtype)
    if isinstance(arg1, tuple) and len(arg1) == 2:
        if isinstance(arg1[1], tuple | list):
            data, (rows, columns) = _numbers(arg1[0], dtype), map(_indices, arg1[1])
            target = _shape_or(shape, (_length(rows), _length(columns)))
            return _placed(coo_to_csr(data, rows, columns, target), ctx)
        return _placed(empty_sparse("csr", shape_of(arg1), dtype_name(dtype), np), ctx)
    if hasattr(arg1, "tocsr"):
        matrix: Any = arg1.tocsr()  # pyright: ignore[reportAttributeAccessIssue]  SciPy's
        return _csr_of_parts(
            matrix.data, matrix.indices, matrix.indptr, shape or matrix.shape, ctx, dtype
        )
    return _converted("csr", arg1, shape, ctx, dtype)


def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> RowSparseNDArray:
    """A row_sparse array. Rows may come in any order; rows of one number are summed.

    Parameters
    ----------
    arg1 : (data, indices), a shape, or any array
        The rows and their numbers; a shape, for an array that stores nothing; or a dense or
        row_sparse array.
    shape : tuple of int, optional
        By default as large as the indices need.
    dtype : optional
        By default that of the data if it is an array, else float32.

    Raises
    ------
    ShapeError
        If the arrays contradict each other or an index is out of range.
    """
    if isinstance(arg1, tuple) and all(isinstance(n, int | np.integer) for n in arg1):
        return _placed(empty_sparse("row_sparse", shape_of(arg1), dtype_name(dtype), np), ctx)
    if isinstance(arg1, tuple):
        if len(arg1) != 2:
            raise ShapeError(f"row_sparse_array takes (data, indices), but {len(arg1)} items came")
        data, rows = _numbers(arg1[0], dtype), _indices(arg1[1])
        target = _shape_or(shape, (_length(rows), *data.shape[1:]))
        return _placed(canonical_rows(data, rows, target), ctx)
    return _converted("row_sparse", arg1, shape, ctx, dtype)


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names("sparse")})


def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **_: Any) -> Any:
    """An array of zeros that stores nothing, or a dense one for ``stype="default"``.

    Raises
    ------
    StorageError, ShapeError
    """
    if stype == "default":
        return _dense_zeros(shape, ctx, dtype)
    ctx = ctx or current_context()
    backend = backend_of(ctx)
    with backend.on_device(ctx.device_id):
        value = empty_sparse(stype, shape_of(shape), dtype_name(dtype), backend.xp)
    return _wrapped(value, ctx)


empty = zeros


def retain(data: RowSparseNDArray, indices: Any) -> RowSparseNDArray:
    """Only the rows of ``data`` whose numbers are in ``indices``.

    Raises
    ------
    StorageError
        If ``data`` is not row_sparse.
    """
    if not isinstance(data, RowSparseNDArray):
        raise StorageError(f"retain: data is {data.stype}, but row_sparse is required")
    return data.retain(indices)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """A copy of a sparse array or SciPy matrix, of the same storage type.

    Raises
    ------
    ValueError
        If the source is dense: the dense ``nd.array`` is meant.
    """
    if isinstance(source_array, BaseSparseNDArray):
        copied = source_array.copyto(ctx or current_context())
        return copied if dtype is None else copied.astype(dtype, copy=False)
    if hasattr(source_array, "tocsr"):
        return csr_matrix(source_array, ctx=ctx, dtype=dtype)
    raise ValueError("sparse.array takes a sparse array; use nd.array for a dense one")


# ---- parts --------------------------------------------------------------------------


def _csr_of_parts(
    data: Any, indices: Any, indptr: Any, shape: Any, ctx: Context | None, dtype: Any
) -> CSRNDArray:
    columns, starts = _indices(indices), _indices(indptr)
    target = _shape_or(shape, (max(starts.size - 1, 0), _length(columns)))
    return _placed(canonical_csr(_numbers(data, dtype), columns, starts, target), ctx)


def _converted(stype: str, source: Any, shape: Any, ctx: Context | None, dtype: Any) -> Any:
    """A dense array, or one of this storage type, on ``ctx`` with ``dtype``."""
    if not isinstance(source, NDArray):
        source = _dense_array(source, ctx, dtype or getattr(source, "dtype", None))
    if shape is not None and shape_of(shape) != source.shape:
        raise ShapeError(f"shape {shape_of(shape)} came for an array of shape {source.shape}")
    found = source.copyto(ctx or current_context()).tostype(stype)
    return found if dtype is None else found.astype(dtype, copy=False)


def _numbers(data: Any, dtype: Any) -> np.ndarray:
    """A host copy of the stored elements; the type of a list is float32."""
    if isinstance(data, NDArray):
        data = data.asnumpy()
    kept = data.dtype if isinstance(data, np.ndarray) else None
    return np.array(host_array(data), dtype_name(kept if dtype is None else dtype))


def _indices(numbers: Any) -> np.ndarray:
    host = numbers.asnumpy() if isinstance(numbers, NDArray) else numbers
    return index_array(host, "sparse indices").copy()


def _shape_or(shape: Any, needed: Shape) -> Shape:
    return needed if shape is None else shape_of(shape)


def _length(numbers: np.ndarray) -> int:
    return int(numbers.max()) + 1 if numbers.size else 0


def _placed(value: RowSparse | CSR, ctx: Context | None) -> Any:
    ctx = ctx or current_context()
    return _wrapped(from_host(value, ctx), ctx)


def _wrapped(value: Any, ctx: Context) -> Any:
    return (CSRNDArray if isinstance(value, CSR) else RowSparseNDArray)(value, ctx)
