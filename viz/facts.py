"""What a drawing knows of a graph: shapes and types as far as they go, and what are parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from operator import index
from typing import Any

from symgraph.dtypes import dtype_name
from symgraph.errors import MXNetError, ShapeError, close_names
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.graph.hints import declared_dtypes, declared_shapes
from symgraph.ops.op import REGISTRY
from symgraph.passes.infer_dtype import infer_dtype
from symgraph.passes.infer_shape import infer_shape
from symgraph.storage import Shape
from symgraph.symbol.base import SymbolBase

WEIGHT_SUFFIXES = (
    "_weight",
    "_bias",
    "_gamma",
    "_beta",
    "_moving_mean",
    "_moving_var",
    "_running_mean",
    "_running_var",
)
"""Ends of names that MXNet takes for weights."""

PARAMETER_SLOTS = {"weight", "bias", "gamma", "beta", "parameters"}
"""Inputs of operators that are parameters, whatever a variable there is called."""

STATE_SLOTS = {"state", "state_cell"}


def graph_of(symbol: Any) -> Graph:
    """The graph of a Symbol, a Graph or the path of a symbol's JSON file.

    Raises
    ------
    TypeError
        If ``symbol`` is none of them.
    """
    if isinstance(symbol, str | os.PathLike):
        from symgraph.symbol import load

        symbol = load(os.fspath(symbol))
    if isinstance(symbol, SymbolBase | Graph):
        return Graph(symbol.heads)
    raise TypeError(f"symbol must be a Symbol, but got {symbol!r}")


class _KnownPart(Graph):
    """A graph without the operators that are not built, as facts cannot pass through them."""

    @cached_property
    def order(self) -> tuple[Node, ...]:
        return tuple(
            n
            for n in Graph(self.heads).order
            if n.op is None or REGISTRY.get(n.op_name) is type(n.op)
        )


def shapes_of(graph: Graph, given: Mapping[str, Any]) -> dict[Entry, Shape | None]:
    """Shapes of all entries as far as they follow from ``given``, with 0 for unknown lengths.

    Raises
    ------
    MXNetError
        If ``given`` names no variable.
    ShapeError
        If shapes contradict each other.
    """
    known = dict(declared_shapes(graph))
    for node, shape in _by_node(graph, "shape", given).items():
        try:
            known[node] = tuple(max(index(n), 0) for n in shape)
        except TypeError:
            raise ShapeError(
                f"variable {node.name}: shape is {shape!r}, but whole numbers are required"
            ) from None
    return infer_shape(_KnownPart(graph.heads), known, partial=True)


def dtypes_of(graph: Graph, given: Mapping[str, Any]) -> dict[Entry, str | None]:
    """Element types of all entries as far as they follow from ``given``.

    Raises
    ------
    MXNetError
        If ``given`` names no variable.
    DTypeError
        If types contradict each other.
    """
    known = dict(declared_dtypes(graph))
    known |= {n: dtype_name(t) for n, t in _by_node(graph, "dtype", given).items()}
    return infer_dtype(_KnownPart(graph.heads), known)


def _by_node(graph: Graph, what: str, given: Mapping[str, Any]) -> dict[Node, Any]:
    """What is given by name, for all variables of that name."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is {given!r}, but a dict of one {what} for each input is required")
    names = {n.name for n in graph.variables}
    for name in given:
        if name not in names:
            raise MXNetError(
                f"{what} is given for {name!r}, but the network has no such variable"
                f"{close_names(str(name), names)}"
            )
    return {n: given[n.name] for n in graph.variables if given.get(n.name) is not None}


def called_like_weight(node: Node) -> bool:
    """Whether a variable's name ends like a weight's; MXNet hides these."""
    return node.is_variable and node.name.endswith(WEIGHT_SUFFIXES)


def parameters_of(graph: Graph) -> frozenset[Node]:
    """Variables that are learnt or kept by the network rather than fed to it, as far as one sees.

    They are called like weights, stand where an operator takes a weight, or are auxiliary.
    """
    found = {n for n, slots in _slots(graph).items() if slots & PARAMETER_SLOTS}
    return graph.aux_nodes | found.union(n for n in graph.variables if called_like_weight(n))


def labels_of(graph: Graph) -> frozenset[Node]:
    """Variables that operators take as labels and as nothing else, or that are called so."""
    found = {n for n, slots in _slots(graph).items() if slots == {"label"}}
    return frozenset(found.union(n for n in graph.variables if n.name.endswith("_label")))


def states_of(graph: Graph) -> frozenset[Node]:
    """Variables that are initial states of a recurrent network: fed, not learnt."""
    found = {n for n, slots in _slots(graph).items() if slots & STATE_SLOTS}
    return frozenset(found.union(n for n in graph.variables if "begin_state" in n.name))


def _slots(graph: Graph) -> dict[Node, set[str]]:
    """What operators call each variable that they read."""
    slots: dict[Node, set[str]] = {}
    for node in graph.order:
        for name, entry in zip(node.input_names(), node.inputs, strict=False):
            if entry.node.is_variable:
                slots.setdefault(entry.node, set()).add(name)
    return slots
