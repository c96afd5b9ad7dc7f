"""How often a variable has been changed when a node reads it; MXNet's files tell it."""

from __future__ import annotations

from collections.abc import Sequence

from symgraph.graph.graph import Entry, Graph, Node


def input_versions(graph: Graph) -> dict[Node, Sequence[int]]:
    """The version of every input of every operator's node.

    An auxiliary state counts its changes: a node that changes it reads the number after its own.
    Where a file said otherwise (old ones had no versions), its word stands.
    """
    changes: dict[Node, int] = {}
    found: dict[Node, Sequence[int]] = {}
    for node in graph.order:
        if node.is_variable:
            continue
        aux = node.aux_inputs()
        for entry in aux:
            changes[entry.node] = changes.get(entry.node, 0) + 1
        found[node] = node.versions or [changes.get(e.node, 0) for e in node.inputs]
        if node.versions and aux:
            for entry, version in zip(aux, node.versions[-len(aux) :], strict=True):
                changes[entry.node] = version
    return found


def head_versions(graph: Graph, inputs: dict[Node, Sequence[int]]) -> list[int]:
    """The version of every head: as often as the graph has changed it."""
    latest: dict[Entry, int] = {}
    for node, versions in inputs.items():
        for entry, version in zip(node.inputs, versions, strict=True):
            latest[entry] = max(latest.get(entry, 0), version)
    return [latest.get(e, 0) for e in graph.heads]
