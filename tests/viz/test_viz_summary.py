"""print_summary: numbers that are right, and columns that hold."""

from __future__ import annotations

import io
import sys

import pytest

from symgraph import symbol as sym
from symgraph import viz
from symgraph.errors import MXNetError
from symgraph.graph.graph import Graph
from symgraph.viz.summary import Summary, summary_of

DATA = sym.Variable("data")


def summed(net: sym.Symbol, **shape) -> Summary:
    return summary_of(Graph(net.heads), shape or None)


def rows(summary: Summary) -> dict[str, tuple]:
    return {row.name: (row.params, row.shared, row.previous) for row in summary.rows}


def test_fully_connected_on_images():
    net = sym.FullyConnected(DATA, num_hidden=7, name="fc")
    net = sym.FullyConnected(net, num_hidden=2, name="fc2")
    summary = summed(net, data=(5, 3, 4, 4))
    assert summary.total == 359
    assert rows(summary) == {
        "data": (0, 0, ()), "fc": (7 * 48 + 7, 0, ("data",)), "fc2": (2 * 7 + 2, 0, ("fc",)),
    }  # fmt: skip


def test_variables_of_the_user_are_parameters_and_those_fed_are_not():
    gain, offset = sym.Variable("gain", shape=(4,)), sym.Variable("offset")
    net = sym.broadcast_add(sym.broadcast_mul(DATA, gain), offset, name="affine")
    assert summed(net, data=(5, 4), offset=(1, 4)).total == 4
    with_offset = summed(net, data=(5, 4))
    assert (with_offset.total, with_offset.open) == (4, ("offset",))
    assert "Total params: 4 and those of offset, whose shapes are unknown" in str(with_offset)


def test_weights_given_a_shape_stay_parameters():
    net = sym.FullyConnected(DATA, num_hidden=2, name="fc")
    assert summed(net, data=(5, 3), fc_weight=(2, 3)).total == 8
    net = sym.FullyConnected(DATA, weight=sym.Variable("w"), num_hidden=2, name="fc")
    assert summed(net, data=(5, 3), w=(2, 3)).total == 8


def test_shared_weights_count_once():
    weight = sym.Variable("w_weight")
    net = sym.FullyConnected(DATA, weight=weight, no_bias=True, num_hidden=3, name="a")
    net = sym.FullyConnected(net, weight=weight, no_bias=True, num_hidden=3, name="b")
    summary = summed(net, data=(5, 3))
    assert summary.total == 9
    assert rows(summary)["b"] == (0, 9, ("a",))
    assert "0 (shared)" in str(summary)


def test_slices_keep_their_inputs():
    weight, bias = sym.Variable("r_weight"), sym.Variable("r_bias")
    x = sym.SliceChannel(DATA, num_outputs=2, axis=1, squeeze_axis=True, name="sl")
    y = [
        sym.FullyConnected(x[t], weight=weight, bias=bias, num_hidden=4, name=f"t{t}")
        for t in range(2)
    ]
    summary = summed(y[0] + y[1], data=(5, 2, 3))
    assert summary.total == 16
    assert rows(summary)["t1"] == (0, 16, ("sl",))
    assert summary.rows[1].outputs == ((5, 3), (5, 3))


def test_one_axis_labels_and_all_inputs():
    """The seed's network, on which MXNet raises IndexError."""
    user = sym.Embedding(sym.Variable("user"), input_dim=10, output_dim=4, name="ue")
    item = sym.Embedding(sym.Variable("item"), input_dim=7, output_dim=4, name="ie")
    net = sym.sum(user * item, axis=1, name="s")
    net = sym.LinearRegressionOutput(net, sym.Variable("score"), name="lro")
    summary = summed(net, user=(5,), item=(5,), score=(5,))
    assert summary.total == 68
    assert [row.name for row in summary.rows] == ["user", "ue", "item", "ie", "_mul0", "s", "lro"]
    assert rows(summary)["lro"] == (0, 0, ("s",))


def test_auxiliary_states_are_no_parameters():
    assert summed(sym.BatchNorm(DATA, name="bn"), data=(5, 3, 4, 4)).total == 6


def test_initial_states_are_no_parameters():
    state = sym.Variable("lstm_begin_state_0")
    net = sym.FullyConnected(state, num_hidden=3, name="h2h")
    assert summed(sym.elemwise_add(net, DATA), data=(5, 3)).open == ("h2h_weight", "h2h_bias")


