"""From a graph to what is drawn: boxes with captions and arrows with labels. No syntax here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symgraph.graph.graph import Entry, Graph
from symgraph.storage import Shape
from symgraph.viz.facts import called_like_weight, dtypes_of, parameters_of, shapes_of
from symgraph.viz.style import Look, caption_of, look_of
from symgraph.viz.text import readable, shape_text

Facts = tuple[Mapping[Entry, Shape | None], Mapping[Entry, str | None]]


@dataclass(frozen=True, slots=True)
class Box:
    """A node as it is drawn.

    Attributes
    ----------
    number : int
        Where the node stands in the graph's order.
    name : str
        As the user gave it.
    caption : tuple of str
        Lines of text, as they are to be read.
    """

    number: int
    name: str
    caption: tuple[str, ...]
    look: Look


@dataclass(frozen=True, slots=True)
class Arrow:
    """A tensor on its way from the box numbered ``source`` to the one numbered ``reader``."""

    source: int
    reader: int
    label: str


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn; boxes in the order of the graph, so that sources come before readers."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def view_of(
    graph: Graph,
    *,
    shape: Mapping[str, Any] | None = None,
    dtype: Mapping[str, Any] | None = None,
    hide_weights: bool = True,
) -> View:
    """What is drawn of a graph.

    Parameters
    ----------
    shape, dtype : mapping, optional
        Of inputs by name; arrows then show what follows from them.
    hide_weights : bool
        Leave out variables that are called like weights.

    Raises
    ------
    MXNetError
        If a name in ``shape`` or ``dtype`` is no variable's.
    ShapeError, DTypeError
        If shapes or types contradict each other.
    """
    facts: Facts = (
        {} if shape is None else shapes_of(graph, shape),
        {} if dtype is None else dtypes_of(graph, dtype),
    )
    parameters = parameters_of(graph)
    hidden = {n for n in graph.variables if hide_weights and called_like_weight(n)}
    return View(
        tuple(
            Box(i, n.name, tuple(map(readable, caption_of(n))), look_of(n, called_like_weight(n)))
            for i, n in enumerate(graph.order)
            if n not in hidden
        ),
        tuple(
            Arrow(graph.position[entry.node], i, _label(entry, facts, entry.node in parameters))
            for i, n in enumerate(graph.order)
            for entry in n.inputs
            if entry.node not in hidden
        ),
    )


def _label(entry: Entry, facts: Facts, whole: bool) -> str:
    """Shape and type of a tensor; without its first axis, the batch, unless ``whole``."""
    shapes, dtypes = facts
    shape, dtype = shapes.get(entry), dtypes.get(entry)
    if shape and not whole:
        shape = shape[1:]
    return shape_text(shape) + (f"({dtype})" if dtype else "")
