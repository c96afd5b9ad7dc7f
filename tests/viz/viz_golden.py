"""What MXNet 1.9.1 drew and printed of 66 networks; see ``tests/golden/make_viz.py``."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

from symgraph import symbol

FILE = Path(__file__).parents[1] / "golden" / "viz.json.xz"

RECT = {"shape": "rect", "fixedsize": "false"}


@cache
def golden() -> dict[str, dict[str, Any]]:
    return json.loads(lzma.decompress(FILE.read_bytes()))


@cache
def network(name: str) -> symbol.Symbol:
    return symbol.load_json(golden()[name]["json"])


def shapes(name: str) -> dict[str, tuple[int, ...]]:
    return {key: tuple(shape) for key, shape in golden()[name]["inputs"].items()}


def plot_options(name: str, plot: str) -> dict[str, Any]:
    """Arguments of plot_network under which a drawing was recorded."""
    given = {"shape": shapes(name)}
    return {
        "default": {},
        "shape": given,
        "hide_weights_False": {"hide_weights": False},
        "node_attrs": {"node_attrs": RECT},
        "title": {"title": "my net"},
        "shape_hide_weights_False_node_attrs": {
            **given, "hide_weights": False, "node_attrs": RECT, "title": name,
        },
        "dtype_float16": {**given, "dtype": dict.fromkeys(given["shape"], "float16")},
    }[plot]  # fmt: skip


SUMMARY_OPTIONS: dict[str, dict[str, Any]] = {
    "shape": {},
    "line_length_160": {"line_length": 160},
    "positions": {"line_length": 100, "positions": [0.3, 0.5, 0.8, 1.0]},
}


@cache
def is_whole(name: str) -> bool:
    """Whether every operator of a network is built, so that facts reach everywhere."""
    from symgraph.graph.graph import Graph
    from symgraph.graph.opaque import Opaque

    return not any(isinstance(node.op, Opaque) for node in Graph(network(name).heads).order)
