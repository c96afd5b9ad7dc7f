"""Compiled bodies of :mod:`symgraph.kernels.update`.

A dense array is updated as a table whose rows are all listed, so both forms share their code.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgraph.kernels import update
from symgraph.kernels.cpu.jit import as_index, as_rows, compiles, jit, prefetch
from symgraph.kernels.cpu.threads import PARTS, claim, run
from symgraph.kernels.scatter import require_rows

Array = np.ndarray
Tables = Sequence[np.ndarray]

_AHEAD = 8  # rows asked for before they are read
_LINE = 64  # bytes
_LINES = 16  # of a row that are asked for; the processor foresees the rest
_CHUNK = 256  # elements of a large dense array that count as one row
_LARGE = 1 << 15  # elements


@jit
def _coming(table, rows, i, stop, width):
    start = rows[min(i + _AHEAD, stop - 1)] * width
    step = _LINE // table.itemsize
    for k in range(start, start + min(width, _LINES * step), step):
        prefetch(table, k)


@jit
def _clipped(g, clip):
    """As numpy.clip: what is not a number stays."""
    g = clip if g > clip else g
    return -clip if g < -clip else g


@jit
def _sgd(job, w, rows, grad, lr, wd, rescale, clip):
    n, width = grad.shape
    keep = w.dtype.type(1) - lr * wd
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            _coming(w, rows, i, stop, width)
            r = rows[i]
            for k in range(width):
                w[r, k] = keep * w[r, k] - lr * _clipped(rescale * grad[i, k], clip)
        part = claim(job, part)


@jit
def _sgd_mom(job, w, mom, rows, grad, lr, wd, momentum, rescale, clip):
    n, width = grad.shape
    decay = lr * wd
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            _coming(w, rows, i, stop, width)
            _coming(mom, rows, i, stop, width)
            r = rows[i]
            for k in range(width):
                g = _clipped(rescale * grad[i, k], clip)
                m = momentum * mom[r, k] - decay * w[r, k] - lr * g
                mom[r, k] = m
                w[r, k] += m
        part = claim(job, part)


@jit
def _adam(job, w, mean, var, rows, grad, lr, wd, beta1, beta2, epsilon, rescale, clip):
    n, width = grad.shape
    one = w.dtype.type(1)
    rest1, rest2 = one - beta1, one - beta2
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            _coming(w, rows, i, stop, width)
            _coming(mean, rows, i, stop, width)
            _coming(var, rows, i, stop, width)
            r = rows[i]
            for k in range(width):
                g = _clipped(rescale * grad[i, k] + wd * w[r, k], clip)
                m = beta1 * mean[r, k] + rest1 * g
                v = beta2 * var[r, k] + rest2 * g * g
                mean[r, k] = m
                var[r, k] = v
                w[r, k] -= lr * m / (np.sqrt(v) + epsilon)
        part = claim(job, part)


@jit
def _adagrad(job, w, history, rows, grad, lr, wd, epsilon, rescale, clip):
    n, width = grad.shape
    part = claim(job, -1)
    while part >= 0:
        stop = n * (part + 1) // job[PARTS]
        for i in range(n * part // job[PARTS], stop):
            _coming(w, rows, i, stop, width)
            _coming(history, rows, i, stop, width)
            r = rows[i]
            for k in range(width):
                g = _clipped(rescale * grad[i, k], clip)
                h = history[r, k] + g * g
                history[r, k] = h
                w[r, k] -= lr * (g / np.sqrt(h + epsilon) + wd * w[r, k])
        part = claim(job, part)


@jit
def _ftrl(job, w, z, n, rows, grad, lr, wd, lamda1, beta, rescale, clip):
    count, width = grad.shape
    zero = w.dtype.type(0)
    part = claim(job, -1)
    while part >= 0:
        stop = count * (part + 1) // job[PARTS]
        for i in range(count * part // job[PARTS], stop):
            _coming(w, rows, i, stop, width)
            _coming(z, rows, i, stop, width)
            _coming(n, rows, i, stop, width)
            r = rows[i]
            for k in range(width):
                g = _clipped(rescale * grad[i, k], clip)
                after = n[r, k] + g * g
                root = np.sqrt(after)
                zs = z[r, k] + (g - (root - np.sqrt(n[r, k])) * w[r, k] / lr)
                z[r, k] = zs
                n[r, k] = after
                shrunk = max(abs(zs) - lamda1, zero)
                w[r, k] = -np.sign(zs) * shrunk / ((beta + root) / lr + wd)
        part = claim(job, part)


def _rows(body: Any, tables: Tables, rows: Array, grad: Array, *options: Any) -> bool:
    """Run ``body`` on some rows; False if these arrays are not for compiled code."""
    first = tables[0]
    views = [as_rows(a) for a in (*tables, grad)]
    if (
        any(v is None for v in views)
        or not compiles(*tables, grad, kinds="f")
        or grad.shape != (*rows.shape, *first.shape[1:])
        or any(a.shape != first.shape for a in tables)
    ):
        return False
    require_rows("row update", rows, first.shape[0])
    values = update.scalars(first.dtype, *options[:-1], update.bound(options[-1]))
    run(body, grad.nbytes * len(tables), *views[:-1], as_index(rows), views[-1], *values)
    return True


def _dense(body: Any, tables: Tables, grad: Array, *options: Any) -> bool:
    """Run ``body`` on whole arrays; False if these are not for compiled code."""
    arrays = (*tables, grad)
    if not all(a.flags.c_contiguous and a.shape == grad.shape for a in arrays):
        return False
    if not compiles(*arrays, kinds="f"):
        return False
    values = update.scalars(grad.dtype, *options[:-1], update.bound(options[-1]))
    large = grad.size - grad.size % _CHUNK if grad.size > _LARGE else 0
    flat = [a.reshape(-1) for a in arrays]
    if large:
        *states, steps = (a[:large].reshape(-1, _CHUNK) for a in flat)
        nbytes = steps.nbytes * len(tables)
        run(body, nbytes, *states, _first_rows(len(steps)), steps, *values)
    *states, steps = (a[None, large:] for a in flat)
    run(body, 0, *states, _first_rows(1), steps, *values)
    return True


@functools.lru_cache(64)
def _first_rows(count: int) -> Array:
    return np.arange(count, dtype=np.int64)


@update.sgd_rows.register(np.ndarray)
def _(table, rows, grad, lr, wd, rescale, clip):
    if not _rows(_sgd, [table], rows, grad, lr, wd, rescale, clip):
        update.sgd_rows.reference(np, table, rows, grad, lr, wd, rescale, clip)


@update.sgd_mom_rows.register(np.ndarray)
def _(table, mom, rows, grad, lr, wd, momentum, rescale, clip):
    options = (lr, wd, momentum, rescale, clip)
    if not _rows(_sgd_mom, [table, mom], rows, grad, *options):
        update.sgd_mom_rows.reference(np, table, mom, rows, grad, *options)


@update.adam_rows.register(np.ndarray)
def _(table, mean, var, rows, grad, lr, wd, beta1, beta2, epsilon, rescale, clip):
    options = (lr, wd, beta1, beta2, epsilon, rescale, clip)
    if not _rows(_adam, [table, mean, var], rows, grad, *options):
        update.adam_rows.reference(np, table, mean, var, rows, grad, *options)


@update.adagrad_rows.register(np.ndarray)
def _(table, history, rows, grad, lr, wd, epsilon, rescale, clip):
    options = (lr, wd, epsilon, rescale, clip)
    if not _rows(_adagrad, [table, history], rows, grad, *options):
        update.adagrad_rows.reference(np, table, history, rows, grad, *options)


@update.ftrl_rows.register(np.ndarray)
def _(table, z, n, rows, grad, lr, wd, lamda1, beta, rescale, clip):
    options = (lr, wd, lamda1, beta, rescale, clip)
    if not _rows(_ftrl, [table, z, n], rows, grad, *options):
        update.ftrl_rows.reference(np, table, z, n, rows, grad, *options)


@update.sgd_dense.register(np.ndarray)
def _(table, grad, lr, wd, rescale, clip):
    if not _dense(_sgd, [table], grad, lr, wd, rescale, clip):
        update.sgd_dense.reference(np, table, grad, lr, wd, rescale, clip)


@update.sgd_mom_dense.register(np.ndarray)
def _(table, mom, grad, lr, wd, momentum, rescale, clip):
    options = (lr, wd, momentum, rescale, clip)
    if not _dense(_sgd_mom, [table, mom], grad, *options):
        update.sgd_mom_dense.reference(np, table, mom, grad, *options)


@update.adam_dense.register(np.ndarray)
def _(table, mean, var, grad, lr, wd, beta1, beta2, epsilon, rescale, clip):
    options = (lr, wd, beta1, beta2, epsilon, rescale, clip)
    if not _dense(_adam, [table, mean, var], grad, *options):
        update.adam_dense.reference(np, table, mean, var, grad, *options)
