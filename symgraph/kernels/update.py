"""Optimizer steps in place, on the rows that a batch touched or on a whole array.

The formulas and the order of their roundings are MXNet 1.9.1's: where ``clip`` (None or negative:
off) comes before weight decay and where after differs from one optimizer to the next. Scalars are
rounded to the type of the table first; halves are computed in single precision.

Shapes, everywhere: table and each state (V, *row) of one type; rows (n,), each at most once; grad
(n, *row). On the CPU a row outside ``[0, V)`` raises IndexError and leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from symgraph.kernels import kernel
from symgraph.kernels.scatter import require_rows
from symgraph.storage import Array


@kernel
def sgd_rows(
    xp, table: Array, rows: Array, grad: Array, lr: float, wd: float, rescale: float,
    clip: float | None,
) -> None:  # fmt: skip
    """``w = (1 - lr * wd) * w - lr * clip(rescale * grad)`` on some rows."""
    require_rows("sgd_rows", rows, table.shape[0])
    lr, wd, rescale, clip = scalars(table.dtype, lr, wd, rescale, bound(clip))
    w, g = _wide(xp, table[rows], grad)
    table[rows] = _narrow(table, (1 - lr * wd) * w - lr * _clipped(xp, rescale * g, clip))


@kernel
def sgd_mom_rows(
    xp, table: Array, mom: Array, rows: Array, grad: Array, lr: float, wd: float,
    momentum: float, rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """``mom = momentum * mom - lr * wd * w - lr * clip(rescale * grad); w += mom``."""
    require_rows("sgd_mom_rows", rows, table.shape[0])
    lr, wd, momentum, rescale, clip = scalars(table.dtype, lr, wd, momentum, rescale, bound(clip))
    w, m, g = _wide(xp, table[rows], mom[rows], grad)
    m = momentum * m - lr * wd * w - lr * _clipped(xp, rescale * g, clip)
    mom[rows] = _narrow(mom, m)
    table[rows] = _narrow(table, w + m)


@kernel
def adam_rows(
    xp, table: Array, mean: Array, var: Array, rows: Array, grad: Array, lr: float, wd: float,
    beta1: float, beta2: float, epsilon: float, rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """Adam; ``lr`` includes the correction of the bias, weight decay is clipped too.

    ``g = clip(rescale * grad + wd * w); mean = beta1 * mean + (1 - beta1) * g;
    var = beta2 * var + (1 - beta2) * g * g; w -= lr * mean / (sqrt(var) + epsilon)``
    """
    require_rows("adam_rows", rows, table.shape[0])
    lr, wd, beta1, beta2, epsilon, rescale, clip = scalars(
        table.dtype, lr, wd, beta1, beta2, epsilon, rescale, bound(clip)
    )
    w, m, v, g = _wide(xp, table[rows], mean[rows], var[rows], grad)
    g = _clipped(xp, rescale * g + wd * w, clip)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    mean[rows] = _narrow(mean, m)
    var[rows] = _narrow(var, v)
    table[rows] = _narrow(table, w - lr * m / (xp.sqrt(v) + epsilon))


@kernel
def adagrad_rows(
    xp, table: Array, history: Array, rows: Array, grad: Array, lr: float, wd: float,
    epsilon: float, rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """``g = clip(rescale * grad); h += g * g; w -= lr * (g / sqrt(h + epsilon) + wd * w)``."""
    require_rows("adagrad_rows", rows, table.shape[0])
    lr, wd, epsilon, rescale, clip = scalars(table.dtype, lr, wd, epsilon, rescale, bound(clip))
    w, h, g = _wide(xp, table[rows], history[rows], grad)
    g = _clipped(xp, rescale * g, clip)
    h = h + g * g
    history[rows] = _narrow(history, h)
    table[rows] = _narrow(table, w - lr * (g / xp.sqrt(h + epsilon) + wd * w))


@kernel
def ftrl_rows(
    xp, table: Array, z: Array, n: Array, rows: Array, grad: Array, lr: float, wd: float,
    lamda1: float, beta: float, rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """FTRL-proximal, with L1 ``lamda1`` and L2 ``wd``.

    ``g = clip(rescale * grad); z += g - (sqrt(n + g * g) - sqrt(n)) * w / lr; n += g * g;
    w = -sign(z) * max(abs(z) - lamda1, 0) / ((beta + sqrt(n)) / lr + wd)``
    """
    require_rows("ftrl_rows", rows, table.shape[0])
    lr, wd, lamda1, beta, rescale, clip = scalars(
        table.dtype, lr, wd, lamda1, beta, rescale, bound(clip)
    )
    w, zs, ns, g = _wide(xp, table[rows], z[rows], n[rows], grad)
    g = _clipped(xp, rescale * g, clip)
    after = ns + g * g
    zs = zs + (g - (xp.sqrt(after) - xp.sqrt(ns)) * w / lr)
    z[rows] = _narrow(z, zs)
    n[rows] = _narrow(n, after)
    shrunk = xp.maximum(xp.abs(zs) - lamda1, 0)
    table[rows] = _narrow(table, -xp.sign(zs) * shrunk / ((beta + xp.sqrt(after)) / lr + wd))


@kernel
def sgd_dense(
    xp, table: Array, grad: Array, lr: float, wd: float, rescale: float, clip: float | None
) -> None:
    """:func:`sgd_rows` on all rows. Shapes: table and grad alike, any rank."""
    sgd_rows.reference(xp, table[None], xp.zeros(1, xp.int64), grad[None], lr, wd, rescale, clip)


@kernel
def sgd_mom_dense(
    xp, table: Array, mom: Array, grad: Array, lr: float, wd: float, momentum: float,
    rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """:func:`sgd_mom_rows` on all rows. Shapes: table, mom and grad alike, any rank."""
    first = xp.zeros(1, xp.int64)
    sgd_mom_rows.reference(
        xp, table[None], mom[None], first, grad[None], lr, wd, momentum, rescale, clip
    )


@kernel
def adam_dense(
    xp, table: Array, mean: Array, var: Array, grad: Array, lr: float, wd: float, beta1: float,
    beta2: float, epsilon: float, rescale: float, clip: float | None,
) -> None:  # fmt: skip
    """:func:`adam_rows` on all rows. Shapes: table, mean, var and grad alike, any rank."""
    adam_rows.reference(
        xp, table[None], mean[None], var[None], xp.zeros(1, xp.int64), grad[None],
        lr, wd, beta1, beta2, epsilon, rescale, clip,
    )  # fmt: skip


def bound(clip: float | None) -> float:
    """The bound that ``clip`` sets; infinity where it sets none."""
    return float("inf") if clip is None or clip < 0 else clip


def scalars(dtype: Any, *values: float) -> Iterable[Any]:
    """``values`` as scalars of the type that a table of ``dtype`` is computed in."""
    scalar = np.float32 if dtype.char == "e" else dtype.type
    return [scalar(value) for value in values]


def _wide(xp: Any, *arrays: Array) -> Iterable[Array]:
    return [a.astype(xp.float32) if a.dtype == xp.float16 else a for a in arrays]


def _narrow(like: Array, value: Array) -> Array:
    return value.astype(like.dtype, copy=False)


def _clipped(xp: Any, g: Array, clip: Any) -> Array:
    return xp.clip(g, -clip, clip) if clip < np.inf else g
