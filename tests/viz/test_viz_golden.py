"""Drawings and tables of 66 networks against those of MXNet 1.9.1."""

from __future__ import annotations

from math import prod

import pytest
from dot_reader import Drawn, read_dot
from viz_golden import SUMMARY_OPTIONS, golden, is_whole, network, plot_options, shapes

from symgraph import viz
from symgraph.viz.facts import WEIGHT_SUFFIXES, graph_of, parameters_of
from symgraph.viz.summary import summary_of

PLOTS = [(name, plot) for name, net in golden().items() for plot in net["plots"]]

# Two nodes of one name, which MXNet draws as one.
TWINS = {"name_prefix"}

# Of a csr product's weight, nothing implies a type in MXNet.
TYPES_MORE = {("sparse_linear", "weight"), ("wide_deep", "weight")}


@pytest.mark.parametrize(("name", "plot"), PLOTS)
def test_drawing_equals_mxnet(name, plot):
    if name in TWINS:
        return
    ours = read_dot(viz.plot_network(network(name), **plot_options(name, plot)).source)
    theirs = read_dot(golden()[name]["plots"][plot])
    assert ours.name == theirs.name
    assert not ours.repeated
    _check_boxes(ours, theirs, weights_shown="hide_weights" in plot)
    _check_arrows(name, ours, theirs)


def _check_boxes(ours: Drawn, theirs: Drawn, weights_shown: bool) -> None:
    # MXNet draws arrows from weights that it never declares.
    undeclared = {head for _, head, _ in theirs.edges} - set(theirs.nodes)
    assert set(ours.nodes) - set(theirs.nodes) == undeclared
    assert all(n.endswith(WEIGHT_SUFFIXES) for n in undeclared)
    assert weights_shown or not undeclared
    for node, attrs in theirs.nodes.items():
        # Boxes grow with their captions here.
        assert ours.nodes[node] == {**attrs, "fixedsize": "false"}


def _check_arrows(name: str, ours: Drawn, theirs: Drawn) -> None:
    ends = [(tail, head) for tail, head, _ in theirs.edges]
    assert [(tail, head) for tail, head, _ in ours.edges] == ends
    parameters = {node.name for node in parameters_of(graph_of(network(name)))}
    for (_, head, attrs), (_, _, expected) in zip(ours.edges, theirs.edges, strict=True):
        assert {**attrs, "label": ""} == {**expected, "label": ""}
        shape, dtype = _split(attrs["label"])
        wanted, wanted_dtype = _split(expected["label"])
        if head in parameters:
            shape = shape.partition("x")[2]  # all axes here, in MXNet all but the first
        if not is_whole(name):  # nothing passes an operator that is not built
            assert shape in ("", wanted) or "?" in shape
            assert dtype in ("", wanted_dtype)
        else:
            assert shape == wanted
            assert dtype == wanted_dtype or (name, head) in TYPES_MORE


def _split(label: str) -> tuple[str, str]:
    shape, _, dtype = label.partition("(")
    return shape, dtype


def test_twins_are_two_boxes():
    symbol = network("name_prefix")
    graph = graph_of(symbol)
    drawn = read_dot(viz.plot_network(symbol, hide_weights=False).source)
    assert len(drawn.nodes) == len(graph.order)
    ends = {end for tail, head, _ in drawn.edges for end in (tail, head)}
    assert ends == set(drawn.nodes)


# Where MXNet's table is right: one input, no shared weights, operators it knows how to count,
# no names that it cuts. Elsewhere numbers are tested, below.
SUMMARIES_EQUAL = {
    "attribute_scopes", "autoencoder", "ex_alexnet", "ex_googlenet", "ex_inception_bn", "ex_mlp",
    "ex_mobilenet", "ex_resnet152_v2", "ex_resnet18_v1", "ex_resnet18_v2", "ex_resnet20_cifar",
    "ex_resnet50_v1", "ex_resnet50_v2", "ex_resnext50", "ex_vgg16", "fp16_cast", "lenet", "mlp",
    "mlp_bn_dropout_svm", "name_prefix", "resnet_preact_small", "text_cnn", "zoo_alexnet",
    "zoo_densenet121", "zoo_mobilenet0_25", "zoo_resnet18_v1", "zoo_squeezenet1_0",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SUMMARIES_EQUAL))
def test_table_equals_mxnet(name, capsys):
    text = golden()[name]["summaries"]["shape"]
    viz.print_summary(network(name), shape=shapes(name))
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("option", ["line_length_160", "positions"])
@pytest.mark.parametrize("name", ["mlp", "ex_mlp", "autoencoder", "fp16_cast"])
def test_table_of_other_widths_equals_mxnet(name, option, capsys):
    viz.print_summary(network(name), shapes(name), **SUMMARY_OPTIONS[option])
    assert capsys.readouterr().out == golden()[name]["summaries"][option]


@pytest.mark.parametrize("name", sorted(golden()))
def test_total_is_the_size_of_all_arguments_that_are_not_fed(name):
    """The sizes are those that MXNet's own inference gives."""
    arguments, fed = golden()[name]["arguments"], shapes(name)
    summary = summary_of(graph_of(network(name)), fed)
    total = sum(
        prod(shape)
        for key, shape in arguments
        if key not in fed and "begin_state" not in key and not key.endswith("label")
    )
    if is_whole(name):
        assert summary.total == total
        assert not summary.open
    else:
        assert summary.total <= total or not arguments
