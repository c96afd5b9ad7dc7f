"""Shapes of all entries, from those of some variables."""

from __future__ import annotations

from collections.abc import Mapping

from symgraph.errors import ShapeError
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.facts import Shapes
from symgraph.passes.infer import sweep
from symgraph.storage import Shape


def infer_shape(
    graph: Graph, known: Mapping[Node, Shape | None], *, partial: bool = False
) -> dict[Entry, Shape | None]:
    """Shapes of all entries.

    Facts flow both ways, from data to weights and from outputs back to inputs. In a shape a
    length of 0 is unknown; None is unknown altogether.

    Raises
    ------
    ShapeError
        If shapes contradict each other or, unless ``partial``, some stay open; names the node
        and the tensor.
    """
    shapes: dict[Entry, Shape | None] = dict.fromkeys(graph.entries())
    shapes.update({Entry(node): shape or None for node, shape in known.items()})
    sweep(graph, shapes, Shapes, "infer_shape", _complete, ShapeError)
    if not partial:
        require_complete(graph, shapes)
    return shapes


def _complete(shape: Shape) -> bool:
    return 0 not in shape


def require_complete(graph: Graph, shapes: Mapping[Entry, Shape | None]) -> None:
    """Raise a :class:`ShapeError` that names what is open, the causes first."""
    open_ = [e for e in graph.entries() if (shape := shapes.get(e)) is None or 0 in shape]
    if not open_:
        return
    inputs = [e for e in open_ if e.node.is_variable] or open_
    named = [f"{e.name} {shapes[e]}" if shapes.get(e) else e.name for e in inputs[:8]]
    more = f" and {len(inputs) - 8} more" if len(inputs) > 8 else ""
    raise ShapeError(f"cannot infer the shape of {', '.join(named)}{more}; give it")
