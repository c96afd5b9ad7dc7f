"""Special functions that NumPy does not have. All take ``out``, which may be the argument itself.

They compute in float64 whatever the type of the argument: errors stay below 1e-12 relative, away
from zeros of the function.
"""

from __future__ import annotations

import math

from symgraph.kernels import kernel
from symgraph.storage import Array

# erfc(x) exp(x**2) (1 + 2 x) = sum_k c[k] T_k((x - 3.75) / (x + 3.75)) for x >= 0; interpolated in
# 400 Chebyshev nodes, the form of J. L. Schonfelder, Math. Comp. 32 (1978), p. 1232.
_ERFC = (
    1.1775789345674024, -0.004590054580646423, -0.08424913336651786, 0.05920993999819194,
    -0.026658668435305715, 0.009074997670705347, -0.0024131635404175847, 0.0004907758365258722,
    -6.916973302497574e-05, 4.1390279861424855e-06, 7.740383066342327e-07,
    -2.1886401039883163e-07, 1.0764999500455691e-08, 4.521959891675516e-09,
    -7.754399416365864e-10, -6.318084321126374e-11, 2.8687999165342565e-11,
    1.946139415616407e-13, -9.65390974377453e-13,
)  # fmt: skip

# C. Lanczos, SIAM J. Numer. Anal. 1 (1964), p. 86, with g = 7.
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip


def _give(result: Array, x: Array, out: Array | None) -> Array:
    if out is None:
        return result.astype(x.dtype)
    out[...] = result
    return out


@kernel
def erf(xp, x: Array, out: Array | None = None) -> Array:
    """The error function, ``2 / sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to x."""
    return _give(_erf(xp, x.astype(xp.float64)), x, out)


@kernel
def erfinv(xp, x: Array, out: Array | None = None) -> Array:
    """The inverse of :func:`erf`; nan outside [-1, 1]."""
    p = x.astype(xp.float64)
    # S. Winitzki's closed form, good to 2e-3, then Halley's iteration
    low = xp.log1p(-p * p)
    mean = 2 / (math.pi * 0.147) + low / 2
    y = xp.copysign(xp.sqrt(xp.sqrt(mean * mean - low / 0.147) - mean), p)
    for _ in range(3):
        error = (_erf(xp, y) - p) * (math.sqrt(math.pi) / 2) * xp.exp(y * y)
        step = error / (1 + y * error)
        y = y - xp.where(xp.isfinite(step), step, 0)
    return _give(y, x, out)


@kernel
def gamma(xp, x: Array, out: Array | None = None) -> Array:
    """The gamma function; nan at negative integers, inf at zero."""
    z = x.astype(xp.float64)
    mirrored = z < 0.5
    z1 = xp.where(mirrored, 1 - z, z) - 1
    t = z1 + 7.5
    half = t ** ((z1 + 0.5) / 2)  # squared below: the power alone overflows first
    upper = math.sqrt(2 * math.pi) * half * xp.exp(-t) * half * _lanczos(z1)
    result = xp.where(mirrored, math.pi / (xp.sin(math.pi * z) * upper), upper)
    whole = z == xp.floor(z)
    result = xp.where(whole & (z > 0) & (z < 19), xp.rint(result), result)  # 18! < 2**53
    result = xp.where(whole & (z < 0), math.nan, result)
    return _give(xp.where(z == 0, math.inf, result), x, out)


@kernel
def gammaln(xp, x: Array, out: Array | None = None) -> Array:
    """The logarithm of the absolute value of :func:`gamma`; inf at its poles."""
    z = x.astype(xp.float64)
    mirrored = z < 0.5
    z1 = xp.where(mirrored, 1 - z, z) - 1
    t = z1 + 7.5
    upper = 0.5 * math.log(2 * math.pi) + (z1 + 0.5) * xp.log(t) - t + xp.log(_lanczos(z1))
    sine = xp.abs(xp.sin(math.pi * z))
    result = xp.where(mirrored, math.log(math.pi) - xp.log(sine) - upper, upper)
    return _give(xp.where((z <= 0) & (z == xp.floor(z)), math.inf, result), x, out)


@kernel
def digamma(xp, x: Array, out: Array | None = None) -> Array:
    """The derivative of :func:`gammaln`."""
    z = x.astype(xp.float64)
    mirrored = z < 0.5
    t = xp.where(mirrored, 1 - z, z)
    total = 0
    for _ in range(10):  # the recurrence carries the argument to where the series is good
        total = total - 1 / t
        t = t + 1
    inv = 1 / (t * t)
    series = inv * (1 / 12 - inv * (1 / 120 - inv * (1 / 252 - inv * (1 / 240 - inv / 132))))
    upper = total + xp.log(t) - 0.5 / t - series
    return _give(xp.where(mirrored, upper - math.pi / xp.tan(math.pi * z), upper), x, out)


def _erf(xp, x):
    """erf in float64: a power series near zero, where 1 - erfc would cancel."""
    a = xp.abs(x)
    square = x * x
    small = 0.0
    for n in range(14, -1, -1):
        small = small * square + (-1) ** n / (math.factorial(n) * (2 * n + 1))
    large = xp.copysign(1 - _chebyshev(a) * xp.exp(-square) / (1 + 2 * a), x)
    return xp.where(a < 0.5, 2 / math.sqrt(math.pi) * x * small, large)


def _chebyshev(a):
    """Clenshaw's sum of ``_ERFC`` at ``(a - 3.75) / (a + 3.75)``."""
    t = 1 - 7.5 / (a + 3.75)
    one = two = 0.0
    for c in _ERFC[:0:-1]:
        one, two = 2 * t * one - two + c, one
    return t * one - two + _ERFC[0]


def _lanczos(z1):
    return _LANCZOS[0] + sum(c / (z1 + i) for i, c in enumerate(_LANCZOS[1:], 1))
