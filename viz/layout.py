"""How hard a drawing is to lay out, and a layout of our own where Graphviz's would take minutes.

Graphviz's ``dot`` puts a hidden node wherever an arrow, or its label, passes a row of boxes. Its
time grows with their number and with how many stand in a row: an LSTM over 25 steps has 5,000 of
them, 25 in a row, and takes half a minute; a ResNet of 152 layers has 440 and takes no second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symgraph.viz.style import MIN_HEIGHT, MIN_WIDTH
from symgraph.viz.view import Box, View

HARD = 30_000
"""Effort above which ``dot`` is told to hurry: some four seconds."""

TOO_HARD = 5_000_000
"""Effort above which boxes are placed here: ``dot`` needs ten seconds and more in a hurry."""

STRAIGHT = {"splines": "line", "outputorder": "edgesfirst"}
"""Arrows cross boxes then, so they are drawn below them."""

HURRY = {"nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.1", **STRAIGHT}

SWEEPS = 8
POINTS = 72.0
CHARACTER = 7.5
"""Width of a character at the default size, in points, rather too much than too little."""

GAP = 18.0
ROW_GAP = 36.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How a view is laid out.

    Attributes
    ----------
    graph_attrs : mapping of str to str
        Graphviz attributes for the engine.
    places : mapping of int to (float, float), or None
        Centre of each box by number, in points, where Graphviz is to draw only.
    """

    graph_attrs: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[int, tuple[float, float]] | None = None


def plan_layout(view: View, flow: str = "BT") -> Plan:
    """Leave the layout to Graphviz, tell it to hurry, or place the boxes here.

    Parameters
    ----------
    flow : {"BT", "TB", "LR", "RL"}
        Where data flows.
    """
    rows = rows_of(view)
    effort = effort_of(view, rows)
    if effort <= HARD:
        return Plan()
    if effort <= TOO_HARD:
        return Plan(HURRY)
    return Plan(STRAIGHT, place(view, rows, flow))


def effort_of(view: View, rows: Mapping[int, int]) -> float:
    """What a layout costs: the number of all nodes, hidden ones too, times how many share a row."""
    labelled = any(arrow.label for arrow in view.arrows)
    step = 2 if labelled else 1  # a label stands in a row of its own
    hidden = sum(step * (rows[a.reader] - rows[a.source]) - 1 for a in view.arrows)
    return (len(rows) + hidden) ** 2 / (step * max(rows.values(), default=0) + 1)


def rows_of(view: View) -> dict[int, int]:
    """Row of each box by number: one above its highest source; inputs just below a reader."""
    rows = {box.number: 0 for box in view.boxes}
    for arrow in view.arrows:  # in the order of readers, so a source's row is settled
        rows[arrow.reader] = max(rows[arrow.reader], rows[arrow.source] + 1)
    fed = {arrow.reader for arrow in view.arrows}
    lowest: dict[int, int] = {}
    for arrow in view.arrows:
        if arrow.source not in fed:
            above = rows[arrow.reader] - 1
            lowest[arrow.source] = min(lowest.get(arrow.source, above), above)
    return rows | lowest


def place(view: View, rows: Mapping[int, int], flow: str = "BT") -> dict[int, tuple[float, float]]:
    """Centre of each box by number, in points; boxes of a row stand near what they are joined to.

    Takes time linear in boxes and arrows, but for sorting each row.
    """
    across = flow in ("BT", "TB")
    extent = {b.number: _width(b) if across else MIN_HEIGHT * POINTS for b in view.boxes}
    step = ROW_GAP + (MIN_HEIGHT * POINTS if across else max(map(_width, view.boxes)))
    layers: dict[int, list[int]] = defaultdict(list)
    for box in view.boxes:
        layers[rows[box.number]].append(box.number)
    joined: dict[int, list[int]] = defaultdict(list)
    for arrow in view.arrows:
        joined[arrow.reader].append(arrow.source)
        joined[arrow.source].append(arrow.reader)
    centre = dict.fromkeys(rows, 0.0)
    for sweep in range(SWEEPS):
        for row in sorted(layers, reverse=sweep % 2 == 1):
            _settle(layers[row], joined, extent, centre)
    sign = 1 if flow in ("BT", "LR") else -1
    along = {n: sign * step * rows[n] for n in rows}
    return {n: (centre[n], along[n]) if across else (along[n], centre[n]) for n in rows}


def _width(box: Box) -> float:
    return max(MIN_WIDTH * POINTS, CHARACTER * max(map(len, box.caption)) + 16)


def _settle(
    layer: list[int],
    joined: Mapping[int, Sequence[int]],
    extent: Mapping[int, float],
    centre: dict[int, float],
) -> None:
    """Move the boxes of a row towards the mean of what they are joined to, without overlaps."""
    wish = {}
    for n in layer:
        ends = joined[n]
        wish[n] = sum(centre[m] for m in ends) / len(ends) if ends else centre[n]
    layer.sort(key=wish.__getitem__)
    right = float("-inf")
    for n in layer:
        centre[n] = max(wish[n], right + extent[n] / 2)
        right = centre[n] + extent[n] / 2 + GAP
    shift = sum(wish[n] - centre[n] for n in layer) / len(layer)
    for n in layer:
        centre[n] += shift
