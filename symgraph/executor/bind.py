"""Binding: from a graph and arrays, or shapes, to an executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.context import Context, chosen_context
from symgraph.dtypes import dtype_name
from symgraph.errors import MXNetError
from symgraph.executor.arrays import (
    Bound,
    allocate,
    check_devices,
    check_grads,
    check_names,
    grad_reqs,
    take_arrays,
    take_shapes,
)
from symgraph.executor.executor import Executor
from symgraph.executor.layout import by_name, lay_out
from symgraph.graph.graph import Graph, Node
from symgraph.storage import STYPES, Shape


def bind(
    graph: Graph,
    ctx: Context | None,
    args: Any,
    args_grad: Any = None,
    grad_req: Any = "write",
    aux_states: Any = None,
) -> Executor:
    """Bind to the user's arrays.

    Parameters
    ----------
    args, args_grad, aux_states : dict or list of NDArray
        By name, or in the order of ``list_arguments()`` and ``list_auxiliary_states()``.
    grad_req : str, list or dict
        ``"write"``, ``"add"`` or ``"null"``; without an array in ``args_grad`` it is null.

    Raises
    ------
    ValueError
        If an array is missing.
    ShapeError, DTypeError, UnknownOperatorError
    """
    ctx = chosen_context(ctx)
    by_name(graph)
    arguments = take_arrays("args", graph.arguments, args)
    aux = take_arrays("aux_states", graph.auxiliaries, aux_states)
    grads = take_arrays("args_grad", graph.arguments, args_grad, optional=True)
    asked = grad_reqs(graph, grad_req)
    reqs = {n: (req if n in grads else "null") for n, req in asked.items()}
    bound = Bound(arguments, aux, grads, reqs)
    check_grads(bound)
    check_devices(bound, ctx)
    layout = lay_out(graph, reqs, bound.shapes(), bound.dtypes(), bound.stypes(), exact=True)
    return Executor(graph, layout, ctx, bound)


def simple_bind(
    graph: Graph,
    ctx: Context | None,
    grad_req: Any = "write",
    type_dict: Mapping[str, Any] | None = None,
    stype_dict: Mapping[str, str] | None = None,
    shapes: Mapping[str, Shape] | None = None,
    shared_arg_names: Sequence[str] | None = None,
    shared_exec: Executor | None = None,
) -> Executor:
    """Infer all shapes and types from some, and bind to new arrays of zeros.

    Parameters
    ----------
    type_dict, stype_dict, shapes : mapping
        By variable name.
    shared_arg_names, shared_exec
        Take these arguments (by default all that fit) from another executor.

    Raises
    ------
    MXNetError
        If a name is no variable.
    ShapeError, DTypeError, UnknownOperatorError
    """
    ctx = chosen_context(ctx)
    nodes = by_name(graph)
    shapes, type_dict, stype_dict = shapes or {}, type_dict or {}, stype_dict or {}
    for what, names in (("type_dict", type_dict), ("stype_dict", stype_dict)):
        check_names(f"simple_bind: {what}", names, nodes)
    for name, stype in stype_dict.items():
        if stype not in STYPES:
            raise MXNetError(
                f"simple_bind: storage type of {name} is {stype!r}, "
                f"but one of {', '.join(STYPES)} is required"
            )
    reqs = grad_reqs(graph, grad_req)
    layout = lay_out(
        graph,
        reqs,
        take_shapes("simple_bind: shape", nodes, shapes),
        {nodes[k]: dtype_name(v) for k, v in type_dict.items()},
        {nodes[k]: v for k, v in stype_dict.items()},  # pyright: ignore[reportArgumentType]
    )
    shared = _shared(nodes, shared_arg_names, shared_exec)
    return Executor(graph, layout, ctx, allocate(layout, ctx, reqs, shared))


def _shared(
    nodes: Mapping[str, Node], names: Sequence[str] | None, other: Executor | None
) -> Bound | None:
    """Arrays of another executor, keyed by this graph's variables."""
    if other is None:
        return None

    def pick(arrays: Mapping[str, Any]) -> dict[Node, Any]:
        return {
            nodes[k]: a
            for k, a in arrays.items()
            if k in nodes and a is not None and (names is None or k in names)
        }

    return Bound(pick(other.arg_dict), pick(other.aux_dict), pick(other.grad_dict))
