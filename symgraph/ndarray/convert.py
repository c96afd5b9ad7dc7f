"""Values between storage types, and between devices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symgraph.backend import Backend, get_backend
from symgraph.context import Context
from symgraph.errors import AttributeValueError, MXNetError, ShapeError, StorageError
from symgraph.kernels.scatter import put_rows
from symgraph.storage import CSR, STYPES, Array, RowSparse, Shape, Value, stype_of


def backend_of(ctx: Context) -> Backend:
    """The backend whose arrays live on ``ctx``."""
    return get_backend(ctx.backend_name)


def share_memory(one: Context, other: Context) -> bool:
    """Whether arrays of both may be mixed: all CPU contexts lie in host memory."""
    return one == other or one.backend_name == other.backend_name == "cpu"


def require_one_memory(contexts: list[Context], what: str) -> None:
    """Refuse arrays of several devices.

    Raises
    ------
    MXNetError
        Naming two that differ.
    """
    first = contexts[0]
    for other in contexts[1:]:
        if not share_memory(first, other):
            raise MXNetError(
                f"{what}: arrays on {first} and {other} came, but all must be on one device; "
                f"move one with as_in_context"
            )


# ---- storage types ------------------------------------------------------------------


def dense_of(value: Value, xp: Any) -> Array:
    """``value`` as an array; a dense one is returned as it is."""
    if stype_of(value) == "default":
        return value
    out = xp.zeros(value.shape, value.dtype)
    fill(out, value, xp, cleared=True)
    return out


def fill(out: Array, value: Value, xp: Any, *, cleared: bool = False) -> None:
    """Write ``value`` into the array ``out`` of its shape, converting the element type.

    ``cleared`` says that ``out`` is all zeros.
    """
    if not isinstance(value, RowSparse | CSR):
        if value is not out:
            xp.copyto(out, value, casting="unsafe")
        return
    if not cleared:
        out[...] = 0
    data = value.data.astype(out.dtype, copy=False)
    if isinstance(value, RowSparse):
        put_rows(out, value.indices, data)
    else:
        out[csr_row_numbers(value, xp), value.indices] = data


def csr_row_numbers(value: CSR, xp: Any) -> Array:
    """The row of every stored element."""
    stored = xp.arange(value.data.shape[0])
    return xp.searchsorted(value.indptr[1:], stored, side="right")


def cast_storage(value: Value, stype: str, xp: Any) -> Value:
    """``value`` with storage type ``stype``; the same object where it has that already.

    Raises
    ------
    AttributeValueError
        If there is no such type.
    StorageError
        If there is no direct way to it.
    ShapeError
        If the shape does not allow it.
    """
    came = stype_of(value)
    if came == stype:
        return value
    if stype not in STYPES:
        raise _unknown(stype)
    if stype == "default":
        return dense_of(value, xp)
    if came != "default":
        raise StorageError(f"there is no direct way from {came} to {stype}; go through 'default'")
    return _rows_of_dense(value, xp) if stype == "row_sparse" else _csr_of_dense(value, xp)


def _unknown(stype: str) -> AttributeValueError:
    return AttributeValueError(f"unknown storage type {stype!r}; known are {', '.join(STYPES)}")


def _rows_of_dense(value: Array, xp: Any) -> RowSparse:
    if value.ndim == 0:
        raise ShapeError("row_sparse needs at least one dimension, but the shape is ()")
    used = (value != 0).reshape(value.shape[0], -1).any(axis=1)
    indices = xp.flatnonzero(used).astype("int64")
    return RowSparse(value[indices], indices, value.shape)


def _csr_of_dense(value: Array, xp: Any) -> CSR:
    if value.ndim != 2:
        raise ShapeError(f"csr needs two dimensions, but the shape is {value.shape}")
    used = value != 0
    rows, columns = xp.nonzero(used)
    indptr = xp.zeros(value.shape[0] + 1, "int64")
    indptr[1:] = xp.cumsum(used.sum(axis=1))
    return CSR(value[rows, columns], columns.astype("int64"), indptr, value.shape)


def empty_sparse(stype: str, shape: Shape, dtype: str, xp: Any) -> RowSparse | CSR:
    """An array of ``stype`` that stores nothing.

    Raises
    ------
    AttributeValueError
        If there is no such type.
    ShapeError
        If the shape does not allow it.
    """
    if stype == "row_sparse":
        if not shape:
            raise ShapeError("row_sparse needs at least one dimension, but the shape is ()")
        return RowSparse(xp.zeros((0, *shape[1:]), dtype), xp.zeros(0, "int64"), shape)
    if stype != "csr":
        raise _unknown(stype)
    if len(shape) != 2:
        raise ShapeError(f"csr needs two dimensions, but the shape is {shape}")
    starts = xp.zeros(shape[0] + 1, "int64")
    return CSR(xp.zeros(0, dtype), xp.zeros(0, "int64"), starts, shape)


def map_parts(value: Value, f: Any) -> Value:
    """``f`` applied to the array, or to each array of a sparse value."""
    if isinstance(value, RowSparse):
        return replace(value, data=f(value.data), indices=f(value.indices))
    if isinstance(value, CSR):
        parts = {"data": f(value.data), "indices": f(value.indices), "indptr": f(value.indptr)}
        return replace(value, **parts)
    return f(value)


# ---- devices ------------------------------------------------------------------------


def to_host(value: Value, ctx: Context) -> Value:
    """``value`` in host memory; on the CPU the arrays themselves."""
    return map_parts(value, backend_of(ctx).to_host)


def from_host(value: Value, ctx: Context) -> Value:
    """Host arrays on ``ctx``; on the CPU the arrays themselves."""
    backend = backend_of(ctx)
    with backend.on_device(ctx.device_id):
        return map_parts(value, backend.from_host)


def copy_to(value: Value, source: Context, target: Context) -> Value:
    """A copy of ``value`` on ``target``."""
    if source.backend_name != target.backend_name:
        return from_host(to_host(value, source), target)
    backend = backend_of(target)
    with backend.on_device(target.device_id):
        return map_parts(value, lambda part: backend.xp.array(part, copy=True, order="C"))


def host_array(source: Any) -> np.ndarray:
    """Whatever NumPy can read as numbers.

    Raises
    ------
    TypeError
        If it holds anything else, or rows of different lengths.
    """
    try:
        found = np.asarray(source)
    except ValueError as error:
        raise TypeError(f"an array like object is required: {error}") from None
    if found.dtype.kind not in "biuf":
        raise TypeError(f"an array of numbers is required, but {type(source).__name__} came")
    return found
