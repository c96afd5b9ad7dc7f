"""Merge the rows that share a number."""

from __future__ import annotations

from symgraph.kernels import kernel, namespace_of
from symgraph.kernels.scatter import require_rows, scatter_add
from symgraph.storage import Array, RowSparse


@kernel
def unique_rows(xp, index: Array, num_rows: int) -> tuple[Array, Array]:
    """The distinct elements of ``index``, and where each element went.

    Shapes: index (*n,), integers.

    Returns
    -------
    rows : (k,), int64, ascending
    slot : (n,), int32, flat; ``rows[slot] == index.reshape(-1)``

    Raises
    ------
    IndexError
        On the CPU, if an index lies outside ``[0, num_rows)``.
    """
    require_rows("unique_rows", index, num_rows)
    rows, slot = xp.unique(index.reshape(-1), return_inverse=True)
    return rows.astype(xp.int64), slot.reshape(-1).astype(xp.int32)


@kernel
def unique_rows_sum(xp, index: Array, src: Array, num_rows: int) -> tuple[Array, Array]:
    """Sum the rows of ``src`` that share an index: the gradient of a row lookup.

    Shapes: index (*n,), integers; src (*n, *row).

    Returns
    -------
    rows : (k,), int64, ascending, without repetition
    sums : (k, *row), of the type of ``src``

    Raises
    ------
    IndexError
        On the CPU, if an index lies outside ``[0, num_rows)``.
    """
    rows, slot = unique_rows(index, num_rows)
    row = src.shape[index.ndim :]
    sums = xp.zeros((rows.shape[0], *row), src.dtype)
    scatter_add(sums, slot, src.reshape(slot.shape[0], *row))
    return rows, sums


@kernel
def unique_rows_padded(xp, index: Array, num_rows: int) -> tuple[Array, Array]:
    """As :func:`unique_rows`, but with as many rows as ``index`` has elements.

    The size of the result does not depend on the data, so a device need not be waited for.
    The places beyond the last distinct row repeat that row. A reader that gathers, computes
    and writes back rows is not disturbed, for the copies agree; a reader that sums is.

    Shapes: index (*n,), integers; rows (n,) int64, ascending; slot (n,) int32.
    """
    flat = index.reshape(-1)
    order = xp.argsort(flat)
    ordered = flat[order].astype(xp.int64)
    first = xp.ones(flat.shape, xp.int32)
    first[1:] = ordered[1:] != ordered[:-1]
    place = xp.cumsum(first, dtype=xp.int32) - 1
    slot = xp.empty(flat.shape, xp.int32)
    slot[order] = place
    rows = xp.empty(flat.shape, xp.int64)
    rows[...] = ordered[-1:]
    rows[place] = ordered
    return rows, slot


@kernel
def unique_rows_sum_padded(xp, index: Array, src: Array, num_rows: int) -> tuple[Array, Array]:
    """As :func:`unique_rows_sum`, padded as :func:`unique_rows_padded` does.

    Shapes: index (*n,), integers; src (*n, *row); rows (n,); sums (n, *row).
    """
    rows, slot = unique_rows_padded(index, num_rows)
    row = src.shape[index.ndim :]
    sums = xp.zeros((rows.shape[0], *row), src.dtype)
    if not rows.shape[0]:
        return rows, sums
    scatter_add(sums, slot, src.reshape(rows.shape[0], *row))
    return rows, sums[xp.minimum(xp.arange(rows.shape[0]), slot.max())]


@kernel
def row_gradient(xp, index: Array, src: Array, num_rows: int) -> RowSparse:
    """The sums of :func:`unique_rows_sum` as the gradient of a table with ``num_rows`` rows.

    On a device the value has ``repeats``, so that the host need not wait for it.
    """
    rows, sums = unique_rows_sum_padded(index, src, num_rows)
    return RowSparse(sums, rows, (num_rows, *sums.shape[1:]), repeats=True)


def without_repeats(value: RowSparse) -> RowSparse:
    """``value`` with each row once; a device is waited for."""
    if not value.repeats:
        return value
    first = value.indices[:1] == value.indices[:1]
    xp = namespace_of(value.indices)
    keep = xp.concatenate([first, value.indices[1:] != value.indices[:-1]])
    return RowSparse(value.data[keep], value.indices[keep], value.shape)
