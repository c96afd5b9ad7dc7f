"""Reads DOT text into plain data: enough for what plot_network and MXNet write."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[\[\]{}=;,:]|<[^\s]*>|[^\s\[\]{}=;,:"]+', re.DOTALL)


@dataclass
class Drawn:
    """Nodes with their attributes by id, edges as (tail, head, attributes), defaults by kind."""

    name: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)


def read_dot(source: str) -> Drawn:
    """Parse the text of a digraph without subgraphs; ports and HTML-like strings are refused."""
    tokens = _TOKEN.findall(source)
    assert re.sub(r"\s", "", "".join(tokens)) == re.sub(r"\s", "", source), "text left over"
    assert tokens[0] == "digraph" and tokens[-1] == "}"
    drawn = Drawn(name=_plain(tokens[1]) if tokens[1] != "{" else "")
    i = tokens.index("{") + 1
    while i < len(tokens) - 1:
        ends = [_plain(tokens[i])]
        quoted, i = tokens[i][0] == '"', i + 1
        while tokens[i] == "->":
            ends.append(_plain(tokens[i + 1]))
            i += 2
        attrs, i = _attributes(tokens, i)
        if len(ends) == 2:
            drawn.edges.append((*ends, attrs))
        elif not quoted and ends[0] in ("graph", "node", "edge"):
            drawn.defaults[ends[0]] = attrs
        else:
            drawn.repeated |= {ends[0]} & set(drawn.nodes)
            drawn.nodes[ends[0]] = attrs
    return drawn


def _attributes(tokens: list[str], i: int) -> tuple[dict[str, str], int]:
    assert tokens[i] == "[", tokens[i - 3 : i + 3]
    attrs, i = {}, i + 1
    while tokens[i] != "]":
        assert tokens[i + 1] == "="
        attrs[_plain(tokens[i])] = _plain(tokens[i + 2])
        i += 3
    return attrs, i + 1


def _plain(token: str) -> str:
    assert token[0] != "<", f"an HTML-like string: {token}"
    return token[1:-1].replace('\\"', '"') if token[0] == '"' else token
