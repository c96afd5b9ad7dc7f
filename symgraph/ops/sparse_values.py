"""Elementwise rules on sparse values: what happens to the stored elements only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from symgraph.kernels.scatter import scatter_add
from symgraph.kernels.sparse import row_positions
from symgraph.ops.axes import accumulator
from symgraph.ops.op import Ctx
from symgraph.ops.rules import NAMESPACES, Rule, evaluate, reads
from symgraph.storage import CSR, RowSparse, stype_of


def on_data(f: Rule, roles: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """A body that applies ``f``, which keeps zero, to the stored elements."""
    roles = roles or {}

    def forward_stored(self, ctx: Ctx, data):
        values = {}
        for name in reads(f):
            key = roles.get(name, name)
            if name not in NAMESPACES:
                values[name] = data.data if key == "data" else getattr(self, key)
        return replace(data, data=evaluate(f, ctx.xp, values).astype(data.dtype, copy=False))

    return forward_stored


def combine(f: Rule) -> Callable[..., Any]:
    """A body that applies ``f``, with ``f(0, 0) == 0``, where either side stores elements."""

    def forward_stored(self, ctx: Ctx, lhs, rhs):
        if isinstance(lhs, CSR):
            return _combine_csr(f, ctx.xp, lhs, rhs)
        return _combine_rows(f, ctx.xp, lhs, rhs)

    return forward_stored


def masked(f: Rule) -> Callable[..., Any]:
    """A body for a sparse and a dense side, as ``f(x, 0) == f(0, x) == 0``."""

    def forward_stored(self, ctx: Ctx, lhs, rhs):
        kept = lhs if stype_of(lhs) != "default" else rhs
        at = (
            (kept.indices,)
            if isinstance(kept, RowSparse)
            else (csr_rows(ctx.xp, kept), kept.indices)
        )
        sides = {n: v.data if v is kept else v[at] for n, v in (("lhs", lhs), ("rhs", rhs))}
        return replace(kept, data=evaluate(f, ctx.xp, sides))

    return forward_stored


def _combine_rows(f: Rule, xp, lhs: RowSparse, rhs: RowSparse) -> RowSparse:
    rows = union(xp, lhs.indices, rhs.indices)
    sides = {
        "lhs": spread(xp, lhs.indices, lhs.data, rows),
        "rhs": spread(xp, rhs.indices, rhs.data, rows),
    }
    return RowSparse(evaluate(f, xp, sides), rows, lhs.shape)


def _combine_csr(f: Rule, xp, lhs: CSR, rhs: CSR) -> CSR:
    width = lhs.shape[1]
    left, right = keys(xp, lhs), keys(xp, rhs)
    both = union(xp, left, right)
    sides = {"lhs": spread(xp, left, lhs.data, both), "rhs": spread(xp, right, rhs.data, both)}
    starts = xp.arange(lhs.shape[0] + 1) * width
    indptr = xp.searchsorted(both, starts).astype("int64")
    return CSR(evaluate(f, xp, sides), both % width, indptr, lhs.shape)


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


def csr_slice(value: CSR, begin: int, end: int) -> CSR:
    """Rows ``begin`` to ``end``; the number of stored elements is read from the device."""
    first, last = int(value.indptr[begin]), int(value.indptr[end])
    return CSR(
        value.data[first:last],
        value.indices[first:last],
        value.indptr[begin : end + 1] - value.indptr[begin],
        (end - begin, *value.shape[1:]),
    )


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
