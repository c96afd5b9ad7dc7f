"""``mx.sym.random``: arrays of random numbers, from numbers or from symbols as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgraph.base import _Null
from symgraph.symbol.base import SymbolBase, invoke
from symgraph.symbol.namespace import namespace
from symgraph.symbol.symbol import Symbol

_find, _names = namespace("random")

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


def _draw(law: str, parameters: Mapping[str, Any], shape: Any, dtype: Any, more: Any) -> Symbol:
    """``_random_<law>`` of numbers, ``_sample_<law>`` of symbols."""
    symbols = [isinstance(p, SymbolBase) for p in parameters.values()]
    if any(symbols) and not all(symbols):
        raise TypeError(f"{law}: {' and '.join(parameters)} must all be symbols or all be numbers")
    called = f"_sample_{law}" if any(symbols) else f"_random_{law}"
    given = {**parameters, "shape": shape, "dtype": dtype, **more}
    return Symbol._of(invoke(called, [], given))


def uniform(
    low: Any = 0, high: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any
) -> Symbol:
    """Even over ``[low, high)``; one array of ``shape`` for each element of symbols."""
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, kwargs)


def normal(
    loc: Any = 0, scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any
) -> Symbol:
    """Normal with mean ``loc`` and standard deviation ``scale``."""
    names = ("loc", "scale") if not isinstance(loc, SymbolBase) else ("mu", "sigma")
    return _draw("normal", dict(zip(names, (loc, scale), strict=True)), shape, dtype, kwargs)


def randn(*shape: int, **kwargs: Any) -> Symbol:
    """Normal numbers of this shape; ``loc``, ``scale`` and ``dtype`` by keyword."""
    loc, scale = kwargs.pop("loc", 0), kwargs.pop("scale", 1)
    return normal(loc, scale, shape, kwargs.pop("dtype", _Null), **kwargs)


def poisson(lam: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Poisson with mean ``lam``."""
    return _draw("poisson", {"lam": lam}, shape, dtype, kwargs)


def exponential(scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Exponential with mean ``scale``."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, kwargs)


def gamma(
    alpha: Any = 1, beta: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any
) -> Symbol:
    """Gamma with shape parameter ``alpha`` and scale ``beta``."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, kwargs)


def negative_binomial(
    k: Any = 1, p: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any
) -> Symbol:
    """Failures before ``k`` successes of probability ``p``."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, kwargs)


def generalized_negative_binomial(
    mu: Any = 1, alpha: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any
) -> Symbol:
    """Negative binomial with mean ``mu`` and dispersion ``alpha``."""
    return _draw("generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, kwargs)


def randint(low: int, high: int, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Whole numbers, even over ``[low, high)``."""
    if isinstance(low, SymbolBase) or isinstance(high, SymbolBase):
        raise TypeError("randint: low and high must be numbers")
    return _draw("randint", {"low": low, "high": high}, shape, dtype, kwargs)


def multinomial(
    data: Symbol, shape: Any = _Null, get_prob: bool = True, dtype: Any = "int32", **kwargs: Any
) -> Symbol:
    """Category numbers drawn with the probabilities in the last axis of ``data``."""
    given = {"shape": shape, "get_prob": get_prob, "dtype": dtype, **kwargs}
    return Symbol._of(invoke("_sample_multinomial", [data], given))


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """``data`` with its rows in random order."""
    return Symbol._of(invoke("_shuffle", [data], kwargs))


def __getattr__(name: str) -> Any:
    return _find(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names()})
