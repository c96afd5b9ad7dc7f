"""The gradient graph: forward nodes, then one backward node for each that a gradient crosses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.backward import Backward, ZeroGradient
from symgraph.ops.op import create

Fact = TypeVar("Fact")


@dataclass(frozen=True)
class Gradient:
    """A graph extended by its gradients.

    Attributes
    ----------
    graph : Graph
        Heads are those of the forward graph, then the gradients.
    of : mapping of Node to Entry
        Where the gradient of each variable is; one that no path reaches is missing: it is zero.
    heads : mapping of int to Node
        By number of the forward head, the variable that holds its head gradient. Loss layers
        and heads that no variable in ``wrt`` leads to have none.
    """

    graph: Graph
    of: Mapping[Node, Entry]
    heads: Mapping[int, Node]


def gradient(graph: Graph, wrt: Sequence[Node]) -> Gradient:
    """Build the gradients of all heads with respect to the variables ``wrt``."""
    on_path = _on_path(graph, wrt)
    grads: dict[Entry, list[Entry]] = defaultdict(list)
    heads: dict[int, Node] = {}
    losses: set[Node] = set()
    for i, entry in enumerate(graph.heads):
        op = entry.node.op
        if op is not None and op.differentiable and not op.list_heads():
            losses.add(entry.node)
        elif entry in on_path:
            heads[i] = Node(None, f"_head_gradient{i}")
            grads[entry].append(Entry(heads[i]))
    for node in reversed(graph.order):
        if node.op is not None and node.op.differentiable:
            _backward(node, grads, on_path, node in losses)
    of = {node: _total(grads, Entry(node)) for node in wrt if grads.get(Entry(node))}
    whole = Graph((*graph.heads, *of.values()))
    read = {i: node for i, node in heads.items() if node in whole.position}
    return Gradient(whole, of, read)


def gradient_facts(grad: Gradient, forward: Graph, facts: Mapping[Entry, Fact]) -> dict:
    """Shapes or types of the whole gradient graph, from those of the forward graph.

    A gradient has the shape and the type of what it is the gradient of.
    """
    known: dict[Entry, Fact] = dict(facts)
    for i, node in grad.heads.items():
        known[Entry(node)] = known[forward.heads[i]]
    for node in grad.graph.order:
        if isinstance(node.op, Backward):
            assert node.source is not None
            inputs = dict(zip(node.source.input_names(), node.source.inputs, strict=False))
            for i, name in enumerate(node.op.wanted):
                known[Entry(node, i)] = known[inputs[name]]
        elif isinstance(node.op, ZeroGradient):
            assert node.source is not None
            known[Entry(node)] = known[Entry(node.source, node.op.number)]
        elif node.source is not None:
            known[Entry(node)] = known[node.inputs[0]]
    return known


def _on_path(graph: Graph, wrt: Sequence[Node]) -> set[Entry]:
    """Entries that depend on one of ``wrt``."""
    reached = {Entry(node) for node in wrt}
    for node in graph.order:
        if node.op is not None and any(e in reached for e in node.inputs):
            reached.update(Entry(node, i) for i in range(node.num_outputs))
    return reached


def _backward(
    node: Node, grads: dict[Entry, list[Entry]], on_path: set[Entry], is_loss: bool
) -> None:
    """Add the backward node of ``node``, if a gradient arrives and somebody wants one."""
    op = node.op
    assert op is not None
    outputs = [Entry(node, i) for i in range(node.num_visible)]
    if not is_loss and not any(grads.get(e) for e in outputs):
        return
    inputs = dict(zip(op.list_inputs(), node.inputs, strict=False))
    wanted = tuple(name for name, entry in inputs.items() if entry in on_path)
    if not wanted:
        return
    back = Backward(op, wanted)
    tensors = {**inputs, **dict(zip(op.list_aux(), node.aux_inputs(), strict=True))}
    tensors |= {name: Entry(node, i) for i, name in enumerate(op.list_outputs())}
    heads = [_total(grads, e) for e in outputs[: len(back.heads)]]
    reads = heads + [tensors[name] for name in back.needs]
    made = Node(back, f"{node.name}_backward", node.attrs, reads, source=node)
    for i, name in enumerate(wanted):
        grads[inputs[name]].append(Entry(made, i))


def _total(grads: dict[Entry, list[Entry]], entry: Entry) -> Entry:
    """The sum of all gradients that reach ``entry``; a zero where there are none."""
    parts = grads.get(entry, [])
    if not parts:
        return Entry(Node(ZeroGradient(entry.number), "_zero", source=entry.node))
    if len(parts) > 1:
        add = create("add_n", {"num_args": str(len(parts))})
        total = Node(add, f"{entry.name}_gradient_sum", inputs=parts, source=entry.node)
        grads[entry] = [Entry(total)]
    return grads[entry][0]
