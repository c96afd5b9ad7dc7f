"""From a view to text in the DOT language. Nothing here knows of operators."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symgraph.viz.options import RenderOptions
from symgraph.viz.style import FONTS, LINES, MIN_HEIGHT, MIN_WIDTH
from symgraph.viz.text import readable
from symgraph.viz.view import Box, View

_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*|-?(\.[0-9]+|[0-9]+(\.[0-9]*)?)")
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}
_ENTITY = re.compile(r"&(?=#?\w+;)")

_LONGEST = 3000
"""Graphviz reads at most 16 KiB as one word; longer text is put together from parts."""

_PARTS = re.compile(rf"(?:\\.|.){{1,{_LONGEST}}}", re.DOTALL)  # no part ends within an escape

_RANKDIR = {"BT": "TB", "TB": "BT", "LR": "RL", "RL": "LR"}
"""Arrows of the text point from readers to sources, as MXNet's do, and are drawn backwards."""


def quote(text: str) -> str:
    """``text`` as a DOT string, never as an HTML-like one. Backslashes are left as they are."""
    if len(text) <= _LONGEST and _PLAIN.fullmatch(text) and text.lower() not in _KEYWORDS:
        return text
    parts = _PARTS.findall(text.replace('"', '\\"')) or [""]
    return " + ".join(f'"{part}"' for part in parts)


def literal(text: str) -> str:
    """``text`` so that Graphviz shows it as it is: no escapes of its labels, no entities."""
    return _ENTITY.sub("&amp;", text.replace("\\", "\\\\"))


def ids_of(boxes: Iterable[Box]) -> dict[int, str]:
    """The id of each box by its number: its name where that is safe and unique, else ``nK``."""
    boxes = tuple(boxes)
    counts = Counter(box.name for box in boxes)
    ids = {}
    for box in boxes:
        if counts[box.name] == 1 and _is_safe(box.name):
            ids[box.number] = box.name
            continue
        fresh = f"n{box.number}"
        while fresh in counts:
            fresh += "_"
        ids[box.number] = fresh
    return ids


def _is_safe(name: str) -> bool:
    """Whether Graphviz keeps ``name`` as an id: a leading % marks nameless nodes there."""
    plain = "\\" not in name and not _ENTITY.search(name) and readable(name) == name
    return bool(name) and name[0] != "%" and plain


def render_body(
    view: View, options: RenderOptions, places: Mapping[int, tuple[float, float]] | None = None
) -> list[str]:
    """Statements of all boxes and arrows, a line each.

    Parameters
    ----------
    places : mapping, optional
        Centre of each box by number, in points, for an engine that does not lay out.
    """
    ids = ids_of(view.boxes)
    lines = []
    for box in view.boxes:
        attrs = _box_attrs(box, options.node_attrs)
        if places is not None:
            x, y = places[box.number]
            attrs["pos"] = f"{x:.1f},{y:.1f}"
        lines.append(f"\t{quote(ids[box.number])} [{' '.join(_pairs(attrs))}]\n")
    for arrow in view.arrows:
        label = quote(literal(arrow.label))
        lines.append(
            f"\t{quote(ids[arrow.reader])} -> {quote(ids[arrow.source])}"
            f" [label={label} arrowtail=open dir=back]\n"
        )
    return lines


def _box_attrs(box: Box, wanted: Mapping[str, Any]) -> dict[str, str]:
    attrs = {
        "fillcolor": box.look.fill,
        "fixedsize": "false",
        "height": str(MIN_HEIGHT),
        "shape": box.look.shape,
        "style": "filled",
        "width": str(MIN_WIDTH),
    }
    attrs |= {str(key): _value(value) for key, value in wanted.items()}
    if box.look.shape == "oval":  # inputs stay round, as in MXNet
        attrs["shape"] = "oval"
    caption = "\n".join(map(literal, box.caption))
    if "record" in attrs["shape"].lower():
        caption = re.sub(r"[{}|<>]", r"\\\g<0>", caption)
    return {"label": caption, **dict(sorted(attrs.items()))}


def _value(value: Any) -> str:
    """An attribute that a user gave, with Graphviz's own escapes; none may escape the end."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    ending = re.compile(r'(\\*)("|\Z)')
    return ending.sub(lambda found: found[1][: len(found[1]) // 2 * 2] + found[2], text)


def _pairs(attrs: Mapping[str, str]) -> Iterator[str]:
    return (f"{quote(key)}={quote(value)}" for key, value in attrs.items())


def graph_id(title: str) -> str:
    """``title`` as a name that every writer of DOT quotes as plain text."""
    text = readable(title).replace("\\", "/")
    return f" {text}" if text.startswith(("<", "%")) else text


def defaults(options: RenderOptions) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Attributes of the graph, of all nodes and of all edges."""
    graph = {} if options.rankdir == "BT" else {"rankdir": _RANKDIR[options.rankdir]}
    node = {"color": LINES, "fontname": FONTS}
    return graph, node, {"color": LINES, "fontname": FONTS, "fontsize": "11"}
