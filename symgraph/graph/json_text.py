"""A graph as text, laid out as MXNet 1.9.1 lays it out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symgraph.errors import FormatError
from symgraph.graph.document import MAX_DEPTH
from symgraph.graph.graph import Graph, Node
from symgraph.graph.legacy import CURRENT
from symgraph.graph.versions import head_versions, input_versions

MAX_SUBGRAPH_DEPTH = MAX_DEPTH // 4
"""Subgraphs inside subgraphs: four brackets each, so that all that is read can be written."""

_INLINE = 10  # a list of numbers or entries up to this length stays on one line
_SPECIAL = re.compile(r'[\n\r\t"\\]')
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def write_graph(graph: Graph) -> str:
    """The whole document."""
    version = f', \n  "attrs": {{"mxnet_version": ["int", {CURRENT}]}}'
    return _object(graph, 0, version)


def _object(graph: Graph, depth: int, last: str = "") -> str:
    """One graph object, its closing bracket indented by ``depth`` spaces."""
    if depth > 8 * MAX_SUBGRAPH_DEPTH:
        raise FormatError("subgraphs are nested too deep to be written")
    pad = " " * depth
    versions = input_versions(graph)
    position = graph.position
    nodes = f", \n{pad}    ".join(
        _node(node, versions.get(node, ()), position, depth + 4) for node in graph.order
    )
    rows, total = ["0"], 0
    for node in graph.order:
        total += outputs_in_files(node)
        rows.append(str(total))
    heads = [
        f"[{position[e.node]}, {e.number}, {version}]"
        for e, version in zip(graph.heads, head_versions(graph, versions), strict=True)
    ]
    variables = [str(position[n]) for n in graph.variables]
    fields = [
        f'"nodes": [\n{pad}    {nodes}\n{pad}  ]',
        f'"arg_nodes": {_list(variables, depth + 2)}',
        f'"node_row_ptr": {_list(rows, depth + 2)}',
        f'"heads": {_list(heads, depth + 2)}{last}',
    ]
    return f"{{\n{pad}  " + f", \n{pad}  ".join(fields) + f"\n{pad}}}"


def _node(node: Node, versions: Sequence[int], position: Mapping[Node, int], depth: int) -> str:
    pad = " " * depth
    fields = [f'"op": {_string(node.op_name)}', f'"name": {_string(node.name)}']
    if node.attrs:
        fields.append(f'"attrs": {_attrs(node.attrs, depth + 2)}')
    inputs = [
        f"[{position[e.node]}, {e.number}, {version}]"
        for e, version in zip(node.inputs, versions, strict=True)
    ]
    fields.append(f'"inputs": {_list(inputs, depth + 2)}')
    if node.subgraphs:
        inner = f", \n{pad}    ".join(_object(g, depth + 4) for g in node.subgraphs)
        fields.append(f'"subgraphs": [\n{pad}    {inner}\n{pad}  ]')
    return f"{{\n{pad}  " + f", \n{pad}  ".join(fields) + f"\n{pad}}}"


def _attrs(attrs: Mapping[str, str], depth: int) -> str:
    items = [f"{_string(key)}: {_string(attrs[key])}" for key in sorted(attrs)]
    if len(items) == 1:
        return f"{{{items[0]}}}"
    pad = " " * depth
    return f"{{\n{pad}  " + f", \n{pad}  ".join(items) + f"\n{pad}}}"


def _list(items: Sequence[str], depth: int) -> str:
    if len(items) <= _INLINE:
        return f"[{', '.join(items)}]"
    pad = " " * depth
    return f"[\n{pad}  " + f", \n{pad}  ".join(items) + f"\n{pad}]"


def _string(text: str) -> str:
    if _SPECIAL.search(text):
        text = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], text)
    return f'"{text}"'


def outputs_in_files(node: Node) -> int:
    """How many outputs MXNet's files count for a node.

    Its CPU build keeps a workspace as a second output of max pooling.
    """
    if node.op_name != "Pooling":
        return node.num_outputs
    given = node.attrs.get
    is_max = given("pool_type", "max") == "max" and given("kernel", "()").strip("()[], ") != ""
    return 2 if is_max and not given("layout", "NCHW").endswith("C") else 1
