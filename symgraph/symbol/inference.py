"""Shapes and types of a symbol, in the form in which MXNet gives them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from symgraph.dtypes import dtype_name
from symgraph.errors import MXNetError, ShapeError, close_names
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.graph.hints import declared_dtypes, declared_shapes
from symgraph.passes.infer_dtype import infer_dtype
from symgraph.passes.infer_shape import infer_shape
from symgraph.storage import Shape

Shapes = tuple[list[Shape], list[Shape], list[Shape]]
Types = tuple[list[Any], list[Any], list[Any]]
NOTHING = (None, None, None)


def shapes_of(
    graph: Graph, args: Sequence[Any], kwargs: Mapping[str, Any], *, partial: bool
) -> Shapes | tuple[None, None, None]:
    """(arguments, outputs, auxiliary states), see ``Symbol.infer_shape``."""
    given = _by_node(graph, "infer_shape", args, kwargs)
    known = {**declared_shapes(graph)}
    for node, shape in given.items():
        if shape is not None and shape != ():
            known[node] = _checked(node, shape)
    found = infer_shape(graph, known, partial=True)
    result = _in_order(graph, {e: s or () for e, s in found.items()})
    if not partial and not _only_batch_is_open(result):
        _warn("shape", graph, result[0] + result[2])
        return NOTHING
    return result


def types_of(
    graph: Graph, args: Sequence[Any], kwargs: Mapping[str, Any], *, partial: bool
) -> Types | tuple[None, None, None]:
    """(arguments, outputs, auxiliary states), see ``Symbol.infer_type``."""
    given = _by_node(graph, "infer_type", args, kwargs)
    known = declared_dtypes(graph)
    known |= {node: dtype_name(dtype) for node, dtype in given.items() if dtype is not None}
    found = infer_dtype(graph, known)
    types = {e: None if t is None else getattr(np, t, t) for e, t in found.items()}
    result = _in_order(graph, types)
    if not partial and any(t is None for group in result for t in group):
        _warn("type", graph, result[0] + result[2])
        return NOTHING
    return result


def _in_order(graph: Graph, facts: Mapping[Entry, Any]) -> tuple[list, list, list]:
    return (
        [facts[Entry(n)] for n in graph.arguments],
        [facts[e] for e in graph.heads],
        [facts[Entry(n)] for n in graph.auxiliaries],
    )


def _by_node(
    graph: Graph, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[Node, Any]:
    """What is given, by position or by name, to all variables of that name."""
    if args and kwargs:
        raise ValueError(f"{what}: give arguments either by position or by keyword, not both")
    if len(args) > len(graph.arguments):
        raise MXNetError(
            f"{what}: {len(args)} values given, but there are {len(graph.arguments)} arguments"
        )
    if args:
        return dict(zip(graph.arguments, args, strict=False))
    nodes: dict[str, list[Node]] = {}
    for node in graph.variables:
        nodes.setdefault(node.name, []).append(node)
    for name in kwargs:
        if name not in nodes:
            raise MXNetError(
                f"{what}: no argument is called {name!r}{close_names(name, nodes)} "
                f"(arguments: {', '.join(nodes) or 'none'})"
            )
    return {node: value for name, value in kwargs.items() for node in nodes[name]}


def _checked(node: Node, shape: Any) -> Shape:
    if not isinstance(shape, tuple):
        raise TypeError(f"the shape of {node.name} is {shape!r}, but a tuple is required")
    lengths = tuple(map(index, shape))
    if any(n < 0 for n in lengths):
        raise ShapeError(f"the shape of {node.name} is {shape}, but a length cannot be negative")
    return lengths


def _only_batch_is_open(result: Shapes) -> bool:
    """Whether all is known, or all but the first axis of some tensors."""
    return all(shape and 0 not in shape[1:] for group in result for shape in group)


def _warn(what: str, graph: Graph, facts: Sequence[Any]) -> None:
    """Name the arguments that stay open; ``facts`` are those of arguments, then of states."""
    nodes = (*graph.arguments, *graph.auxiliaries)
    open_ = [
        f"{node.name}: {fact}"
        for node, fact in zip(nodes, facts, strict=True)
        if not fact or (what == "shape" and 0 in fact)
    ]
    if open_:
        listed = "\n\t".join(open_[:20])
        more = f"\n\tand {len(open_) - 20} more" if len(open_) > 20 else ""
        text = f"cannot decide the {what} of these arguments; give it:\n\t{listed}{more}"
        warnings.warn(text, stacklevel=4)
