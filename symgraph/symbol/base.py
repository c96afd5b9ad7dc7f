"""What every symbol is, heads of a graph, and how calling an operator makes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Self

from symgraph.base import _Null
from symgraph.errors import MXNetError, NotImplementedForSymbol
from symgraph.graph import build
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops import op as ops
from symgraph.ops.op import Op

COMMON = ("name", "attr", "out")
"""Parameters that every operator function has after its own."""


class SymbolBase:
    """Some outputs of a graph's nodes. :class:`~symgraph.symbol.Symbol` has the methods."""

    __slots__ = ("_graph",)

    def __init__(self, heads: Iterable[Entry]) -> None:
        self._graph = Graph(heads)

    @property
    def heads(self) -> tuple[Entry, ...]:
        """The outputs that this symbol stands for."""
        return self._graph.heads

    @classmethod
    def _of(cls, node: Node) -> Self:
        return cls(visible(node))

    def __bool__(self) -> bool:
        raise NotImplementedForSymbol("bool")


def entry_of(value: object, what: str) -> Entry:
    """The one output that a symbol stands for.

    Raises
    ------
    TypeError
        If ``value`` is no symbol.
    MXNetError
        If it has several outputs.
    """
    if not isinstance(value, SymbolBase):
        raise TypeError(f"{what} must be a Symbol, but got {value!r}")
    heads = value.heads
    if len(heads) != 1:
        names = ", ".join(e.name for e in heads[:8])
        raise MXNetError(
            f"{what} needs one output, but the symbol given has {len(heads)} ({names}); "
            "choose one by index"
        )
    return heads[0]


def visible(node: Node) -> list[Entry]:
    """The outputs of a node that users see."""
    return [Entry(node, i) for i in range(node.num_visible)]


@cache
def parameters(cls: type[Op]) -> tuple[str, ...]:
    """What may be given by position, in order: inputs, auxiliary states, attributes, common."""
    return (*cls.contract.inputs, *cls.contract.aux, *cls.attr_specs, *COMMON)


def invoke(
    called: str, args: Sequence[Any], kwargs: Mapping[str, Any], hint: str | None = None
) -> Node:
    """Use the operator ``called`` with what a user gave to its function.

    Symbols are inputs, everything else attributes. ``hint`` is the stem of the automatic name.

    Raises
    ------
    UnknownOperatorError, AttributeValueError, TypeError, MXNetError
    """
    cls = ops.find(called)
    positional: list[Entry] = []
    if cls.contract.variadic:
        positional = [entry_of(a, f"{called}: input {i}") for i, a in enumerate(args)]
        values = dict(kwargs)
    else:
        values = _by_name(called, parameters(cls), args, kwargs)
    name, attr = values.pop("name", None), values.pop("attr", None)
    values.pop("out", None)
    _check_common(called, name, attr)
    inputs = {*cls.contract.inputs, *cls.contract.aux}
    named: dict[str, Entry] = {}
    given: dict[str, Any] = {}
    for key, value in values.items():
        if value is _Null or (value is None and key in inputs):
            continue
        if key in inputs or (isinstance(value, SymbolBase) and key not in cls.attr_specs):
            named[key] = entry_of(value, f"{called}: {key}")
        else:
            given[key] = value
    if positional and named:
        raise TypeError(f"{called} takes its inputs either by position or by keyword, not both")
    return build.apply(called, positional, named, given, name=name, hint=hint, attr=attr or {})


def _by_name(
    called: str, names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    if len(args) > len(names):
        raise TypeError(f"{called} takes {len(names)} arguments at most, but {len(args)} are given")
    values = dict(zip(names, args, strict=False))
    twice = values.keys() & kwargs.keys()
    if twice:
        raise TypeError(f"{called}: {', '.join(sorted(twice))} is given by position and by keyword")
    values.update(kwargs)
    return values


def _check_common(called: str, name: object, attr: object) -> None:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{called}: name is {name!r}, but a string is required")
    if attr is not None and not isinstance(attr, Mapping):
        raise TypeError(f"{called}: attr is {attr!r}, but a dict of strings is required")
