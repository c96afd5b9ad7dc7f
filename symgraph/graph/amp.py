"""Leaving out the casts that automatic mixed precision adds."""

from __future__ import annotations

from symgraph.graph.graph import Entry, Graph, Node

_CASTS = ("amp_cast", "amp_multicast")


def without_casts(graph: Graph) -> Graph:
    """The graph that reads what goes into a cast instead of what comes out; heads stay.

    Both casts give output ``i`` from input ``i``.
    """
    casts = {n for n in graph.order if n.op_name in _CASTS}
    if not casts:
        return graph
    made: dict[Node, Node] = {}

    def now(entry: Entry) -> Entry:
        while entry.node in casts:
            entry = entry.node.inputs[entry.number]
        return Entry(made.get(entry.node, entry.node), entry.number)

    for node in graph.order:
        inputs = tuple(map(now, node.inputs))
        if inputs != node.inputs:
            made[node] = node.twin(node.name, inputs)
    return Graph(Entry(made.get(e.node, e.node), e.number) for e in graph.heads)
