"""plot_network: captions, labels, options and what it refuses."""

from __future__ import annotations

import dataclasses
import time
from itertools import pairwise

import pytest
from dot_reader import read_dot

from symgraph import symbol as sym
from symgraph import viz
from symgraph.errors import MXNetError, ShapeError
from symgraph.graph.graph import Graph
from symgraph.viz import RenderOptions, layout
from symgraph.viz.view import view_of

DATA = sym.Variable("data")


def caption(net: sym.Symbol) -> str:
    drawn = read_dot(viz.plot_network(net).source)
    return drawn.nodes[net.name]["label"]


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (sym.Convolution(DATA, kernel=(3,), num_filter=2, name="n"), "Convolution\n3/1, 2"),
        (
            sym.Convolution(DATA, kernel=(3, 2, 1), stride=(1, 2, 3), num_filter=2, name="n"),
            "Convolution\n3x2x1/1x2x3, 2",
        ),
        (
            sym.Convolution(DATA, kernel=[3, 2], stride=[2, 2], num_filter=2, name="n"),
            "Convolution\n3x2/2x2, 2",
        ),
        (sym.FullyConnected(DATA, num_hidden=7, name="n"), "FullyConnected\n7"),
        (sym.Activation(DATA, act_type="tanh", name="n"), "Activation\ntanh"),
        (sym.LeakyReLU(DATA, act_type="elu", name="n"), "LeakyReLU\nelu"),
        (sym.LeakyReLU(DATA, name="n"), "LeakyReLU\nleaky"),
        (sym.Pooling(DATA, kernel=(3, 2), pool_type="avg", name="n"), "Pooling\navg, 3x2/1"),
        # MXNet raises KeyError here and writes "max, []/1" below.
        (sym.Pooling(DATA, kernel=(3, 2), name="n"), "Pooling\nmax, 3x2/1"),
        (sym.Pooling(DATA, global_pool=True, pool_type="max", name="n"), "Pooling\nmax, global"),
        (sym.BatchNorm(DATA, name="n"), "n"),
        (sym.Flatten(DATA, name="n"), "n"),
    ],
)
def test_captions(net, text):
    assert caption(net) == text


def labels(net: sym.Symbol, **options) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for tail, head, attrs in read_dot(viz.plot_network(net, **options).source).edges:
        found.setdefault((tail, head), []).append(attrs["label"])
    return found


def test_each_arrow_has_the_shape_of_its_own_output():
    """MXNet gives all arrows the last output's shape."""
    bn = sym.BatchNorm(DATA, output_mean_var=True, name="bn")
    net = sym.Group([sym.relu(bn[0], name="a"), sym.relu(bn[1], name="b")])
    assert labels(net, shape={"data": (2, 3, 5)}) == {
        ("bn", "data"): ["3x5"], ("a", "bn"): ["3x5"], ("b", "bn"): [""],
    }  # fmt: skip


def test_slices_have_the_shape_of_a_slice():
    parts = sym.SliceChannel(DATA, num_outputs=2, name="sl")
    net = sym.broadcast_maximum(parts[0], parts[1], name="best")
    assert labels(net, shape={"data": (3, 4)}) == {
        ("sl", "data"): ["4"], ("best", "sl"): ["2", "2"],
    }  # fmt: skip


def test_weights_show_all_their_axes_and_are_boxes():
    net = sym.FullyConnected(DATA, num_hidden=7, name="fc")
    options = {"hide_weights": False, "shape": {"data": (2, 3)}}
    assert labels(net, **options) == {
        ("fc", "data"): ["3"], ("fc", "fc_weight"): ["7x3"], ("fc", "fc_bias"): ["7"],
    }  # fmt: skip
    drawn = read_dot(viz.plot_network(net, **options).source)
    assert drawn.nodes["fc_weight"]["label"] == "fc_weight"
    assert drawn.nodes["fc_weight"]["shape"] == "oval"


def test_shapes_and_types_go_as_far_as_they_can():
    net = sym.elemwise_add(sym.relu(DATA, name="r"), sym.relu(sym.Variable("q"), name="s"))
    assert labels(net, shape={})[("r", "data")] == [""]
    open_batch = labels(sym.dot(DATA, sym.Variable("w"), name="d"), shape={"data": (2, 0)})
    assert open_batch[("d", "data")] == ["?"]
    typed = labels(sym.relu(DATA, name="r"), dtype={"data": "float16"})
    assert typed == {("r", "data"): ["(float16)"]}


def test_unknown_operators_are_drawn_and_nothing_is_said_past_them():
    text = """{"nodes": [
        {"op": "null", "name": "data", "inputs": []},
        {"op": "relu", "name": "before", "inputs": [[0, 0, 0]]},
        {"op": "NoSuchOp", "name": "strange", "attrs": {"a": "1"}, "inputs": [[1, 0, 0]]},
        {"op": "relu", "name": "one", "inputs": [[2, 0, 0]]},
        {"op": "relu", "name": "two", "inputs": [[2, 1, 0]]}],
        "arg_nodes": [0], "heads": [[3, 0, 0], [4, 0, 0]]}"""
    assert labels(sym.load_json(text), shape={"data": (2, 3)}) == {
        ("before", "data"): ["3"],
        ("strange", "before"): ["3"],
        ("one", "strange"): [""],
        ("two", "strange"): [""],
    }


def test_a_graph_or_a_file_can_be_drawn(tmp_path):
    net = sym.relu(DATA, name="r")
    net.save(str(tmp_path / "net.json"))
    text = viz.plot_network(net).source
    assert viz.plot_network(Graph(net.heads)).source == text
    assert viz.plot_network(tmp_path / "net.json").source == text
    with pytest.raises(TypeError, match="symbol must be a Symbol, but got 3"):
        viz.plot_network(3)  # pyright: ignore[reportArgumentType]


