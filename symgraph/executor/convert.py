"""Dense copies of sparse values, and storing a result where it belongs."""

from __future__ import annotations

from typing import Any

from symgraph.errors import StorageError
from symgraph.kernels.scatter import put_rows
from symgraph.kernels.segment import unique_rows_sum
from symgraph.storage import CSR, Array, RowSparse, Value


def dense(value: Value, xp: Any) -> Array:
    """``value`` as an array; a dense one is returned as it is."""
    if not isinstance(value, RowSparse | CSR):
        return value
    if isinstance(value, RowSparse) and value.is_full:
        return value.data
    out = xp.zeros(value.shape, value.dtype)
    fill(out, value, xp)
    return out


def fill(out: Array, value: Value, xp: Any) -> None:
    """Write ``value`` into the array ``out`` of its shape."""
    if isinstance(value, RowSparse):
        out[...] = 0
        put_rows(out, value.indices, value.data)
    elif isinstance(value, CSR):
        out[...] = 0
        rows = xp.repeat(xp.arange(value.shape[0]), xp.diff(value.indptr))
        out[rows, value.indices] = value.data
    elif value is not out:
        xp.copyto(out, value, casting="same_kind")


def add(one: Value, other: Value, xp: Any) -> Value:
    """The sum; of two ``row_sparse`` values a ``row_sparse`` one."""
    if not (isinstance(one, RowSparse) and isinstance(other, RowSparse)):
        return dense(one, xp) + dense(other, xp)
    indices = xp.concatenate([one.indices, other.indices])
    data = xp.concatenate([one.data, other.data])
    rows, sums = unique_rows_sum(indices, data, one.shape[0])
    return RowSparse(sums, rows, one.shape)


def stored_as(value: Value, stype: str, xp: Any) -> Value:
    """``value`` with storage type ``stype``.

    Raises
    ------
    StorageError
        If an array would have to become sparse: a body broke its declaration.
    """
    came = getattr(value, "stype", "default")
    if came == stype:
        return value
    if stype == "default":
        return dense(value, xp)
    raise StorageError(f"a body returned {came} where {stype} is declared")
