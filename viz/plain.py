"""A stand-in for graphviz.Digraph where the graphviz package is missing: text without it."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symgraph.viz.dot import quote


class PlainDigraph:
    """As much of ``graphviz.Digraph`` as a finished drawing needs."""

    def __init__(
        self,
        name: str | None = None,
        comment: str | None = None,
        filename: str | os.PathLike[str] | None = None,
        directory: str | os.PathLike[str] | None = None,
        format: str | None = None,
        engine: str | None = None,
        encoding: str = "utf-8",
        graph_attr: Mapping[str, str] | None = None,
        node_attr: Mapping[str, str] | None = None,
        edge_attr: Mapping[str, str] | None = None,
        body: Sequence[str] = (),
        **_other: Any,
    ) -> None:
        self.name = name
        self.filename = os.fspath(filename or f"{name or 'Digraph'}.gv")
        self.directory = os.fspath(directory or "")
        self.format = format or "pdf"
        self.engine = engine or "dot"
        self.encoding = encoding
        self.graph_attr = dict(graph_attr or {})
        self.node_attr = dict(node_attr or {})
        self.edge_attr = dict(edge_attr or {})
        self.body = list(body)

    @property
    def filepath(self) -> str:
        """Where ``save`` writes."""
        return os.path.join(self.directory, self.filename)  # noqa: PTH118  as the package has it

    def __iter__(self) -> Iterator[str]:
        yield f"digraph {quote(self.name)} {{\n" if self.name else "digraph {\n"
        defaults = {"graph": self.graph_attr, "node": self.node_attr, "edge": self.edge_attr}
        for kind, attrs in defaults.items():
            if attrs:
                listed = " ".join(f"{quote(k)}={quote(v)}" for k, v in attrs.items())
                yield f"\t{kind} [{listed}]\n"
        yield from self.body
        yield "}\n"

    @property
    def source(self) -> str:
        """The DOT text."""
        return "".join(self)

    def __str__(self) -> str:
        return self.source

    def copy(self) -> Any:
        """A drawing that can be changed without changing this one."""
        return copy.deepcopy(self)
