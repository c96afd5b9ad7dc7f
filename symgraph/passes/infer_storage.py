"""Storage types of all entries, and which body runs at each node."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.backward import Backward, ZeroGradient
from symgraph.ops.op import FORWARD, Impl, Op
from symgraph.storage import SType

log = logging.getLogger("symgraph")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The body for one node, and whether its sparse inputs must be made dense for it."""

    impl: Impl
    densify: bool


def infer_storage(
    graph: Graph, known: Mapping[Node, SType]
) -> tuple[dict[Entry, SType], dict[Node, Dispatch]]:
    """Storage types follow from those of the variables; all others are ``default``.

    A node whose operator has no body for its storage types runs the dense one on dense copies,
    which is logged.
    """
    stypes: dict[Entry, SType] = {Entry(n): known.get(n, "default") for n in graph.variables}
    dispatch: dict[Node, Dispatch] = {}
    for node in graph.order:
        op = node.op
        if op is None:
            continue
        stage = "backward" if isinstance(op, Backward) else "forward"
        body = op.of if isinstance(op, Backward) else op
        ins: tuple[SType, ...] = tuple(stypes[e] for e in node.inputs)
        impl = FORWARD if isinstance(op, ZeroGradient) else body.implementation(stage, ins)
        densify = impl.is_dense and any(s != "default" for s in ins)
        if densify:
            log.info("%s: no body for %s; it runs on dense copies", node, ", ".join(ins))
        dispatch[node] = Dispatch(impl, densify)
        stypes.update({Entry(node, i): s for i, s in enumerate(_outputs(op, body, impl))})
    return stypes, dispatch


def _outputs(op: Op, body: Op, impl: Impl) -> tuple[SType, ...]:
    names = op.list_outputs()
    if impl.is_dense:
        return ("default",) * len(names)
    of = body.list_inputs() if isinstance(op, Backward) else body.list_outputs()
    # A "-" stands for no result: the gradient is zero, and stored densely where asked for.
    by_name = {n: s for n, s in zip(of, impl.outs, strict=False) if s != "-"}
    return tuple(by_name.get(n, "default") for n in names)  # pyright: ignore[reportReturnType]
