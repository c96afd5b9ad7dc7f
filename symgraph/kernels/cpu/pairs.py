"""Compiled bodies of :mod:`symgraph.kernels.pairs`."""

from __future__ import annotations

import numpy as np

from symgraph.kernels.cpu.jit import compiles, jit, prefetch
from symgraph.kernels.cpu.segment import distinct
from symgraph.kernels.cpu.threads import PARTS, claim, run, run_each, run_owned
from symgraph.kernels.pairs import row_dot, row_dot_gradients
from symgraph.kernels.scatter import require_rows
from symgraph.storage import RowSparse

_AHEAD = 16  # rows asked for before they are read
_LINE = 64  # bytes


def _dot(job, lhs, lhs_rows, rhs, rhs_rows, out, bad):
    n, width = out.size, lhs.shape[1]
    step = _LINE // lhs.itemsize
    zero = out.dtype.type(0)  # from here on, whole vector registers
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            coming = min(i + _AHEAD, stop - 1)
            left, right = lhs_rows[coming] * width, rhs_rows[coming] * width
            for k in range(0, width, step):
                prefetch(lhs, left + k)
                prefetch(rhs, right + k)
            r, s = lhs_rows[i], rhs_rows[i]
            if r < 0 or s < 0 or r >= lhs.shape[0] or s >= rhs.shape[0]:
                bad[0] = True
                continue
            total = zero
            for k in range(width):
                total += lhs[r, k] * rhs[s, k]
            out[i] = total
        part = claim(job, part)


# A sum in any order may use all lanes of a vector register; nan and infinity stay what they are.
_dot = jit(_dot, fastmath={"reassoc", "contract"})


@jit
def _scaled_sums(job, slot, scale, other, other_rows, seen, sums, bad):
    width = other.shape[1]
    step = _LINE // other.itemsize
    mask = job[PARTS] - 1
    part = claim(job, -1)
    while part >= 0:
        for i in range(slot.size):
            coming = min(i + _AHEAD, slot.size - 1)
            if (slot[coming] >> 4) & mask == part:
                start = other_rows[coming] * width
                for k in range(0, width, step):
                    prefetch(other, start + k)
            s = slot[i]
            if (s >> 4) & mask == part:  # 16 rows side by side belong to one thread
                r, factor = other_rows[i], scale[i]
                if r < 0 or r >= other.shape[0]:
                    bad[0] = True
                elif seen[s]:
                    for k in range(width):
                        sums[s, k] += factor * other[r, k]
                else:
                    seen[s] = True
                    for k in range(width):
                        sums[s, k] = factor * other[r, k]
        part = claim(job, part)


@row_dot.register(np.ndarray)
def _(lhs, lhs_rows, rhs, rhs_rows, out):
    fits = lhs.flags.c_contiguous and rhs.flags.c_contiguous and out.flags.c_contiguous
    if not (fits and compiles(lhs, rhs, out, kinds="f")):
        return row_dot.reference(np, lhs, lhs_rows, rhs, rhs_rows, out)
    nbytes = 2 * out.size * lhs.shape[1] * lhs.itemsize
    bad = np.zeros(1, np.bool_)
    run(_dot, nbytes, lhs, lhs_rows, rhs, rhs_rows, out, bad)
    if bad[0]:
        _refuse("row_dot", lhs, lhs_rows, rhs, rhs_rows)
    return None


@row_dot_gradients.register(np.ndarray)
def _(scale, lhs, lhs_rows, rhs, rhs_rows, wanted):
    whole = lhs.flags.c_contiguous and rhs.flags.c_contiguous
    if not (whole and compiles(lhs, rhs, scale, kinds="f")):
        return row_dot_gradients.reference(np, scale, lhs, lhs_rows, rhs, rhs_rows, wanted)
    found: list[RowSparse | None] = [None, None]

    def left() -> None:
        found[0] = _gradient(scale, lhs, lhs_rows, rhs, rhs_rows)

    def right() -> None:
        found[1] = _gradient(scale, rhs, rhs_rows, lhs, lhs_rows)

    nbytes = sum(wanted) * lhs_rows.size * lhs.shape[1] * lhs.itemsize
    run_each([task for task, want in zip((left, right), wanted, strict=True) if want], nbytes)
    return found[0], found[1]


def _gradient(scale, table, rows, other, other_rows) -> RowSparse:
    distinct_rows, slot = distinct("row_dot_gradients", rows, table.shape[0])
    sums = np.empty((distinct_rows.size, table.shape[1]), table.dtype)
    seen = np.zeros(distinct_rows.size, np.bool_)
    nbytes = rows.size * table.shape[1] * table.itemsize
    bad = np.zeros(1, np.bool_)
    run_owned(_scaled_sums, nbytes, slot, scale, other, other_rows, seen, sums, bad)
    if bad[0]:
        _refuse("row_dot_gradients", table, rows, other, other_rows)
    return RowSparse(sums, distinct_rows, table.shape)


def _refuse(name: str, lhs, lhs_rows, rhs, rhs_rows) -> None:
    """Raise for the row that a body has met outside its table; it looks while it works."""
    require_rows(name, lhs_rows, lhs.shape[0])
    require_rows(name, rhs_rows, rhs.shape[0])
    raise IndexError(f"{name}: rows changed while they were read")
