"""Dense copies of sparse values, and storing a result where it belongs."""

from __future__ import annotations

from typing import Any

from symgraph.errors import StorageError
from symgraph.kernels.segment import unique_rows_sum, without_repeats
from symgraph.ndarray.convert import dense_of
from symgraph.storage import Array, RowSparse, Value, stype_of


def dense(value: Value, xp: Any) -> Array:
    """``value`` as an array to read; one that is stored whole is not copied."""
    if isinstance(value, RowSparse) and value.is_full:
        return value.data
    return dense_of(value, xp)


def whole(value: Value) -> Value:
    """``value`` for an operator to read: every row once."""
    return without_repeats(value) if isinstance(value, RowSparse) else value


def add(one: Value, other: Value, xp: Any) -> Value:
    """The sum; of two ``row_sparse`` values a ``row_sparse`` one."""
    if not (isinstance(one, RowSparse) and isinstance(other, RowSparse)):
        return dense(one, xp) + dense(other, xp)
    one, other = without_repeats(one), without_repeats(other)
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
    came = stype_of(value)
    if came == stype:
        return value
    if stype == "default":
        return dense(value, xp)
    raise StorageError(f"a body returned {came} where {stype} is declared")
