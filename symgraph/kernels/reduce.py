"""Sums that NumPy is slow at."""

from __future__ import annotations

from symgraph.kernels import kernel
from symgraph.storage import Array


@kernel
def sum_rows(xp, data: Array, out: Array) -> None:
    """``out[i] = sum(data[i])``: many short sums.

    Shapes: data (n, width), out (n,), of one type.
    """
    wide = xp.float32 if out.dtype == xp.float16 else out.dtype
    out[...] = xp.sum(data, axis=1, dtype=wide)
