"""What operators do with sparse values."""

from __future__ import annotations

import math
from dataclasses import replace

from symgraph.errors import StorageError
from symgraph.kernels.scatter import scatter_add
from symgraph.kernels.sparse import row_positions
from symgraph.ops.axes import accumulator
from symgraph.ops.op import Ctx, Op
from symgraph.storage import CSR, RowSparse, stype_of


def on_stored(self: Op, ctx: Ctx, data):
    """Body of an operator that keeps zero: the dense body on the stored elements."""
    return replace(data, data=self.forward(ctx, data.data))


def on_either(self: Op, ctx: Ctx, lhs, rhs):
    """Body of an operator with ``f(0, 0) == 0``: the dense body where a side stores elements."""
    xp = ctx.xp
    if isinstance(lhs, CSR):
        left, right = keys(xp, lhs), keys(xp, rhs)
    else:
        left, right = lhs.indices, rhs.indices
    both = union(xp, left, right)
    values = self.forward(ctx, spread(xp, left, lhs.data, both), spread(xp, right, rhs.data, both))
    if isinstance(lhs, RowSparse):
        return RowSparse(values, both, lhs.shape)
    starts = xp.arange(lhs.shape[0] + 1) * lhs.shape[1]
    indptr = xp.searchsorted(both, starts).astype("int64")
    return CSR(values, both % lhs.shape[1], indptr, lhs.shape)


def on_sparse_side(self: Op, ctx: Ctx, lhs, rhs):
    """Body of an operator with ``f(x, 0) == f(0, x) == 0``, for a sparse and a dense side."""
    kept = rhs if stype_of(lhs) == "default" else lhs
    columns = (kept.indices,) if isinstance(kept, CSR) else ()
    rows = csr_rows(ctx.xp, kept) if isinstance(kept, CSR) else kept.indices
    sides = [v.data if v is kept else v[(rows, *columns)] for v in (lhs, rhs)]
    return replace(kept, data=self.forward(ctx, *sides))


def on_csr_left(self: Op, ctx: Ctx, lhs, rhs):
    """Body of a broadcasting operator with ``f(0, x) == 0``, for a csr and a dense side."""
    if ctx.shapes["output"] != lhs.shape:
        raise StorageError(f"lhs is csr of shape {lhs.shape}, which cannot stretch")
    whole = ctx.xp.broadcast_to(rhs, lhs.shape)
    values = self.forward(ctx, lhs.data, whole[csr_rows(ctx.xp, lhs), lhs.indices])
    return replace(lhs, data=values)


def union(xp, *sorted_indices):
    """All indices, ascending, without repetition."""
    return xp.unique(xp.concatenate(sorted_indices))


def spread(xp, indices, data, wanted):
    """Rows of a sparse array at ``wanted``, which holds all of ``indices``; others are zero."""
    out = xp.zeros((wanted.shape[0], *data.shape[1:]), data.dtype)
    out[xp.searchsorted(wanted, indices)] = data
    return out


def keys(xp, value: CSR):
    """Positions of the stored elements in the flattened matrix, ascending."""
    return csr_rows(xp, value) * value.shape[1] + value.indices


def csr_rows(xp, value: CSR):
    """Row number of each stored element."""
    stored = xp.arange(value.data.shape[0])
    return xp.searchsorted(value.indptr[1:], stored, side="right").astype("int64")


def matched(xp, data, indices, rows):
    """Elements with their columns renumbered to positions in ``rows``; zero where it has none."""
    place = row_positions(rows, indices)
    return xp.where(place >= 0, data, xp.zeros((), data.dtype)), xp.maximum(place, 0)


def rows_of(xp, value: RowSparse, wanted):
    """``value[wanted]`` as a dense array; rows that are not stored are zero."""
    if not value.data.shape[0]:
        return xp.zeros((*wanted.shape, *value.shape[1:]), value.dtype)
    place = row_positions(value.indices, wanted)
    stored = (place >= 0).reshape(*place.shape, *(1,) * (len(value.shape) - 1))
    return xp.where(stored, value.data[xp.maximum(place, 0)], xp.zeros((), value.dtype))


def stored_sum(xp, value: CSR | RowSparse, axes: tuple[int, ...]):
    """The sum over ``axes``, dense, the axes kept with length one."""
    shape = tuple(1 if i in axes else n for i, n in enumerate(value.shape))
    dtype = accumulator(value.dtype.name)
    if isinstance(value, CSR):
        place = xp.zeros(value.indices.shape, "int64")
        if 0 not in axes:
            place += csr_rows(xp, value) * shape[1]
        if 1 not in axes:
            place += value.indices
        out = xp.zeros(math.prod(shape), dtype)
        scatter_add(out, place, value.data.astype(dtype, copy=False))
        return out.reshape(shape)
    part = value.data.sum(axes, dtype=dtype, keepdims=True)
    if 0 in axes:
        return part
    out = xp.zeros(shape, dtype)
    out[value.indices] = part
    return out


def csr_slice(xp, value: CSR, rows: range, columns: range) -> CSR:
    """A block of a matrix; how many elements it stores is read from the device."""
    first, last = int(value.indptr[rows.start]), int(value.indptr[rows.stop])
    data, indices = value.data[first:last], value.indices[first:last]
    indptr = value.indptr[rows.start : rows.stop + 1] - first
    if len(columns) < value.shape[1]:
        inside = (indices >= columns.start) & (indices < columns.stop)
        ahead = xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(inside, dtype="int64")])
        data, indices = data[inside], indices[inside] - columns.start
        indptr = ahead[indptr]
    return CSR(data, indices, indptr, (len(rows), len(columns)))


def csr_concat(xp, values) -> CSR:
    """Matrices below each other."""
    starts, pointers = 0, [xp.zeros(1, "int64")]
    for value in values:
        pointers.append(value.indptr[1:] + starts)
        starts += value.data.shape[0]
    return CSR(
        xp.concatenate([v.data for v in values]),
        xp.concatenate([v.indices for v in values]),
        xp.concatenate(pointers),
        (sum(v.shape[0] for v in values), *values[0].shape[1:]),
    )
