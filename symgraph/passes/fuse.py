"""Replaces groups of nodes by one that computes the same with less memory traffic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symgraph.graph.compose import replace_entries
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.fused import RowDot
from symgraph.storage import Shape, SType


def fuse(graph: Graph, shapes: Mapping[Entry, Shape | None], stypes: Mapping[Node, SType]) -> Graph:
    """A graph with the same heads, variables and names; the same one where nothing fits.

    Fused are sums over the last axis of products of two embeddings with sparse gradients, which
    nothing else reads: the rows are then never copied out of their tables.

    Parameters
    ----------
    shapes : mapping
        Of all entries; None is unknown.
    stypes : mapping
        Storage types of variables; what is not there is ``default``.
    """
    readers = Counter(e for n in graph.order for e in n.inputs)
    readers.update(graph.heads)
    replaced: dict[Entry, Entry] = {}
    for node in graph.order:
        made = _row_dot(node, readers, shapes, stypes)
        if made is not None:
            replaced[Entry(node)] = Entry(made)
    return replace_entries(graph, replaced) if replaced else graph


def _row_dot(
    node: Node,
    readers: Mapping[Entry, int],
    shapes: Mapping[Entry, Shape | None],
    stypes: Mapping[Node, SType],
) -> Node | None:
    """The fused node for a sum of products of embedded rows, or None if ``node`` is none."""
    if node.op_name != "sum":
        return None
    product = node.inputs[0]
    if product.node.op_name not in ("elemwise_mul", "broadcast_mul") or readers[product] > 1:
        return None
    lhs, rhs = product.node.inputs
    shape = shapes.get(lhs)
    if shape is None or shape != shapes.get(rhs) or not _sums_last(node, len(shape)):
        return None
    if lhs == rhs or not all(_is_lookup(e, readers, stypes) for e in (lhs, rhs)):
        return None
    op = RowDot(
        lhs_dim=getattr(lhs.node.op, "input_dim"),  # noqa: B009  its class is not known here
        rhs_dim=getattr(rhs.node.op, "input_dim"),  # noqa: B009
        keepdims=getattr(node.op, "keepdims"),  # noqa: B009
    )
    return Node(op, node.name, node.attrs, (*lhs.node.inputs, *rhs.node.inputs))


def _sums_last(node: Node, ndim: int) -> bool:
    axis = getattr(node.op, "axis", None)
    return not getattr(node.op, "exclude", False) and axis in ((ndim - 1,), (-1,))


def _is_lookup(entry: Entry, readers: Mapping[Entry, int], stypes: Mapping[Node, SType]) -> bool:
    """Whether ``entry`` is a lookup in a dense table that nothing else reads."""
    node = entry.node
    if node.op_name != "Embedding" or readers[entry] > 1:
        return False
    sparse = getattr(node.op, "sparse_grad", False)
    return sparse and all(stypes.get(e.node, "default") == "default" for e in node.inputs)
