"""The sum of the values that one push brings for a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symgraph.context import Context
from symgraph.kernels.segment import unique_rows_sum
from symgraph.ndarray import convert
from symgraph.ndarray.ndarray import NDArray
from symgraph.storage import CSR, Array, RowSparse, Shape, Value


def merged(values: Sequence[NDArray], stored: NDArray, *, raw: bool = False) -> Value:
    """The sum of ``values``, of the element type and on the device of ``stored``.

    A single value may come back as it is, not copied, and with ``raw`` with the repeats of
    ``RowSparse.repeats``. csr becomes row_sparse. The sum is
    row_sparse if all values are, else dense.
    """
    if len(values) == 1:
        (value,) = values
        return arrived(value.raw_value if raw else value.value, value.context, stored)
    came = [arrived(value.value, value.context, stored) for value in values]
    backend = convert.backend_of(stored.context)
    with backend.on_device(stored.context.device_id):
        sparse = [value for value in came if isinstance(value, RowSparse)]
        if len(sparse) == len(came):
            return _sum_of_rows(sparse, backend.xp)
        total = backend.xp.zeros(stored.shape, stored.value.dtype)
        add_into(total, came)
        return total


def add_into(out: Array, values: Sequence[Value]) -> None:
    """``out += value`` for each of them."""
    for value in values:
        if isinstance(value, RowSparse):
            out[value.indices] += value.data
        else:
            out += value


def dense_sum(out: Array, values: Sequence[Array], xp: Any) -> None:
    """``out[...] = sum(values)`` for two or more, of which any may be ``out`` itself."""
    if any(value is out for value in values[2:]):
        values = [value.copy() if value is out else value for value in values]
    xp.add(values[0], values[1], out=out)
    for value in values[2:]:
        out += value


def arrived(found: Value, ctx: Context, stored: NDArray) -> Value:
    """A value of ``ctx`` on the device and with the element type of ``stored``."""
    if isinstance(found, CSR):
        found = _rows_of_csr(found, convert.backend_of(ctx).xp)
    here = ctx is stored.context or convert.share_memory(ctx, stored.context)
    if not here:
        found = convert.copy_to(found, ctx, stored.context)
    dtype = stored.value.dtype
    if found.dtype == dtype:
        return found
    if isinstance(found, RowSparse):
        return replace(found, data=found.data.astype(dtype))
    return found.astype(dtype)


def _sum_of_rows(values: Sequence[RowSparse], xp: Any) -> RowSparse:
    shape: Shape = values[0].shape
    indices = xp.concatenate([value.indices for value in values])
    data = xp.concatenate([value.data for value in values])
    if not indices.shape[0]:
        return values[0]
    rows, sums = unique_rows_sum(indices, data, shape[0])
    return RowSparse(sums, rows, shape)


def _rows_of_csr(value: CSR, xp: Any) -> RowSparse:
    """The rows that are not empty."""
    row_of = convert.csr_row_numbers(value, xp)
    rows, slot = xp.unique(row_of, return_inverse=True)
    data = xp.zeros((rows.shape[0], value.shape[1]), value.dtype)
    data[slot.reshape(-1), value.indices] = value.data
    return RowSparse(data, rows.astype("int64"), value.shape)
