"""What a drawing can be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

FLOWS = ("BT", "TB", "LR", "RL")
"""Where data may flow: up the page, down, to the right, to the left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Options of a drawing; a field is an option.

    Attributes
    ----------
    title : str
        Name of the graph and stem of the file that ``render`` writes.
    save_format : str
        What ``render`` and ``pipe`` make: ``"pdf"``, ``"svg"``, ``"png"``, ``"json"``, ...
    node_attrs : mapping of str to str
        Graphviz attributes of every box; they win over the drawing's own.
    hide_weights : bool
        Leave out variables that are called like weights, ``fc_weight`` and its kin.
    rankdir : {"BT", "TB", "LR", "RL"}
        Where data flows; ``"BT"``, from the bottom to the top, is MXNet's only way.
    use_dot : bool
        Run the ``dot`` program of the system rather than the Graphviz in pygraphviz's wheel.
    time_limit : float
        Seconds after which a rendering is given up.
    """

    title: str = "plot"
    save_format: str = "pdf"
    node_attrs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    hide_weights: bool = True
    rankdir: str = "BT"
    use_dot: bool = False
    time_limit: float = 60.0

    def __post_init__(self) -> None:
        if not isinstance(self.title, str):
            raise TypeError(f"title is {self.title!r}, but a string is required")
        if not isinstance(self.node_attrs, Mapping):
            raise TypeError(f"node_attrs is {self.node_attrs!r}, but a dict is required")
        if self.rankdir not in FLOWS:
            raise ValueError(
                f"rankdir is {self.rankdir!r}, but one of {', '.join(FLOWS)} is required"
            )
        if not self.time_limit > 0:
            raise ValueError(f"time_limit is {self.time_limit!r}, but seconds are required")
