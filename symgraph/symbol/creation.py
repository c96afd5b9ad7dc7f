"""Symbols that no operator function makes as it stands: variables, groups, constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.dtypes import CODES, dtype_name
from symgraph.errors import AttributeValueError, StorageError
from symgraph.graph import build
from symgraph.graph.graph import Node
from symgraph.ops.attrs import to_string
from symgraph.storage import STYPE_CODES
from symgraph.symbol import operators
from symgraph.symbol.attributes import strings
from symgraph.symbol.base import SymbolBase, invoke
from symgraph.symbol.symbol import Symbol


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: Sequence[int] | int | None = None,
    lr_mult: float | str | None = None,
    wd_mult: float | str | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """A variable: something that gets its array when the network is bound.

    Parameters
    ----------
    name : str
    attr : dict of str to str, optional
        More attributes.
    shape : tuple of int, optional
        Its shape; a length of 0 is unknown.
    lr_mult, wd_mult : float, optional
        Factors on the learning rate and the weight decay.
    dtype : optional
        Its element type.
    init : Initializer or str, optional
        How it starts when it is a parameter.
    stype : {"default", "row_sparse", "csr"}, optional
        Its storage type.
    **kwargs
        Free attributes; their names have the form ``__name__``.

    Raises
    ------
    AttributeValueError, DTypeError, StorageError, TypeError
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a variable must be a string, but got {name!r}")
    if attr is not None and not isinstance(attr, Mapping):
        raise TypeError(f"variable {name}: attr is {attr!r}, but a dict of strings is required")
    attrs = strings(attr or {}, f"variable {name}")
    plain = {"__shape__": shape, "__lr_mult__": lr_mult, "__wd_mult__": wd_mult}
    attrs |= {key: to_string(value) for key, value in plain.items() if value is not None}
    if dtype is not None:
        attrs["__dtype__"] = str(CODES[dtype_name(dtype)])
    if init is not None:
        attrs["__init__"] = _init_of(name, init)
    if stype is not None:
        attrs["__storage_type__"] = _stype_code(name, stype)
    for key, value in kwargs.items():
        if not build.is_hidden(key):
            raise AttributeValueError(
                f"variable {name}: unknown argument {key!r}; free attributes need names that "
                "start and end with two underscores, such as __layout__"
            )
        attrs[key] = to_string(value)
    return Symbol([build.variable(name, attrs)])


Variable = var


def _init_of(name: str, init: Any) -> str:
    if isinstance(init, str):
        return init
    if not hasattr(init, "dumps"):
        raise TypeError(f"variable {name}: init is {init!r}, but an Initializer is required")
    return init.dumps()


def _stype_code(name: str, stype: Any) -> str:
    if stype not in STYPE_CODES:
        raise StorageError(
            f"variable {name}: stype is {stype!r}, but one of {', '.join(STYPE_CODES)} is required"
        )
    return str(STYPE_CODES[stype])


def Group(symbols: Sequence[Symbol]) -> Symbol:
    """One symbol with the outputs of all these.

    Raises
    ------
    TypeError
        If there are none, or one is no symbol.
    """
    if isinstance(symbols, SymbolBase):
        raise TypeError("Group takes a list of symbols, but got a single one")
    listed = list(symbols)
    if not listed or not all(isinstance(s, SymbolBase) for s in listed):
        raise TypeError("Group takes a list of symbols, at least one")
    return Symbol(e for s in listed for e in s.heads)


# ---- constants ----------------------------------------------------------------------


def _constant(called: str, given: dict[str, Any], kwargs: dict[str, Any]) -> Symbol:
    given["dtype"] = given["dtype"] if given["dtype"] is not None else "float32"
    return Symbol._of(invoke(called, [], {**given, **kwargs}))


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """An array of zeros, float32 by default."""
    return _constant("_zeros", {"shape": shape, "dtype": dtype}, kwargs)


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """An array of ones, float32 by default."""
    return _constant("_ones", {"shape": shape, "dtype": dtype}, kwargs)


def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Symbol:
    """An array filled with ``val``, float32 by default."""
    return _constant("_full", {"shape": shape, "dtype": dtype, "value": float(val)}, kwargs)


def eye(  # MXNet's names
    N: int,  # noqa: N803
    M: int = 0,  # noqa: N803
    k: int = 0,
    dtype: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Ones on the ``k``-th diagonal of an (N, M) matrix, (N, N) for M = 0; zeros elsewhere."""
    return _constant("_eye", {"N": N, "M": M, "k": k, "dtype": dtype}, kwargs)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """Evenly spaced numbers, each ``repeat`` times; ``arange(n)`` counts from 0 to ``n``."""
    given = {"start": start, "stop": stop, "step": step, "repeat": repeat}
    given |= {"infer_range": infer_range, "dtype": dtype}
    return _constant("_arange", given, {"name": name})


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """``num`` evenly spaced numbers from ``start`` to ``stop``."""
    given = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "dtype": dtype}
    return _constant("_linspace", given, {"name": name})


# ---- functions of symbols and numbers -----------------------------------------------


def _combined(name: str, left: Any, right: Any) -> Any:
    made = operators.combine(name, left, right)
    return Symbol._of(made) if isinstance(made, Node) else made


def maximum(left: Any, right: Any) -> Any:
    """The larger of both, element by element; each a symbol or a number."""
    return _combined("maximum", left, right)


def minimum(left: Any, right: Any) -> Any:
    """The smaller of both, element by element; each a symbol or a number."""
    return _combined("minimum", left, right)


def power(base: Any, exp: Any) -> Any:
    """``base`` to the power ``exp``, element by element; each a symbol or a number."""
    return _combined("power", base, exp)


pow = power


def hypot(left: Any, right: Any) -> Any:
    """``sqrt(left ** 2 + right ** 2)``, element by element; each a symbol or a number."""
    return _combined("hypot", left, right)


def histogram(a: Symbol, bins: Any = 10, range: Any = None, **kwargs: Any) -> Symbol:
    """Counts of the values of ``a`` and the edges of the bins.

    Parameters
    ----------
    bins : int or Symbol
        Their number, or their edges.
    range : tuple of float
        Lower and upper end, required with a number of bins.
    """
    if isinstance(bins, SymbolBase):
        return Symbol._of(invoke("_histogram", [], {"data": a, "bins": bins, **kwargs}))
    if range is None:
        raise AttributeValueError("histogram: a number of bins needs a range, which is missing")
    given = {"data": a, "bin_cnt": bins, "range": range}
    return Symbol._of(invoke("_histogram", [], {**given, **kwargs}))


def split_v2(
    ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Symbol:
    """Cut an axis into so many equal parts, or at these indices."""
    return Symbol._of(operators.split_v2(ary, indices_or_sections, axis, squeeze_axis))