def test_without_shapes_what_is_known_is_counted_and_the_rest_named():
    net = sym.Embedding(DATA, input_dim=5, output_dim=4, name="em")
    net = sym.FullyConnected(net, num_hidden=7, name="fc")
    gain = sym.Variable("fc2_weight", shape=(3, 2))
    net = sym.FullyConnected(net, weight=gain, num_hidden=3, name="fc2")
    summary = summed(net)
    assert [row.params for row in summary.rows] == [0, 20, 0, 6]
    assert summary.open == ("fc_weight", "fc_bias", "fc2_bias")
    lines = {line.split("(")[0]: line[76:88].strip() for line in str(summary).splitlines()}
    assert (lines["em"], lines["fc"], lines["fc2"]) == ("20", "?", "6+")
    assert "Total params: 26 and those of fc_weight, fc_bias, fc2_bias, whose" in str(summary)


def test_print_summary_prints_and_returns(capsys):
    net = sym.FullyConnected(DATA, num_hidden=7, name="fc")
    summary = viz.print_summary(net, {"data": (5, 3)})
    assert capsys.readouterr().out == f"{summary}\n"
    assert repr(summary) == "Summary(2 layers, 28 parameters)"
    assert str(summary).splitlines() == [
        "_" * 120,
        "Layer (type)".ljust(52) + "Output Shape".ljust(24) + "Param #".ljust(12)
        + "Previous Layer".ljust(32),
        "=" * 120,
        "data(null)".ljust(52) + "3".ljust(24) + "0".ljust(44),
        "_" * 120,
        "fc(FullyConnected)".ljust(52) + "7".ljust(24) + "28".ljust(12) + "data".ljust(32),
        "=" * 120,
        "Total params: 28",
        "_" * 120,
    ]  # fmt: skip


def test_long_names_go_on_in_the_next_line():
    long = "x" * 70
    net = sym.relu(sym.relu(DATA, name=long), name="r")
    lines = summed(net, data=(2, 3)).text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("xxx"))
    assert lines[first] == "x" * 51 + " " + "3".ljust(24) + "0".ljust(12) + "data".ljust(32)
    assert lines[first + 1] == ("x" * 19 + "(relu)").ljust(120)
    reader = next(i for i, line in enumerate(lines) if line.startswith("r(relu)"))
    assert lines[reader][88:] == "x" * 32
    assert lines[reader + 1] == " " * 88 + "x" * 32
    assert {len(line) for line in lines if "Total" not in line} == {120}


def test_positions_may_be_columns():
    net = sym.relu(DATA, name="r")
    line = summed(net, data=(2, 3)).text(60, [20, 35, 45, 60]).splitlines()[1]
    assert line == "Layer (type)        Output Shape   Param #   Previous Layer "


def test_several_outputs_of_different_shapes():
    net = sym.BatchNorm(DATA, output_mean_var=True, name="bn")
    summary = summed(sym.Group([net[0], net[1]]), data=(2, 3, 5))
    assert summary.rows[1].outputs[:2] == ((2, 3, 5), (3,))


def test_names_with_line_breaks_keep_the_table_together():
    summary = summed(sym.relu(DATA, name="two\nlines"), data=(2, 3))
    assert r"two\nlines(relu)" in str(summary)


def test_a_terminal_that_lacks_letters_gets_escapes(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    viz.print_summary(sym.relu(DATA, name="sum_ reducción"))
    out.flush()
    assert b"sum_ reducci\\xf3n(relu)" in out.buffer.getvalue()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"shape": {"dat": (2, 3)}}, MXNetError, "no such variable; did you mean 'data'"),
        ({"positions": [0.5, 0.6, 1.0]}, ValueError, "four ascending numbers"),
        ({"positions": [0.5, 0.4, 0.8, 1.0]}, ValueError, "four ascending numbers"),
        ({"line_length": 10}, ValueError, "raise line_length"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        viz.print_summary(sym.relu(DATA, name="r"), **arguments)
    with pytest.raises(TypeError, match="symbol must be a Symbol"):
        viz.print_summary(None)  # pyright: ignore[reportArgumentType]


def test_ten_thousand_layers():
    net = DATA
    for _ in range(10_000):
        net = sym.relu(net)
    assert len(summed(net, data=(2, 3)).text().splitlines()) == 20_007