CHANGES = {
    "title": "other",
    "save_format": "svg",
    "node_attrs": {"penwidth": "3"},
    "hide_weights": False,
    "rankdir": "LR",
    "use_dot": True,
    "time_limit": 1.0,
}


@pytest.mark.parametrize("option", [f.name for f in dataclasses.fields(RenderOptions)])
def test_every_option_changes_the_picture(option):
    def seen(**options):
        net = sym.FullyConnected(DATA, num_hidden=7, name="fc")
        picture = viz.plot_network(net, **options)
        return picture.source, picture.format, picture.use_dot, picture.time_limit

    assert seen(**{option: CHANGES[option]}) != seen()


def test_data_flows_where_it_is_told():
    net = sym.relu(sym.relu(DATA, name="r"), name="s")
    for flow, axis, sign in [("BT", 1, 1), ("TB", 1, -1), ("LR", 0, 1), ("RL", 0, -1)]:
        plain = viz.plot_network(net, rankdir=flow).pipe("plain", encoding="utf-8")
        nodes = [line.split() for line in plain.splitlines() if line.startswith("node")]
        along = [float(node[2 + axis]) for node in nodes]
        assert (sorted(along) if sign == 1 else sorted(along, reverse=True)) == along


def test_attributes_given_win_but_inputs_stay_round():
    drawn = read_dot(
        viz.plot_network(
            sym.relu(DATA, name="r"), node_attrs={"shape": "rect", "fillcolor": "red", "width": 3}
        ).source
    )
    assert drawn.nodes["r"]["shape"] == "rect"
    assert drawn.nodes["data"]["shape"] == "oval"
    assert drawn.nodes["data"]["fillcolor"] == drawn.nodes["r"]["fillcolor"] == "red"
    assert drawn.nodes["r"]["width"] == "3"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rankdir": "UP"}, ValueError, "rankdir is 'UP', but one of BT, TB, LR, RL is required"),
        ({"node_attrs": 3}, TypeError, "node_attrs is 3, but a dict is required"),
        ({"title": 3}, TypeError, "title is 3, but a string is required"),
        ({"time_limit": 0}, ValueError, "time_limit is 0, but seconds are required"),
        ({"save_format": "nope"}, ValueError, "unknown format: 'nope'"),
        ({"shape": {"dat": (1,)}}, MXNetError, "no such variable; did you mean 'data'"),
        ({"shape": (1, 2)}, TypeError, "but a dict of one shape for each input is required"),
        ({"shape": {"data": "x"}}, ShapeError, "variable data: shape is 'x'"),
        ({"shape": {"data": (2, 3), "fc_weight": (7, 4)}}, ShapeError, "fc"),
        ({"dtype": "float16"}, TypeError, "but a dict of one dtype for each input is required"),
    ],
)
def test_wrong_arguments_are_named(options, error, message):
    net = sym.FullyConnected(DATA, num_hidden=7, name="fc")
    with pytest.raises(error, match=message):
        viz.plot_network(net, **options)


def test_long_captions_make_boxes_grow():
    long = "a_rather_long_name_of_a_layer_that_would_overflow"
    net = sym.relu(sym.relu(DATA, name="r"), name=long)
    plain = viz.plot_network(net).pipe("plain", encoding="utf-8")
    width = {n.split()[1]: float(n.split()[4]) for n in plain.splitlines() if n[:4] == "node"}
    assert width["r"] == pytest.approx(1.3)
    assert width[long] > 3


def test_ten_thousand_nodes_are_written_in_a_second():
    net = DATA
    for _ in range(10_000):
        net = sym.relu(net)
    start = time.perf_counter()
    picture = viz.plot_network(net)
    assert len(picture.source.splitlines()) == 20_005
    assert time.perf_counter() - start < 3  # about 0.5 on an idle core
    assert not picture.placed


def ladder(steps: int, width: int) -> sym.Symbol:
    """A network whose first layer is read at every step, so that arrows pass many rows."""
    split = sym.SliceChannel(DATA, num_outputs=width, name="slices")
    net = split[0]
    for i in range(steps):
        net = sym.elemwise_add(net, split[i % width])
    return net


def test_hard_layouts_are_hurried_and_harder_ones_are_made_here():
    easy, hard = viz.plot_network(ladder(20, 2)), viz.plot_network(ladder(120, 2))
    assert "nslimit" not in easy.graph_attr
    assert hard.graph_attr["nslimit"] == "0.1"
    assert not hard.placed
    harder = viz.plot_network(ladder(800, 2))
    assert harder.placed
    assert all("pos" in attrs for attrs in read_dot(harder.source).nodes.values())
    assert harder.pipe("svg").count(b'class="edge"') == 1601


def test_wide_networks_are_placed_here_too():
    branches = sym.Group([sym.relu(DATA, name=f"r{i}") for i in range(5000)])
    picture = viz.plot_network(branches)
    assert picture.placed
    assert picture.pipe("svg").count(b'class="edge"') == 5000


def test_placed_boxes_do_not_overlap_and_data_flows_up():
    view = view_of(Graph(ladder(40, 3).heads))
    rows = layout.rows_of(view)
    assert all(rows[a.reader] > rows[a.source] for a in view.arrows)
    places = layout.place(view, rows)
    assert all(places[a.reader][1] > places[a.source][1] for a in view.arrows)
    by_row: dict[float, list[float]] = {}
    for x, y in places.values():
        by_row.setdefault(y, []).append(x)
    for row in by_row.values():
        row.sort()
        assert all(b - a >= 1.3 * 72 for a, b in pairwise(row))
