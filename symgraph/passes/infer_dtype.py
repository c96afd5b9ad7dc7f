"""Element types of all entries, from those of some variables."""

from __future__ import annotations

from collections.abc import Mapping

from symgraph.errors import DTypeError
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.facts import DTypes
from symgraph.passes.infer import sweep


def infer_dtype(
    graph: Graph, known: Mapping[Node, str], *, default: str | None = None
) -> dict[Entry, str | None]:
    """Element types of all entries; None where nothing implies one.

    Parameters
    ----------
    default : str, optional
        Given to all variables that nothing else decides.

    Raises
    ------
    DTypeError
        If types contradict each other; names the node and the tensor.
    """
    types: dict[Entry, str | None] = dict.fromkeys(graph.entries())
    types.update({Entry(node): dtype for node, dtype in known.items()})
    sweep(graph, types, DTypes, "infer_dtype", _complete, DTypeError)
    undecided = [n for n in graph.variables if types[Entry(n)] is None]
    if default is not None and undecided:
        types.update({Entry(node): default for node in undecided})
        sweep(graph, types, DTypes, "infer_dtype", _complete, DTypeError)
    return types


def _complete(_dtype: str) -> bool:
    return True
