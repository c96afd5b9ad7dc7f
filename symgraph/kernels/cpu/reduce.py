"""Compiled bodies of :mod:`symgraph.kernels.reduce`."""

from __future__ import annotations

from functools import partial

import numpy as np

from symgraph.kernels.cpu.jit import compiles, jit
from symgraph.kernels.reduce import sum_rows

_LONG = 1024  # from here on NumPy is as fast, and adds pairwise, which is more accurate
_FEW = 1 << 14  # elements that NumPy has added up before a kernel is loaded


@partial(jit, fastmath={"reassoc", "nsz"})  # several partial sums at once
def _sum_rows(data, out):
    for i in range(data.shape[0]):
        total = data.dtype.type(0)
        for k in range(data.shape[1]):
            total += data[i, k]
        out[i] = total


@sum_rows.register(np.ndarray)
def _(data, out):
    slow = data.size >= _FEW and 1 < data.shape[1] < _LONG
    if slow and data.flags.c_contiguous and compiles(data, out, kinds="f"):
        _sum_rows(data, out)
    else:
        sum_rows.reference(np, data, out)
