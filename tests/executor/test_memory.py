"""The memory plan: no two entries that are alive together share a buffer."""

from __future__ import annotations

import numpy as np
import pytest

from symgraph.graph.build import apply, variable
from symgraph.graph.graph import Entry, Graph
from symgraph.passes.memory import plan_memory


def random_graph(seed: int) -> Graph:
    rng = np.random.RandomState(seed)
    pool = [variable("x"), variable("y")]
    for _ in range(60):
        i, j = rng.randint(len(pool), size=2)
        name = ("elemwise_add", "tanh", "elemwise_mul")[rng.randint(3)]
        inputs = [pool[i]] if name == "tanh" else [pool[i], pool[j]]
        pool.append(Entry(apply(name, inputs, {}, {})))
    return Graph([pool[-1], pool[rng.randint(2, 60)]])


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_live_entries_never_share(seed: int, in_place: bool) -> None:
    graph = random_graph(seed)
    order = graph.order
    nodes = [n for n in order if n.op is not None]
    sizes = {Entry(n): 4 * (1 + i % 3) for i, n in enumerate(nodes)}
    allowed = frozenset(nodes) if in_place else frozenset()
    plan = plan_memory(order, {e: e for e in graph.entries()}, sizes, graph.heads, allowed)
    last = {e: i for i, n in enumerate(order) for e in n.inputs}
    last.update(dict.fromkeys(graph.heads, len(order)))
    born = {Entry(n): i for i, n in enumerate(order)}
    for one in sizes:
        for other in sizes:
            if one == other or plan[one] != plan[other] or born[one] > born[other]:
                continue
            dies = last.get(one, born[one])
            # A node in place may write over what it reads last, of its own size.
            assert dies < born[other] or (
                in_place and dies == born[other] and sizes[one] == sizes[other]
            )


def test_a_chain_needs_one_buffer_in_place_and_two_otherwise() -> None:
    entry = variable("x")
    for _ in range(10):
        entry = Entry(apply("tanh", [entry], {}, {}))
    graph = Graph([entry])
    nodes = [n for n in graph.order if n.op is not None]
    sizes = {Entry(n): 16 for n in nodes}
    roots = {e: e for e in graph.entries()}
    assert len(set(plan_memory(graph.order, roots, sizes, graph.heads).values())) == 2
    one = plan_memory(graph.order, roots, sizes, graph.heads, frozenset(nodes))
    assert len(set(one.values())) == 1
