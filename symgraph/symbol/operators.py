"""Methods that build one node: ``+``, ``<`` and their kin, and fluent ones (``x.reshape``)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

from symgraph.errors import NotImplementedForSymbol
from symgraph.graph import build
from symgraph.graph.graph import Entry, Node
from symgraph.symbol.base import SymbolBase, entry_of, invoke

if TYPE_CHECKING:
    from symgraph.symbol.symbol import Symbol

Method = Callable[..., "Symbol"]


def binary(both: str, scalar: str) -> Method:
    """A method that builds ``both`` of two symbols, ``scalar`` of a symbol and a number.

    MXNet's auto names follow the spelling called: ``_PlusScalar`` gives ``_plusscalar0``.
    """

    def method(self: SymbolBase, other: Any) -> Any:
        return self._of(_binary(both, scalar, self, other))

    return method


def reverse(scalar: str) -> Method:
    """A method that builds ``scalar`` of a symbol and the number on its left."""

    def method(self: SymbolBase, other: Any) -> Any:
        return self._of(_with_number(scalar, self, other))

    return method


def fluent(name: str, called: str) -> Method:
    """``x.name(...)`` for ``mx.sym.name(x, ...)``."""

    def method(self: SymbolBase, *args: Any, **kwargs: Any) -> Any:
        return self._of(invoke(called, [self, *args], kwargs))

    method.__doc__ = f"``mx.sym.{name}`` of this symbol; see there for the arguments."
    return _named(method, name)


def refused(name: str) -> Method:
    """A method that arrays have and symbols cannot have."""

    def method(self: SymbolBase, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedForSymbol(name)

    method.__doc__ = "Only arrays have this."
    return _named(method, name)


def _named(method: Any, name: str) -> Method:
    method.__name__, method.__qualname__ = name, f"Symbol.{name}"
    return method


def _binary(both: str, scalar: str, left: SymbolBase, right: Any) -> Node:
    if isinstance(right, SymbolBase):
        return build.apply(both, _operands(both, left, right))
    return _with_number(scalar, left, right)


def _operands(called: str, left: SymbolBase, right: SymbolBase) -> list[Entry]:
    return [entry_of(left, f"{called}: left side"), entry_of(right, f"{called}: right side")]


def _with_number(called: str, symbol: SymbolBase, number: Any) -> Node:
    if not isinstance(number, Number):
        raise TypeError(
            f"{called}: the other side is of type {type(number).__name__}, "
            "but a Symbol or a number is required"
        )
    return build.apply(called, [entry_of(symbol, called)], given={"scalar": number})


# name -> (of two symbols, of symbol and number, of number and symbol, of two numbers)
FUNCTIONS: dict[str, tuple[str, str, str, Callable[[Any, Any], Any]]] = {
    "maximum": ("_Maximum", "_MaximumScalar", "_MaximumScalar", max),
    "minimum": ("_Minimum", "_MinimumScalar", "_MinimumScalar", min),
    "power": ("_Power", "_PowerScalar", "_RPowerScalar", operator.pow),
    "hypot": ("_Hypot", "_HypotScalar", "_HypotScalar", math.hypot),
}


def combine(name: str, left: Any, right: Any) -> Any:
    """What ``maximum(left, right)`` and its kin give: a node, or a number for two numbers."""
    both, scalar, reversed_scalar, plain = FUNCTIONS[name]
    if isinstance(left, SymbolBase):
        return _binary(both, scalar, left, right)
    if isinstance(right, SymbolBase):
        return _with_number(reversed_scalar, right, left)
    if isinstance(left, Number) and isinstance(right, Number):
        return plain(left, right)
    kinds = f"{type(left).__name__} and {type(right).__name__}"
    raise TypeError(f"{name} takes symbols and numbers, but got {kinds}")


def split_v2(ary: Any, cuts: Any, axis: int = 0, squeeze_axis: bool = False) -> Node:
    """The node that cuts an axis into ``cuts`` equal parts, or at the indices ``cuts``."""
    if isinstance(cuts, tuple | list):
        indices, sections = [0, *cuts], 0
    elif isinstance(cuts, int):
        indices, sections = [], cuts
    else:
        raise TypeError(f"split_v2 cuts at a tuple of indices or into a number, but got {cuts!r}")
    given = {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis, "sections": sections}
    return build.apply("_split_v2", [entry_of(ary, "split_v2: ary")], given=given)


# fmt: off
FLUENT = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax",
    "argmax_channel", "argmin", "argsort", "broadcast_axes", "broadcast_like", "broadcast_to",
    "cbrt", "ceil", "clip", "cos", "cosh", "degrees", "depth_to_space", "diag", "exp",
    "expand_dims", "expm1", "fix", "flatten", "flip", "floor", "log", "log10", "log1p", "log2",
    "log_softmax", "max", "mean", "min", "nanprod", "nansum", "norm", "one_hot", "ones_like",
    "pad", "pick", "prod", "radians", "rcbrt", "reciprocal", "relu", "repeat", "reshape",
    "reshape_like", "rint", "round", "rsqrt", "shape_array", "sigmoid", "sign", "sin", "sinh",
    "size_array", "slice", "slice_axis", "slice_like", "softmax", "softmin", "sort",
    "space_to_depth", "split", "sqrt", "square", "squeeze", "sum", "swapaxes", "take", "tan",
    "tanh", "tile", "topk", "transpose", "trunc", "zeros_like",
)
# fmt: on
"""Operators that are methods of a symbol."""

NDARRAY_ONLY = (
    "asnumpy",
    "asscalar",
    "as_in_context",
    "backward",
    "copy",
    "detach",
    "wait_to_read",
)
"""Methods of arrays that a symbol refuses by name."""
