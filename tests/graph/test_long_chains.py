"""Networks of many nodes: no recursion anywhere, and work in proportion to their size.

Seconds are of this process alone, so that a busy machine does not matter.
"""

from __future__ import annotations

import copy
import pickle
import sys
import time

import pytest

import symgraph as mx
from symgraph.graph.graph import Graph

sym = mx.sym


def chain(length):
    made = sym.Variable("x")
    for _ in range(length):
        made = made + 1
    return made


def layers(length):
    made = sym.Variable("x")
    for i in range(length):
        made = sym.FullyConnected(made, num_hidden=4, name=f"fc{i}")
    return made


USES = {
    "list_arguments": lambda s: s.list_arguments(),
    "get_internals": lambda s: s.get_internals().list_outputs(),
    "infer_shape": lambda s: s.infer_shape(x=(2, 3)),
    "infer_type": lambda s: s.infer_type(x="float32"),
    "tojson": lambda s: s.tojson(),
    "compose": lambda s: s(x=sym.Variable("y")).list_arguments(),
    "copy": lambda s: copy.deepcopy(s).list_outputs(),
    "attr_dict": lambda s: s.attr_dict(),
    "debug_str": lambda s: s.debug_str(),
    "graph": lambda s: s.graph,
}


@pytest.fixture(scope="module")
def long():
    return chain(10_000)


@pytest.mark.parametrize("use", USES)
def test_ten_thousand_nodes_in_three_seconds(long, use):
    symbol = sym.Symbol(long.heads)  # a new one, which has nothing cached
    start = time.process_time()
    USES[use](symbol)
    assert time.process_time() - start < 3


def test_building_and_loading_ten_thousand_nodes(long):
    start = time.process_time()
    chain(10_000)
    assert time.process_time() - start < 3
    text = long.tojson()
    start = time.process_time()
    again = sym.load_json(text)
    assert time.process_time() - start < 3
    assert again.tojson() == text
    assert pickle.loads(pickle.dumps(long)).tojson() == text


@pytest.mark.slow
def test_a_hundred_thousand_nodes():
    long = chain(100_000)
    assert len(long.get_internals()) == 100_001
    again = sym.load_json(long.tojson())
    assert again.infer_shape(x=(2, 3)) == ([(2, 3)], [(2, 3)], [])
    assert again(x=sym.Variable("y")).list_arguments() == ["y"]
    del long, again  # freeing a chain must not recurse either


def test_values_at_the_end_of_a_long_network():
    deep = layers(2_000)
    args, outs, _ = deep.infer_shape(x=(2, 3))
    assert outs == [(2, 4)]
    assert (args[0], args[1], args[-2]) == ((2, 3), (4, 3), (4, 4))


def test_shapes_flow_back_through_a_long_network():
    """Only the last node knows, and every earlier one learns it in one sweep back."""
    end = sym.Variable("end", shape=(2, 3))
    args, _, _ = (chain(5_000) + end).infer_shape()
    assert args == [(2, 3), (2, 3)]


def calls_of(function, *args):
    """How many Python functions ``function`` calls: work that does not depend on the machine."""
    count = 0

    def trace(_frame, event, _arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(trace)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("make", [chain, layers])
@pytest.mark.parametrize("use", [*USES, "build", "load_json"])
def test_work_is_linear(make, use):
    work = []
    for length in (200, 400, 800):
        symbol = make(length)
        text = symbol.tojson()
        fresh = sym.Symbol(symbol.heads)
        if use == "build":
            work.append(calls_of(make, length))
        elif use == "load_json":
            work.append(calls_of(sym.load_json, text))
        else:
            work.append(calls_of(USES[use], fresh))
    first, second = work[1] - work[0], work[2] - work[1]
    assert second <= 2.2 * first + 200, work


def test_order_is_depth_first_and_each_node_comes_once():
    a, b = sym.Variable("a"), sym.Variable("b")
    left = a * b
    made = (b + left) * left
    names = [node.name for node in Graph(made.heads).order]
    assert names == ["b", "a", left.name, (made.get_children()[0]).name, made.name]
