"""MXNet's symbol JSON: reading all generations, writing that of 1.9.1 byte for byte."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgraph.errors import AttributeValueError, FormatError, close_names
from symgraph.files import atomic_write
from symgraph.graph import legacy
from symgraph.graph.amp import without_casts
from symgraph.graph.build import MAX_TENSORS, checked, is_hidden, missing
from symgraph.graph.document import parse, read_text
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.graph.json_text import write_graph
from symgraph.graph.opaque import Opaque
from symgraph.graph.versions import input_versions
from symgraph.ops import op as ops
from symgraph.ops.op import REGISTRY, Op


def to_json(graph: Graph, *, remove_amp_cast: bool = True) -> str:
    """The graph as MXNet 1.9.1 writes it, without the casts of mixed precision."""
    return write_graph(without_casts(graph) if remove_amp_cast else graph)


def save(graph: Graph, path: str | os.PathLike[str], *, remove_amp_cast: bool = True) -> None:
    """Write :func:`to_json` to a file, all of it or nothing.

    Raises
    ------
    FormatError
        If a name or attribute holds half a character.
    MXNetError
        If the file cannot be written.
    """
    name = os.fspath(path)
    text = to_json(graph, remove_amp_cast=remove_amp_cast)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        near = text[max(error.start - 30, 0) : error.end + 10]
        raise FormatError(f"{name}: half a character cannot be written: {near!r}") from None
    with atomic_write(name) as file:
        file.write(content)


def load(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file.

    Raises
    ------
    FormatError
        If it cannot be read or holds no symbol; names the file.
    AttributeValueError
        If an attribute is unknown or of another type; names the node.
    """
    name = os.fspath(path)
    return _read(parse(read_text(name), name), Path(name).name)


def loads(text: str) -> Graph:
    """The graph in a string; errors as for :func:`load`."""
    return _read(parse(text, ""), "")


def _read(document: Mapping[str, Any], source: str) -> Graph:
    reader = _Reader(f"{source}: " if source else "", _version(document))
    return reader.graph(document, "")


def _version(document: Mapping[str, Any]) -> int:
    attrs = document.get("attrs")
    told = attrs.get("mxnet_version") if isinstance(attrs, dict) else None
    if isinstance(told, list) and len(told) == 2 and type(told[1]) is int:
        return told[1]
    return legacy.FIRST


Triple = tuple[int, int, int]
"""What files say of an input: number of the node, of its output, version."""


