"""What the passes that infer facts share: a sweep in both directions until nothing is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symgraph.errors import MXNetError, UnknownOperatorError
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops.facts import Unknown

MAX_SWEEPS = 100
"""Facts travel the whole graph in one sweep; more than a few happen only in odd graphs."""


def sweep(
    graph: Graph,
    facts: dict[Entry, Any],
    table: type,
    rule: str,
    complete: Callable[[Any], bool],
    error: type[MXNetError],
) -> None:
    """Fill ``facts`` with what the nodes' rules imply.

    Parameters
    ----------
    facts : dict
        Changed in place; an entry that is absent or None is unknown.
    table : type
        ``Shapes`` or ``DTypes``.
    rule : str
        Name of the operators' method.
    complete : callable
        Whether a fact can grow no more; a node whose facts are all complete is done.
    error : type
        Raised where a rule fails, naming the node.
    """
    waiting = [n for n in graph.order if n.op is not None]
    for _ in range(MAX_SWEEPS):
        still = []
        grown = False
        for node in waiting:
            done, more = _solve(node, facts, table, rule, complete, error)
            grown |= more
            if not done:
                still.append(node)
        if not grown or not still:
            return
        waiting = still[::-1]


def _solve(
    node: Node,
    facts: dict[Entry, Any],
    table: type,
    rule: str,
    complete: Callable[[Any], bool],
    error: type[MXNetError],
) -> tuple[bool, bool]:
    """Run one node's rule; (whether all its facts are complete, whether any was added)."""
    op = node.op
    assert op is not None
    entries = entries_of(node)
    before = {name: facts.get(entry) for name, entry in entries.items()}
    known = dict(before)
    try:
        getattr(op, rule)(table(known))
    except Unknown:
        pass
    except UnknownOperatorError:
        raise
    except MXNetError as problem:
        raise error(f"{node}: {problem}") from None
    except (IndexError, ValueError, TypeError, ZeroDivisionError) as problem:
        shown = ", ".join(f"{k} {v}" for k, v in before.items() if v is not None)
        raise error(f"{node}: the operator cannot take {shown} ({problem})") from problem
    more = known != before
    if more:
        _write(node, entries, known, facts, error)
    return all(v is not None and complete(v) for v in known.values()), more


def entries_of(node: Node) -> dict[str, Entry]:
    """Every tensor of a node by name: inputs, auxiliary states, outputs."""
    op = node.op
    assert op is not None
    entries = dict(zip(node.input_names(), node.inputs, strict=False))
    for i, name in enumerate(op.list_outputs()):
        entries[name] = Entry(node, i)
    return entries


def _write(
    node: Node,
    entries: Mapping[str, Entry],
    known: Mapping[str, Any],
    facts: dict[Entry, Any],
    error: type[MXNetError],
) -> None:
    """Copy a node's table back; an entry read in two slots must have got one fact."""
    fresh: dict[Entry, tuple[str, Any]] = {}
    for name, entry in entries.items():
        if known[name] is None:
            continue
        first, old = fresh.setdefault(entry, (name, known[name]))
        if old != known[name]:
            clash = _clash(old, known[name])
            if clash is None:
                raise error(
                    f"{node}: {first} and {name} are the same tensor {entry.name}, "
                    f"but {old} and {known[name]} are required"
                )
            fresh[entry] = (name, clash)
    facts.update({entry: fact for entry, (_, fact) in fresh.items()})


def _clash(one: Any, other: Any) -> Any:
    """The fact that holds both shapes, where open lengths allow it, or None."""
    if isinstance(one, str) or len(one) != len(other):
        return None
    if any(a != b and a and b for a, b in zip(one, other, strict=True)):
        return None
    return tuple(a or b for a, b in zip(one, other, strict=True))
