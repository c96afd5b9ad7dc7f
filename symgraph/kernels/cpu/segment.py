"""Compiled bodies of :mod:`symgraph.kernels.segment`."""

from __future__ import annotations

import numpy as np

from symgraph.kernels.cpu.jit import as_index, as_rows, compiles, count_ones, jit, trailing_zeros
from symgraph.kernels.cpu.threads import PARTS, claim, run_owned
from symgraph.kernels.scatter import require_rows
from symgraph.kernels.segment import row_gradient, unique_rows, unique_rows_sum
from symgraph.storage import RowSparse

_BITS = 64
_WORDS_PER_INDEX = 16  # above it, looking through the bits costs more than sorting the indices


@jit
def _by_bits(index, num_rows, bits, before, rows, slot):
    """One bit a row: setting them sorts, and counting the bits before one's own is its slot."""
    one, low = np.uint64(1), np.uint64(_BITS - 1)
    for i in range(index.size):
        if index[i] < 0 or index[i] >= num_rows:
            return -1
        bits[index[i] >> 6] |= one << (np.uint64(index[i]) & low)
    k = 0
    for w in range(bits.size):
        before[w] = k
        word = bits[w]
        while word:
            rows[k] = w * _BITS + np.int64(trailing_zeros(word))
            word &= word - one
            k += 1
    for i in range(index.size):
        w = index[i] >> 6
        below = (one << (np.uint64(index[i]) & low)) - one
        slot[i] = before[w] + np.int32(count_ones(bits[w] & below))
    return k


@jit
def _by_order(keys, shift, rows, slot):
    """``keys`` are ``index << shift | position``, ascending."""
    k = -1
    for i in range(keys.size):
        row = keys[i] >> shift
        if k < 0 or rows[k] != row:
            k += 1
            rows[k] = row
        slot[keys[i] & ((1 << shift) - 1)] = k
    return k + 1


def distinct(name: str, index: np.ndarray, num_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, ascending, and the slot of each element of ``index``.

    Raises
    ------
    IndexError
        If one lies outside ``[0, num_rows)``; ``name`` is that of the kernel.
    """
    index = index.copy()  # what has been looked at must not change before it is used
    slot = np.empty(index.size, np.int32)
    rows = np.empty(min(index.size, num_rows), np.int64)
    if num_rows <= _BITS * _WORDS_PER_INDEX * index.size:
        words = -(-num_rows // _BITS)
        bits, before = np.zeros(words, np.uint64), np.empty(words, np.int32)
        count = _by_bits(index, num_rows, bits, before, rows, slot)
        if count < 0:
            require_rows(name, index, num_rows)
    else:
        require_rows(name, index, num_rows)
        shift = index.size.bit_length()
        if num_rows.bit_length() + shift > 63:
            return unique_rows.reference(np, index, num_rows)
        keys = index.astype(np.int64)
        keys <<= shift
        keys |= np.arange(index.size)
        keys.sort()
        count = _by_order(keys, shift, rows, slot)
    return rows[:count].copy(), slot


@unique_rows.register(np.ndarray)
def _(index, num_rows):
    return distinct("unique_rows", as_index(index), num_rows)


@jit
def _sum_by_slot(job, slot, src, seen, sums):
    mask = job[PARTS] - 1
    part = claim(job, -1)
    while part >= 0:
        for i in range(slot.size):
            s = slot[i]
            if (s >> 4) & mask == part:  # 16 rows side by side belong to one thread
                if seen[s]:
                    for k in range(src.shape[1]):
                        sums[s, k] += src[i, k]
                else:
                    seen[s] = True
                    for k in range(src.shape[1]):
                        sums[s, k] = src[i, k]
        part = claim(job, part)


@unique_rows_sum.register(np.ndarray)
def _(index, src, num_rows):
    values = as_rows(src, index.ndim)
    if values is None or src.shape[: index.ndim] != index.shape or not compiles(src):
        return unique_rows_sum.reference(np, index, src, num_rows)
    rows, slot = distinct("unique_rows_sum", as_index(index), num_rows)
    if values.shape[1] == 1 and src.dtype.kind == "f":
        sums = np.bincount(slot, values[:, 0], rows.size).astype(src.dtype)
        return rows, sums.reshape(rows.size, *src.shape[index.ndim :])
    sums = np.empty((rows.size, values.shape[1]), src.dtype)
    seen = np.zeros(rows.size, np.bool_)
    run_owned(_sum_by_slot, values.nbytes, slot, values, seen, sums)
    return rows, sums.reshape(rows.size, *src.shape[index.ndim :])


@row_gradient.register(np.ndarray)
def _(index, src, num_rows):
    rows, sums = unique_rows_sum(index, src, num_rows)
    return RowSparse(sums, rows, (num_rows, *sums.shape[1:]))
