"""What an operator looks like: colour, shape and caption. The colours are MXNet's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symgraph.graph.graph import Node

MIN_WIDTH = 1.3
MIN_HEIGHT = 0.8034
"""Least size of a box, in inches. Boxes grow with their captions; MXNet's overflow."""

FONTS = "Helvetica,Arial,sans-serif"
LINES = "#444444"


@dataclass(frozen=True, slots=True)
class Look:
    """Fill colour and outline of a box."""

    fill: str
    shape: str = "box"


INPUT = Look("#8dd3c7", "oval")
WEIGHT = Look("#d9d9d9", "oval")
WEIGHTED = Look("#fb8072")
ACTIVATION = Look("#ffffb3")
NORM = Look("#bebada")
POOLING = Look("#80b1d3")
RESHAPING = Look("#fdb462")
OTHER = Look("#fccde5")

LOOKS = {
    "Convolution": WEIGHTED,
    "FullyConnected": WEIGHTED,
    "Activation": ACTIVATION,
    "LeakyReLU": ACTIVATION,
    "BatchNorm": NORM,
    "Pooling": POOLING,
    "Concat": RESHAPING,
    "Flatten": RESHAPING,
    "Reshape": RESHAPING,
}


def look_of(node: Node, is_weight: bool) -> Look:
    """Colour and outline of a node's box."""
    if node.is_variable:
        return WEIGHT if is_weight else INPUT
    return LOOKS.get(node.op_name, OTHER)


def caption_of(node: Node) -> tuple[str, ...]:
    """Lines of text in a node's box: the operator and what matters of it, or the node's name."""
    describe = CAPTIONS.get(node.op_name)
    if describe is None:
        return (node.name,)
    return (node.op_name, describe(lambda key: _attribute(node, key)))


def _attribute(node: Node, key: str) -> Any:
    """An attribute as written, else the operator's default, else None."""
    if key in node.attrs:
        return node.attrs[key]
    return getattr(node.op, key, None)


def _lengths(value: Any) -> str:
    """``"(3, 3)"`` -> ``"3x3"``."""
    return "x".join(re.findall(r"\d+", str(value)))


def _convolution(of: Callable[[str], Any]) -> str:
    return f"{_lengths(of('kernel')) or '?'}/{_lengths(of('stride')) or 1}, {of('num_filter')}"


def _pooling(of: Callable[[str], Any]) -> str:
    kind, kernel = of("pool_type") or "max", _lengths(of("kernel"))
    # MXNet writes "max, []/1" here.
    return f"{kind}, {kernel}/{_lengths(of('stride')) or 1}" if kernel else f"{kind}, global"


CAPTIONS: dict[str, Callable[[Callable[[str], Any]], str]] = {
    "Convolution": _convolution,
    "FullyConnected": lambda of: str(of("num_hidden")),
    "Activation": lambda of: str(of("act_type")),
    "LeakyReLU": lambda of: str(of("act_type") or "leaky"),
    "Pooling": _pooling,
}
"""Second lines of captions, from a function that reads attributes."""
