"""Everything that is known of a graph before it runs: facts, gradients, bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symgraph.errors import MXNetError
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.graph.hints import declared_dtypes, declared_shapes, declared_stypes
from symgraph.passes.fuse import fuse
from symgraph.passes.gradient import Gradient, gradient, gradient_facts
from symgraph.passes.infer_dtype import infer_dtype
from symgraph.passes.infer_shape import infer_shape
from symgraph.passes.infer_storage import Dispatch, infer_storage
from symgraph.storage import Shape, SType


@dataclass(frozen=True, eq=False)
class Layout:
    """A graph with gradients and complete facts; a program is compiled from it.

    Attributes
    ----------
    forward : Graph
        The user's graph, or one that computes the same with nodes fused.
    whole : Gradient
        The forward graph and the gradients of ``wrt``.
    shapes, dtypes, stypes : mapping
        Of every entry of the whole graph.
    dispatch : mapping of Node to Dispatch
    """

    forward: Graph
    whole: Gradient
    shapes: Mapping[Entry, Shape]
    dtypes: Mapping[Entry, str]
    stypes: Mapping[Entry, SType]
    dispatch: Mapping[Node, Dispatch]

    def grad_stype(self, node: Node) -> SType:
        """Storage type of a variable's gradient; ``default`` where it is zero."""
        entry = self.whole.of.get(node)
        return "default" if entry is None else self.stypes[entry]


def by_name(graph: Graph) -> dict[str, Node]:
    """Variables by name.

    Raises
    ------
    MXNetError
        If two variables share a name, since arrays are bound by name.
    """
    nodes: dict[str, Node] = {}
    for node in graph.variables:
        if nodes.setdefault(node.name, node) is not node:
            raise MXNetError(f"two different variables are called {node.name!r}; rename one")
    return nodes


def lay_out(
    graph: Graph,
    wrt: Mapping[Node, str],
    shapes: Mapping[Node, Shape],
    dtypes: Mapping[Node, str],
    stypes: Mapping[Node, SType],
    *,
    exact: bool = False,
    fused: bool = True,
) -> Layout:
    """Infer all facts and build the gradients.

    Parameters
    ----------
    wrt : mapping of Node to str
        The variables with a gradient and their ``grad_req``.
    shapes, dtypes, stypes
        What is given; what variables declare themselves fills in.
    exact : bool
        Shapes are those of arrays, so that a length of 0 is a length.
    fused : bool
        Whether nodes may be fused; who watches every node wants them as they are.

    Raises
    ------
    ShapeError, DTypeError, UnknownOperatorError
    """
    declared = {} if exact else declared_shapes(graph)
    found = infer_shape(graph, {**declared, **shapes}, partial=exact)
    types = infer_dtype(graph, {**declared_dtypes(graph), **dtypes}, default="float32")
    stored: dict[Node, SType] = {**declared_stypes(graph), **stypes}
    if fused and (fewer := fuse(graph, found, stored)) is not graph:
        graph = fewer
        found = infer_shape(graph, {n: found[Entry(n)] for n in graph.variables}, partial=exact)
        types = infer_dtype(graph, {n: types[Entry(n)] or "float32" for n in graph.variables})
    complete = {e: (shape if shape is not None else ()) for e, shape in found.items()}
    named = {e: dtype or "float32" for e, dtype in types.items()}
    grads = gradient(graph, [n for n, req in wrt.items() if req != "null"])
    all_stypes, dispatch = infer_storage(grads.graph, stored)
    return Layout(
        graph,
        grads,
        gradient_facts(grads, graph, complete),
        gradient_facts(grads, graph, named),
        all_stypes,
        dispatch,
    )
