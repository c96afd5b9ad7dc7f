"""print_summary: the layers of a network, their shapes and what they have to learn."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from symgraph.graph.graph import Entry, Graph, Node
from symgraph.storage import Shape
from symgraph.viz.facts import graph_of, labels_of, parameters_of, shapes_of, states_of
from symgraph.viz.text import readable, shape_text

if TYPE_CHECKING:
    import os

    from symgraph.symbol import Symbol

HEADER = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")
POSITIONS = (0.44, 0.64, 0.74, 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """A layer.

    Attributes
    ----------
    outputs : tuple of Shape or None
        Of every output that users see; None where unknown, 0 for an unknown length.
    params : int
        Elements of parameters that no layer before has, as far as shapes are known.
    shared : int
        Elements of parameters that a layer before has too.
    open : tuple of str
        Parameters of unknown shape.
    previous : tuple of str
        Layers and inputs that this one reads.
    """

    name: str
    op: str
    outputs: tuple[Shape | None, ...]
    params: int
    shared: int
    open: tuple[str, ...]
    previous: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """The layers of a network. ``str()`` is the table that ``print_summary`` prints.

    Attributes
    ----------
    rows : tuple of Row
        Inputs and layers in the order of the graph.
    total : int
        Elements of all parameters of known shape, each counted once.
    open : tuple of str
        Parameters of unknown shape.
    """

    rows: tuple[Row, ...]
    total: int
    open: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Summary({len(self.rows)} layers, {self.total} parameters)"

    def __str__(self) -> str:
        return self.text()

    def text(self, line_length: int = 120, positions: Sequence[float] = POSITIONS) -> str:
        """The table, ``line_length`` wide; each column ends at its part of ``positions``."""
        ends = _ends(line_length, positions)
        lines = ["_" * line_length, *_line(HEADER, ends), "=" * line_length]
        for i, row in enumerate(self.rows):
            lines += _line(_fields(row), ends)
            lines.append(("=" if i == len(self.rows) - 1 else "_") * line_length)
        unknown = f" and those of {_some(self.open)}, whose shapes are unknown" if self.open else ""
        return "\n".join([*lines, f"Total params: {self.total}{unknown}", "_" * line_length])


def print_summary(
    symbol: Symbol | Graph | str | os.PathLike[str],
    shape: Mapping[str, Any] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = POSITIONS,
) -> Summary:
    """Print the layers of a network as a table, and return what it says.

    Each parameter counts once, in the first layer that reads it. Parameters are all arguments
    that are neither given in ``shape`` nor labels nor initial states, and those given that are
    called like weights or stand where an operator takes one. Without ``shape``, only the latter.

    Parameters
    ----------
    symbol : Symbol
        Or a Graph, or the path of a symbol's JSON file.
    shape : dict of str to tuple of int, optional
        Shapes of inputs. Without it only what operators and variables say themselves is known.
    line_length : int
        Width of the table.
    positions : sequence of float
        Where the four columns end, as parts of the width (or as columns, if above 1). Text that
        is too long for its column goes on in the next line.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind.
    MXNetError
        If a name in ``shape`` is no variable's.
    ShapeError
        If shapes contradict each other.
    """
    summary = summary_of(graph_of(symbol), shape)
    _print(summary.text(line_length, positions))
    return summary


def summary_of(graph: Graph, shape: Mapping[str, Any] | None = None) -> Summary:
    """What ``print_summary`` prints."""
    shapes = shapes_of(graph, shape or {})
    parameters = _countable(graph, shape)
    inputs = _inputs(graph, parameters, shape)
    counted: set[Node] = set()
    rows = []
    for node in graph.order:
        if node.is_variable and node not in inputs:
            continue
        own = {e.node: None for e in node.inputs if e.node in parameters}
        fresh = [n for n in own if n not in counted]
        counted.update(own)
        rows.append(_row(node, shapes, fresh, [n for n in own if n not in fresh], inputs))
    return Summary(
        tuple(rows), sum(r.params for r in rows), tuple(name for r in rows for name in r.open)
    )


def _countable(graph: Graph, shape: Mapping[str, Any] | None) -> set[Node]:
    """Variables that count as parameters."""
    sure = parameters_of(graph)
    fed = labels_of(graph) | states_of(graph)
    return {
        n for n in graph.arguments if n in sure or (shape and n.name not in shape and n not in fed)
    }


def _inputs(graph: Graph, parameters: set[Node], shape: Mapping[str, Any] | None) -> set[Node]:
    """Variables that are fed and are no labels: they have rows of their own."""
    labels = labels_of(graph)
    return {n for n in graph.arguments if n not in parameters and n not in labels}


def _row(
    node: Node,
    shapes: Mapping[Entry, Shape | None],
    fresh: Sequence[Node],
    shared: Sequence[Node],
    inputs: set[Node],
) -> Row:
    sizes = {n: _size(shapes.get(Entry(n))) for n in (*fresh, *shared)}
    return Row(
        name=node.name,
        op=node.op_name,
        outputs=tuple(shapes.get(Entry(node, i)) for i in range(node.num_visible)),
        params=sum(sizes[n] or 0 for n in fresh),
        shared=sum(sizes[n] or 0 for n in shared),
        open=tuple(n.name for n in fresh if sizes[n] is None),
        previous=tuple(
            e.node.name for e in node.inputs if not e.node.is_variable or e.node in inputs
        ),
    )


def _size(shape: Shape | None) -> int | None:
    return None if shape is None or 0 in shape else prod(shape)


def _fields(row: Row) -> tuple[str, str, str, str]:
    outputs = dict.fromkeys(text for s in row.outputs if (text := shape_text(s[1:] if s else s)))
    params = f"{row.params}+" if row.params and row.open else "?" if row.open else str(row.params)
    if row.shared and params == "0":
        params = "0 (shared)"
    return (
        f"{readable(row.name)}({readable(row.op)})",
        ", ".join(outputs),
        params,
        "\n".join(map(readable, row.previous)),
    )


def _ends(line_length: int, positions: Sequence[float]) -> tuple[int, ...]:
    parts = tuple(positions)
    if len(parts) != len(HEADER) or list(parts) != sorted(parts):
        raise ValueError(f"positions are {parts}, but four ascending numbers are required")
    ends = parts if parts[-1] > 1 else tuple(int(line_length * p) for p in parts)
    widths = [int(b - a) for a, b in zip((0, *ends), ends, strict=False)]
    if min(widths) < 2:
        raise ValueError(
            f"columns would be {widths} wide, but 2 is required; raise line_length or positions"
        )
    return tuple(map(int, ends))


def _line(fields: Sequence[str], ends: Sequence[int]) -> list[str]:
    """Lines of one row; each field keeps to its column, with a space before the next."""
    widths = [end - start - 1 for start, end in zip((0, *ends), ends, strict=False)]
    widths[-1] += 1
    columns = [
        [piece for part in text.split("\n") for piece in _pieces(part, width)]
        for text, width in zip(fields, widths, strict=True)
    ]
    lines = []
    for i in range(max(map(len, columns))):
        line = ""
        for column, end in zip(columns, ends, strict=True):
            line = (line + (column[i] if i < len(column) else "")).ljust(end)
        lines.append(line)
    return lines


def _pieces(text: str, width: int) -> list[str]:
    return [text[i : i + width] for i in range(0, len(text), width)] or [""]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(readable, names[:5]))
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def _print(text: str) -> None:
    try:
        print(text)
    except UnicodeEncodeError:
        coding = getattr(sys.stdout, "encoding", None) or "ascii"
        print(text.encode(coding, "backslashreplace").decode(coding))
