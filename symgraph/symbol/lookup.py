"""Finding outputs and variables of a graph by number and name, and describing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.errors import MXNetError, close_names
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.graph.versions import input_versions
from symgraph.symbol.base import entry_of


def choose(heads: Sequence[Entry], index: Any) -> Sequence[Entry]:
    """The heads that ``symbol[index]`` means.

    Raises
    ------
    IndexError, ValueError, TypeError, MXNetError
    """
    if isinstance(index, str):
        return [_by_name(heads, index)]
    if isinstance(index, slice):
        chosen = heads[index]
        if not chosen:
            raise IndexError(f"[{index.start}:{index.stop}:{index.step}] selects no output")
        return chosen
    try:
        number = index.__index__()
    except AttributeError:
        raise TypeError(
            f"an output is chosen by a number, a slice or a name, but got {index!r}"
        ) from None
    if number < 0:
        raise MXNetError(f"outputs are counted from 0, but got {number}")
    if number >= len(heads):
        raise IndexError(f"output {number} is asked for, but there are {len(heads)}")
    return [heads[number]]


def _by_name(heads: Sequence[Entry], name: str) -> Entry:
    found = [e for e in heads if e.name == name] or [e for e in heads if e.node.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        known = dict.fromkeys(e.name for e in heads)
        raise ValueError(f"there is no output {name!r}{close_names(name, known)}")
    names = ", ".join(e.name for e in found[:8])
    raise ValueError(f"{name!r} names {len(found)} outputs: {names}")


def replacements(graph: Graph, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[Node, Entry]:
    """What composing with these symbols puts in the place of which variables.

    Raises
    ------
    TypeError
        If one is no symbol.
    MXNetError
        If there are too many, a name is unknown or a symbol has several outputs.
    """
    if len(args) > len(graph.arguments):
        raise MXNetError(
            f"{len(args)} symbols given, but there are {len(graph.arguments)} arguments"
        )
    found = {
        node: entry_of(value, node.name) for node, value in zip(graph.arguments, args, strict=False)
    }
    nodes: dict[str, list[Node]] = {}
    for node in graph.variables if kwargs else ():
        nodes.setdefault(node.name, []).append(node)
    for name, value in kwargs.items():
        if name not in nodes:
            raise MXNetError(
                f"no argument is called {name!r}{close_names(name, nodes)} "
                f"(arguments: {', '.join(nodes) or 'none'})"
            )
        entry = entry_of(value, name)
        found.update(dict.fromkeys(nodes[name], entry))
    return found


def describe(graph: Graph) -> str:
    """All nodes with their inputs and attributes, as MXNet's ``debug_str`` prints them."""
    if len(graph.order) == 1 and graph.order[0].is_variable:
        return f"Variable:{graph.order[0].name}\n"
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={e.node.name}({e.number})" for i, e in enumerate(graph.heads)]
    versions = input_versions(graph)
    for node in graph.order:
        if node.is_variable:
            lines.append(f"Variable:{node.name}")
            continue
        lines += ["-" * 20, f"Op:{node.op_name}, Name={node.name}", "Inputs:"]
        for i, (entry, version) in enumerate(zip(node.inputs, versions[node], strict=True)):
            of = f" version={version}" if entry.node.is_variable else ""
            lines.append(f"\targ[{i}]={entry.node.name}({entry.number}){of}")
        if node.attrs:
            lines.append("Attrs:")
            lines += [f"\t{key}={node.attrs[key]}" for key in sorted(node.attrs)]
    return "\n".join(lines) + "\n"
