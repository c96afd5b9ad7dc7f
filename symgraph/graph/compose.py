"""Rewriting a graph: putting entries in the place of variables, copying all nodes."""

from __future__ import annotations

from collections.abc import Mapping

from symgraph.errors import MXNetError
from symgraph.graph.graph import Entry, Graph, Node


def substitute(
    graph: Graph, replace: Mapping[Node, Entry], names: Mapping[Node, str] | None = None
) -> Graph:
    """The graph that reads ``replace[v]`` wherever ``graph`` reads the variable ``v``.

    Nodes that no replaced variable reaches are shared by both graphs.

    Parameters
    ----------
    names : mapping of Node to str, optional
        New names for some nodes.

    Raises
    ------
    MXNetError
        If what comes in the place of an auxiliary state is no variable.
    """
    made: dict[Node, Node] = {}

    def now(entry: Entry) -> Entry:
        node = entry.node
        if node in replace:
            return replace[node]
        return Entry(made[node], entry.number) if node in made else entry

    for node in graph.order:
        if node in replace:
            continue
        inputs = tuple(map(now, node.inputs))
        name = names.get(node) if names else None
        if name or inputs != node.inputs:
            made[node] = node.twin(name or node.name, inputs)
            _check_aux(made[node])
    return Graph(map(now, graph.heads))


def replace_entries(graph: Graph, replaced: Mapping[Entry, Entry]) -> Graph:
    """The graph that reads ``replaced[e]`` wherever ``graph`` reads the entry ``e``.

    What comes in the place of an entry must not depend on replaced ones.
    """
    made: dict[Node, Node] = {}

    def now(entry: Entry) -> Entry:
        if entry in replaced:
            return replaced[entry]
        return Entry(made[entry.node], entry.number) if entry.node in made else entry

    for node in graph.order:
        inputs = tuple(map(now, node.inputs))
        if inputs != node.inputs:
            made[node] = node.twin(node.name, inputs)
    return Graph(map(now, graph.heads))


def copy_graph(graph: Graph) -> Graph:
    """The same graph of new nodes, so that setting attributes in one leaves the other alone."""
    made: dict[Node, Node] = {}
    for node in graph.order:
        inputs = [Entry(made[e.node], e.number) for e in node.inputs]
        made[node] = node.twin(node.name, inputs)
    return Graph(Entry(made[e.node], e.number) for e in graph.heads)


def _check_aux(node: Node) -> None:
    slots = node.op.list_aux() if node.op else ()
    for slot, entry in zip(slots, node.aux_inputs(), strict=True):
        if not entry.node.is_variable:
            raise MXNetError(
                f"{node}: {slot} is {entry.name}, but a variable is required, because the "
                "operator changes it"
            )