@dataclass(frozen=True)
class _Reader:
    """Builds graphs out of a checked JSON document.

    Attributes
    ----------
    source : str
        Begins every message.
    version : int
        Of the MXNet that wrote the file.
    """

    source: str
    version: int

    def fail(self, text: str) -> FormatError:
        return FormatError(self.source + text)

    def graph(self, document: Any, inside: str) -> Graph:
        """One graph object, the whole or a subgraph of the node ``inside``."""
        if not isinstance(document, dict):
            raise self.fail(f"{inside}a graph must be an object")
        raws, heads = document.get("nodes"), document.get("heads")
        if not isinstance(raws, list) or not isinstance(heads, list) or not heads:
            raise self.fail(f"{inside}a symbol needs a list of nodes and a list of heads")
        inputs = [self.inputs(raw, i, inside) for i, raw in enumerate(raws)]
        heads = [self.triple(h, len(raws), f"{inside}head", i) for i, h in enumerate(heads)]
        shown = _largest_outputs([*inputs, heads], len(raws))
        counts = self.counts(document.get("node_row_ptr"), shown, inside)
        nodes: list[Node] = []
        spare = MAX_TENSORS
        for i, raw in enumerate(raws):
            nodes.append(self.node(raw, f"{inside}node {i}", inputs[i], nodes, shown[i], counts[i]))
            spare -= nodes[-1].num_outputs - 1
            if spare < 0:
                raise self.fail(f"{inside}the nodes up to {nodes[-1]} have too many outputs")
        graph = Graph(self.entry(h, nodes, f"{inside}head", i) for i, h in enumerate(heads))
        self.keep_versions(graph, dict(zip(nodes, inputs, strict=True)))
        return graph

    # ---- the numbers -------------------------------------------------------------------

    def inputs(self, raw: Any, number: int, inside: str) -> list[Triple]:
        """The inputs of a raw node, each of an earlier node."""
        where = f"{inside}node {number}"
        if not isinstance(raw, dict):
            raise self.fail(f"{where}: an object is required")
        listed = raw.get("inputs", [])
        if not isinstance(listed, list):
            raise self.fail(f"{where}: inputs must be a list")
        return [self.triple(e, number, f"{where}: input", i) for i, e in enumerate(listed)]

    def triple(self, raw: Any, limit: int, where: str, number: int) -> Triple:
        """(node, output, version); old files have no version."""
        if not isinstance(raw, list) or len(raw) not in (2, 3):
            raise self.fail(f"{where} {number} must be a list [node, output, version]")
        node, output, version = raw if len(raw) == 3 else (*raw, 0)
        if not (type(node) is type(output) is type(version) is int) or min(raw) < 0:
            raise self.fail(f"{where} {number} is {raw!r:.80}, but counts from 0 are required")
        if node >= limit:
            raise self.fail(
                f"{where} {number} is node {node}, but only nodes before {limit} can be read"
            )
        if output >= MAX_TENSORS:
            raise self.fail(f"{where} {number} is output {output}, which no node has")
        return node, output, version

    def counts(self, pointers: Any, shown: Sequence[int], inside: str) -> Sequence[int]:
        """How many outputs each node has, if the file tells; at least those in use."""
        if pointers is None:
            return shown
        if not isinstance(pointers, list) or any(type(p) is not int for p in pointers):
            raise self.fail(f"{inside}node_row_ptr must be a list of integers")
        if len(pointers) != len(shown) + 1:
            return shown
        counts = [max(n, b - a) for n, a, b in zip(shown, pointers, pointers[1:], strict=False)]
        if max(counts, default=0) > MAX_TENSORS:
            raise self.fail(f"{inside}node_row_ptr gives a node more than {MAX_TENSORS} outputs")
        return counts

    def entry(self, triple: Triple, nodes: Sequence[Node], where: str, number: int) -> Entry:
        node, output = nodes[triple[0]], triple[1]
        if output >= node.num_outputs:
            raise self.fail(
                f"{where} {number} is output {output} of {node}, but it has {node.num_outputs}"
            )
        return Entry(node, output)

    # ---- nodes -------------------------------------------------------------------------

    def node(
        self,
        raw: Mapping[str, Any],
        where: str,
        triples: Sequence[Triple],
        nodes: Sequence[Node],
        shown: int,
        count: int,
    ) -> Node:
        op_name, name = raw.get("op"), raw.get("name")
        if not isinstance(op_name, str) or not isinstance(name, str):
            raise self.fail(f"{where}: op and name must be strings")
        where = f"{where} ({name!r:.200})"
        attrs = self.attrs(raw, where)
        of = f"{where}: input"
        inputs = [self.entry(t, nodes, of, i) for i, t in enumerate(triples)]
        if op_name == "null":
            if inputs:
                raise self.fail(f"{where}: a variable has no inputs, but {len(inputs)} came")
            return Node(None, name, attrs)
        subgraphs = [self.graph(g, f"{where}: subgraph {i}: ") for i, g in self.subgraphs(raw)]
        cls = ops_named(op_name)
        if cls is None:
            aux = _trailing_states(inputs, triples)
            op = Opaque(op_name, name, len(inputs) - aux, aux, count, shown)
            return Node(op, name, attrs, inputs, subgraphs)
        return self.known(cls, raw, name, where, attrs, inputs, subgraphs)

    def attrs(self, raw: Mapping[str, Any], where: str) -> dict[str, str]:
        attrs: dict[str, Any] = {}
        for key in legacy.ATTR_KEYS:
            own = raw.get(key)
            if own:
                if not isinstance(own, dict):
                    raise self.fail(f"{where}: {key} must be an object")
                attrs.update(own)
        for key, value in attrs.items():
            if not isinstance(value, str):
                raise self.fail(f"{where}: attribute {key} is {value!r:.80}, not a string")
        self.check_text(where, raw["op"], raw["name"], *attrs, *attrs.values())
        is_operator = raw["op"] != "null"
        return legacy.hide_keys(attrs) if is_operator or self.version < legacy.CURRENT else attrs

    def check_text(self, where: str, *texts: str) -> None:
        """Refuse halves of characters (``\\ud800``), which no file can hold."""
        for text in texts:
            if not text.isascii():
                try:
                    text.encode("utf-8")
                except UnicodeEncodeError:
                    raise self.fail(f"{where}: {text!r:.80} holds half a character") from None

    def subgraphs(self, raw: Mapping[str, Any]) -> list[tuple[int, Any]]:
        listed = raw.get("subgraphs") or []
        if not isinstance(listed, list):
            raise self.fail(f"{raw['name']}: subgraphs must be a list")
        return list(enumerate(listed))

    def known(
        self,
        cls: type[Op],
        raw: Mapping[str, Any],
        name: str,
        where: str,
        attrs: dict[str, str],
        inputs: list[Entry],
        subgraphs: Sequence[Graph],
    ) -> Node:
        """A node of an operator that symgraph has."""
        legacy.fix_argmax(cls.name, attrs, self.version)
        slots = (*cls.contract.inputs, *cls.contract.aux)
        attrs, moved = legacy.split_multipliers(attrs, slots)
        attrs = legacy.hide_notes(cls, raw, attrs)
        op = self.create(cls, where, attrs, len(inputs))
        names = op.list_inputs() + op.list_aux()
        if len(inputs) < len(names) and legacy.understands_missing_inputs(self.version):
            inputs = inputs + [missing(op, name, slot, attrs) for slot in names[len(inputs) :]]
        if len(inputs) != len(names):
            raise self.fail(
                f"{where}: {op.name} has {len(inputs)} inputs, but takes {len(names)}: "
                f"{', '.join(names[:16])}"
            )
        legacy.move_multipliers(
            {k: v for k, v in moved.items() if k in names}, dict(zip(names, inputs, strict=True))
        )
        return Node(op, name, attrs, inputs, subgraphs)

    def create(self, cls: type[Op], where: str, attrs: Mapping[str, str], inputs: int) -> Op:
        own = {key: value for key, value in attrs.items() if key in cls.attr_specs}
        free = [key for key in attrs if key not in own and not is_hidden(key)]
        if free and cls.attr_specs:
            raise AttributeValueError(
                f"{self.source}{where}: {cls.name} has no attribute {free[0]!r:.200}"
                f"{close_names(free[0], cls.attr_specs)} "
                f"(it has {', '.join(cls.attr_specs)}; free ones need the form __name__)"
            )
        if cls.count_attr:
            own.setdefault(cls.count_attr, str(inputs))
        try:
            return checked(ops.create(cls.name, own))
        except AttributeValueError as error:
            raise AttributeValueError(f"{self.source}{where}: {error}") from None

    # ---- versions ----------------------------------------------------------------------

    def keep_versions(self, graph: Graph, triples: Mapping[Node, Sequence[Triple]]) -> None:
        """Remember what the file says of versions where writing would say something else."""
        if not graph.aux_nodes and not any(t[2] for told in triples.values() for t in told):
            return
        for node, versions in input_versions(graph).items():
            told = [t[2] for t in triples[node]]
            told += [0] * (len(node.inputs) - len(told))
            if told != list(versions):
                node.versions = tuple(told)


def ops_named(name: str) -> type[Op] | None:
    """The operator of this name or alias, None where symgraph does not have it."""
    ops.load_all()
    return REGISTRY.get(name)


def _largest_outputs(groups: Sequence[Sequence[Triple]], count: int) -> list[int]:
    """How many outputs of each node are read."""
    shown = [1] * count
    for group in groups:
        for node, output, _ in group:
            shown[node] = max(shown[node], output + 1)
    return shown


def _trailing_states(inputs: Sequence[Entry], triples: Sequence[Triple]) -> int:
    """How many of the last inputs an unknown operator changes: their version says so."""
    changed = [e.node.is_variable and t[2] > 0 for e, t in zip(inputs, triples, strict=True)]
    return next((i for i, c in enumerate(reversed(changed)) if not c), len(changed))
