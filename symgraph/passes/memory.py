"""Which results may lie in the same memory."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from symgraph.graph.graph import Entry, Node


def plan_memory(
    order: Sequence[Node],
    roots: Mapping[Entry, Entry],
    nbytes: Mapping[Entry, int],
    keep: Iterable[Entry],
    in_place: frozenset[Node] = frozenset(),
) -> dict[Entry, int]:
    """Buffer number of every entry in ``nbytes``; a buffer is as large as its largest entry.

    An entry is free after its last reader. A node in ``in_place`` may write over an input that
    dies with it; otherwise the smallest free buffer that is large enough is taken.

    Parameters
    ----------
    order : sequence of Node
        The order in which nodes run.
    roots : mapping of Entry to Entry
        Of an entry that is another one's memory reshaped, that other one; else itself.
    nbytes : mapping of Entry to int
        Sizes of the root entries to place.
    keep : iterable of Entry
        Entries that stay readable after the run.
    """
    last_use = _last_uses(order, roots, keep)
    expiring: dict[int, list[Entry]] = defaultdict(list)
    made: dict[Node, list[Entry]] = defaultdict(list)
    for entry in nbytes:
        made[entry.node].append(entry)
    plan: dict[Entry, int] = {}
    size: list[int] = []
    free: list[tuple[int, int]] = []
    for step, node in enumerate(order):
        dying = [e for e in expiring.pop(step, ()) if e in plan]
        for entry in made.get(node, ()):
            taken = _overwrite(entry, dying, nbytes) if node in in_place else None
            if taken is not None:
                dying.remove(taken)
                plan[entry] = plan[taken]
            else:
                plan[entry] = _take(free, size, nbytes[entry])
            expiring[max(last_use.get(entry, step), step)].append(entry)
        # An entry that nobody reads dies where it is made.
        dying += [e for e in expiring.pop(step, ()) if e not in dying]
        for entry in dying:
            bisect.insort(free, (size[plan[entry]], plan[entry]))
    return plan


def _last_uses(
    order: Sequence[Node], roots: Mapping[Entry, Entry], keep: Iterable[Entry]
) -> dict[Entry, int]:
    last = {roots[e]: i for i, node in enumerate(order) for e in node.inputs}
    last.update({roots[e]: len(order) for e in keep})
    return last


def _overwrite(entry: Entry, dying: list[Entry], nbytes: Mapping[Entry, int]) -> Entry | None:
    return next((e for e in dying if nbytes[e] == nbytes[entry]), None)


def _take(free: list[tuple[int, int]], size: list[int], wanted: int) -> int:
    at = bisect.bisect_left(free, (wanted, -1))
    # A tiny result in a huge buffer would keep it from the next large one.
    if at < len(free) and free[at][0] <= max(4 * wanted, 4096):
        return free.pop(at)[1]
    size.append(wanted)
    return len(size) - 1
