"""Symbol: structure, composing, attributes, inference, errors."""

from __future__ import annotations

import copy
import json
import pickle

import networkx as nx
import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import (
    AttributeValueError,
    MXNetError,
    NotImplementedForSymbol,
    ShapeError,
    StorageError,
    UnknownOperatorError,
)

sym = mx.sym
V = sym.Variable


@pytest.fixture(autouse=True)
def fresh_names():
    with mx.name.NameManager():
        yield


@pytest.fixture
def net():
    hidden = sym.FullyConnected(V("data"), num_hidden=3, name="fc")
    return sym.SoftmaxOutput(sym.Activation(hidden, act_type="relu", name="act"), name="softmax")


def nodes(symbol):
    """(operator, name, inputs) of every node."""
    return [
        (node.op_name, node.name, [entry.name for entry in node.inputs])
        for node in symbol._graph.order
    ]


# ---- operators of Python ------------------------------------------------------------

BOTH = {
    "_plus0": lambda a, b: a + b,
    "_minus0": lambda a, b: a - b,
    "_mul0": lambda a, b: a * b,
    "_div0": lambda a, b: a / b,
    "_mod0": lambda a, b: a % b,
    "_power0": lambda a, b: a**b,
    "_equal0": lambda a, b: a == b,
    "_not_equal0": lambda a, b: a != b,
    "_greater0": lambda a, b: a > b,
    "_greater_equal0": lambda a, b: a >= b,
    "_lesser0": lambda a, b: a < b,
    "_lesser_equal0": lambda a, b: a <= b,
    "_maximum0": sym.maximum,
    "_minimum0": sym.minimum,
    "_hypot0": sym.hypot,
}
SCALAR = {
    "_plusscalar0": (lambda a: a + 1, "_plus_scalar", "1"),
    "_minusscalar0": (lambda a: a - 1.5, "_minus_scalar", "1.5"),
    "_rminusscalar0": (lambda a: 2 - a, "_rminus_scalar", "2"),
    "_mulscalar0": (lambda a: -a, "_mul_scalar", "-1.0"),
    "_divscalar0": (lambda a: a / np.int64(4), "_div_scalar", "4"),
    "_rdivscalar0": (lambda a: 1 / a, "_rdiv_scalar", "1"),
    "_modscalar0": (lambda a: a % 3, "_mod_scalar", "3"),
    "_rmodscalar0": (lambda a: 3 % a, "_rmod_scalar", "3"),
    "_powerscalar0": (lambda a: a**2, "_power_scalar", "2"),
    "_rpower_scalar0": (lambda a: 2**a, "_rpower_scalar", "2"),
    "_rpowerscalar0": (lambda a: sym.power(2, a), "_rpower_scalar", "2"),
    "_equal_scalar0": (lambda a: 1 == a, "_equal_scalar", "1"),  # noqa: SIM300
    "_lesser_scalar0": (lambda a: 1 > a, "_lesser_scalar", "1"),  # noqa: SIM300
    "_greater_equal_scalar0": (lambda a: a >= 1e-10, "_greater_equal_scalar", "1e-10"),
    "_maximumscalar0": (lambda a: sym.maximum(2, a), "_maximum_scalar", "2"),
    "_hypotscalar0": (lambda a: sym.hypot(a, 2), "_hypot_scalar", "2"),
}


@pytest.mark.parametrize("name", BOTH)
def test_two_symbols(name):
    made = BOTH[name](V("a"), V("b"))
    assert made.name == name
    assert made.list_arguments() == ["a", "b"]


@pytest.mark.parametrize("name", SCALAR)
def test_symbol_and_number(name):
    build, op_name, scalar = SCALAR[name]
    made = build(V("a"))
    assert nodes(made)[-1] == (op_name, name, ["a"])
    assert made.list_attr() == {"scalar": scalar}


@pytest.mark.parametrize(
    "scalar, text", [(np.float32(0.1), "0.1"), (np.float64(2), "2.0"), (float("inf"), "inf")]
)
def test_numpy_scalars_print_as_plain_ones(scalar, text):
    assert (scalar * V("a")).attr("scalar") == text


def test_other_operands_are_refused():
    for other in (np.ones(2), None, "x", [1], mx.nd.ones((2, 2))):
        with pytest.raises(TypeError, match=f"of type {type(other).__name__}, but a Symbol or a n"):
            V("a") + other
    with pytest.raises(TypeError):
        np.ones(2) * V("a")
    with pytest.raises(AttributeValueError, match="scalar is 'True'"):
        V("a") + True
    with pytest.raises(NotImplementedForSymbol, match="__iadd__"):
        a = V("a")
        a += 1


def test_functions_of_two_numbers():
    assert sym.maximum(2, 3) == 3
    assert sym.minimum(2, 3) == 2
    assert sym.pow(2, 3) == 8
    assert sym.hypot(3, 4) == 5.0


def test_abs_and_fluent_methods():
    assert nodes(abs(V("a")))[-1] == ("abs", "abs0", ["a"])
    made = V("x").reshape((0, -1)).sum(axis=1).astype("int32").flatten(inplace=True)
    assert [op for op, _, _ in nodes(made)] == ["null", "Reshape", "sum", "Cast", "Flatten"]
    assert V("x").expand_dims(1).attr("axis") == "1"
    assert V("x").squeeze().list_attr() == {"axis": "None"}


@pytest.mark.parametrize("method", ["asnumpy", "asscalar", "copy", "detach", "wait_to_read"])
def test_methods_of_arrays_are_refused(method):
    with pytest.raises(NotImplementedForSymbol, match=method):
        getattr(V("a"), method)()
    with pytest.raises(NotImplementedForSymbol):
        bool(V("a"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(V("a"))


# ---- structure ----------------------------------------------------------------------


def test_lists(net):
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias", "softmax_label"]
    assert net.list_outputs() == ["softmax_output"]
    assert net.list_auxiliary_states() == []
    norm = sym.BatchNorm(net, name="bn")
    assert norm.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert norm.list_inputs()[-4:] == ["bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]
    assert "bn_moving_mean" not in norm.list_arguments()


def test_choosing_outputs(net):
    internals = net.get_internals()
    assert internals.list_outputs() == [
        "data",
        "fc_weight",
        "fc_bias",
        "fc_output",
        "act_output",
        "softmax_label",
        "softmax_output",
    ]
    for index in (3, "fc_output", "fc", np.int64(3)):
        assert internals[index].list_outputs() == ["fc_output"]
    assert internals["fc_weight"].list_arguments() == ["fc_weight"]
    assert internals[4:6].list_outputs() == ["act_output", "softmax_label"]
    assert [part.name for part in internals] == [e.node.name for e in internals.heads]
    pieces = sym.split(V("x"), num_outputs=3, name="sp")
    assert pieces[::2].list_outputs() == ["sp_output0", "sp_output2"]
    assert len(pieces) == 3
    assert pieces.name == "sp"


@pytest.mark.parametrize(
    "index, error, text",
    [
        (7, IndexError, "output 7 is asked for, but there are 7"),
        (-1, MXNetError, "counted from 0"),
        ("fc_outptu", ValueError, "no output 'fc_outptu'; did you mean 'fc_output'"),
        (1.5, TypeError, "got 1.5"),
        (slice(2, 2), IndexError, "selects no output"),
    ],
)
def test_choosing_what_is_not_there(net, index, error, text):
    with pytest.raises(error, match=text):
        net.get_internals()[index]


def test_a_name_that_is_not_unique():
    pieces = sym.split(V("x"), num_outputs=2, name="sp")
    with pytest.raises(ValueError, match="'sp' names 2 outputs: sp_output0, sp_output1"):
        pieces["sp"]
    with pytest.raises(ValueError, match="names 2 outputs"):
        sym.Group([V("a"), V("a")])["a"]


def test_groups(net):
    internals = net.get_internals()
    group = sym.Group([internals["fc"], sym.Group([net, internals["data"]])])
    assert group.list_outputs() == ["fc_output", "softmax_output", "data"]
    assert group.name is None
    assert repr(group) == "<Symbol group [fc, softmax, data]>"
    assert repr(net) == "<Symbol softmax>"
    for wrong in ([], [net, 3], net):
        with pytest.raises(TypeError, match="list of symbols"):
            sym.Group(wrong)


def test_children(net):
    assert net.get_children().list_outputs() == ["act_output", "softmax_label"]
    assert net.get_children().get_children().get_children().list_outputs()[0] == "data"
    assert V("a").get_children() is None
    norm = sym.BatchNorm(V("a"), name="b")
    assert norm.get_children().list_outputs()[-1] == "b_moving_var"


def test_graph_is_a_frozen_multigraph():
    a = V("a")
    dag = (a * a).graph
    assert isinstance(dag, nx.MultiDiGraph)
    assert nx.is_frozen(dag)
    assert sorted(dag.edges(keys=True, data="output")) == [(0, 1, 0, 0), (0, 1, 1, 0)]
    assert dag.nodes[1]["op"] == "elemwise_mul"
    assert list(nx.topological_sort(dag)) == [0, 1]


def test_debug_str(net):
    assert sym.BatchNorm(V("x"), name="b", eps=0.1).debug_str() == (
        "Symbol Outputs:\n\toutput[0]=b(0)\n"
        "Variable:x\nVariable:b_gamma\nVariable:b_beta\n"
        "Variable:b_moving_mean\nVariable:b_moving_var\n"
        "--------------------\nOp:BatchNorm, Name=b\nInputs:\n"
        "\targ[0]=x(0) version=0\n\targ[1]=b_gamma(0) version=0\n\targ[2]=b_beta(0) version=0\n"
        "\targ[3]=b_moving_mean(0) version=1\n\targ[4]=b_moving_var(0) version=1\n"
        "Attrs:\n\teps=0.1\n"
    )
    assert V("x").debug_str() == "Variable:x\n"
    assert "\targ[0]=fc(0)\n" in net.debug_str()


# ---- calling an operator ------------------------------------------------------------


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: sym.FullyConnected(x, num_hiden=3), AttributeValueError, "'num_hiden'; did you"),
        (lambda x: sym.FullyConnected(x, name="fc"), AttributeValueError, "fc.*num_hidden"),
        (lambda x: sym.FullyConnected(x, num_hidden=5.0), AttributeValueError, "'5.0', but an int"),
        (lambda x: sym.FullyConnected(x, num_hidden=x), AttributeValueError, "<Symbol x>"),
        (lambda x: sym.FullyConnected(x, bias=4, num_hidden=3), TypeError, "bias must be a Symbol"),
        (lambda x: sym.FullyConnected(x, x, x, num_hidden=3, no_bias=True), MXNetError, "'bias'"),
        (lambda x: sym.Activation(x, act_type="rellu"), AttributeValueError, "'relu'.*'tanh'"),
        (lambda x: sym.relu(y=x), MXNetError, "no input is called 'y'"),
        (lambda x: sym.dot(x, lhs=x), TypeError, "lhs is given by position and by keyword"),
        (lambda x: sym.relu(x, "n", None, None, 1), TypeError, "4 arguments at most, but 5"),
        (lambda x: sym.relu(x, name=5), TypeError, "name is 5"),
        (lambda x: sym.relu(x, attr=3), TypeError, "attr is 3"),
        (lambda x: sym.relu(x, attr={"free": "1"}), AttributeValueError, "'free'"),
        (lambda x: sym.relu(sym.split(x, num_outputs=2)), MXNetError, "has 2 .*choose one"),
        (lambda x: sym.Concat(x, None), TypeError, "input 1 must be a Symbol"),
        (lambda x: sym.Concat(x, arg0=x), TypeError, "not both"),
        (lambda x: sym.split(x, num_outputs=10**12), AttributeValueError, "at most"),
        (lambda x: sym.Concat(x, num_args=10**12), AttributeValueError, "at most"),
        (lambda x: sym.BatchNorm(x, moving_mean=x + 1), MXNetError, "a variable is required"),
        (lambda x: sym.FullyConected(x), AttributeError, "did you mean 'FullyConnected'"),
    ],
)
def test_wrong_calls(call, error, text):
    with pytest.raises(error, match=text):
        call(V("x"))


def test_inputs_by_position_keyword_and_default():
    made = sym.FullyConnected(V("x"), None, V("b"), num_hidden=2, name="f")
    assert made.list_arguments() == ["x", "f_weight", "b"]
    made = sym.Concat(arg1=V("a"), arg0=V("b"))
    assert made.list_arguments() == ["b", "a"]
    assert made.list_attr() == {"num_args": "2"}
    made = sym.Concat(V("a"), V("b"), num_args=3)
    assert made.list_arguments() == ["a", "b", "concat1_arg2"]
    assert sym.FullyConnected(num_hidden=3, name="f").list_arguments()[0] == "f_data"


def test_auto_variables_copy_attributes_and_states_start_as_told():
    norm = sym.BatchNorm(V("x"), moving_var=V("mine"), name="b", lr_mult=2, eps=0.1)
    attrs = norm.attr_dict()
    assert attrs["b_gamma"] == {"__lr_mult__": "2", "lr_mult": "2", "eps": "0.1"}
    assert attrs["b_moving_mean"]["__init__"] == '["zero", {}]'
    assert attrs["mine"] == {"__init__": '["one", {}]'}
    kept = sym.BatchNorm(V("x"), moving_var=V("other", init="xavier"))
    assert kept.attr_dict()["other"] == {"__init__": "xavier"}


# ---- composing ----------------------------------------------------------------------


def test_compose_by_keyword_and_position(net):
    inner = sym.FullyConnected(V("x"), num_hidden=2, name="first")
    for made in (net(data=inner), net(inner)):
        assert made.list_arguments() == [
            "x",
            "first_weight",
            "first_bias",
            "fc_weight",
            "fc_bias",
            "softmax_label",
        ]
    assert net.list_arguments()[0] == "data"
    assert net(data=inner, name="out").list_outputs() == ["out_output"]
    assert net(softmax_label=V("y")).list_arguments()[-1] == "y"
    assert net().tojson() == net.tojson()
    assert sym.FullyConnected(num_hidden=2, name="f")(V("a")).list_arguments()[0] == "a"


def test_compose_replaces_every_variable_of_the_name_and_heads():
    first, second = V("a"), V("a")
    assert (first + second)(a=V("b")).list_arguments() == ["b"]
    a = V("a")
    made = sym.Group([a, sym.relu(a, name="r")])(a=V("q"))
    assert made.list_outputs() == ["q", "r_output"]
    assert V("a")(a=V("z")).list_outputs() == ["z"]
    relu = sym.relu(V("a"), name="r")
    assert len(nodes(relu(a=relu))) == 3


def test_two_calls_share_weights():
    net = sym.FullyConnected(V("data"), num_hidden=2, name="fc")
    both = sym.Group([net(data=V("left")), net(data=V("right"))])
    assert both.list_arguments() == ["left", "fc_weight", "fc_bias", "right"]


@pytest.mark.parametrize(
    "args, kwargs, error, text",
    [
        ((), {"dta": V("x")}, MXNetError, "no argument is called 'dta'; did you mean 'data'"),
        ((), {"data": 3}, TypeError, "data must be a Symbol, but got 3"),
        ((V("x"),), {"data": V("x")}, TypeError, "not both"),
        ((V("x"),) * 5, {}, MXNetError, "5 symbols given, but there are 4 arguments"),
        ((), {"data": sym.split(V("x"), num_outputs=2)}, MXNetError, "has 2"),
    ],
)
def test_wrong_composition(net, args, kwargs, error, text):
    with pytest.raises(error, match=text):
        net(*args, **kwargs)


def test_a_state_stays_a_variable():
    norm = sym.BatchNorm(V("x"), name="b")
    assert norm(b_moving_mean=V("m")).list_auxiliary_states() == ["m", "b_moving_var"]
    with pytest.raises(MXNetError, match=r"moving_mean is .*a variable is required"):
        norm(b_moving_mean=V("m") + 1)


# ---- attributes ---------------------------------------------------------------------


def test_hidden_keys_under_both_spellings():
    weight = V("w", lr_mult=2, attr={"ctx_group": "g", "mood": "sad"}, __free__=3)
    assert weight.attr("lr_mult") == weight.attr("__lr_mult__") == "2"
    assert weight.attr("free") is None
    assert weight.list_attr() == {
        "__ctx_group__": "g",
        "ctx_group": "g",
        "mood": "sad",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__free__": "3",
    }
    with pytest.raises(DeprecationWarning, match="attr_dict"):
        weight.list_attr(recursive=True)


def test_variable_keywords():
    weight = V("w", shape=(2, 3), wd_mult=0.5, dtype="float16", stype="row_sparse", init="one")
    assert weight.list_attr() == {
        "__shape__": "(2, 3)",
        "__wd_mult__": "0.5",
        "wd_mult": "0.5",
        "__dtype__": "2",
        "__storage_type__": "1",
        "__init__": "one",
    }
    assert V("w", dtype=np.int32).attr("__dtype__") == "4"
    assert V("w", shape=3).attr("__shape__") == "3"


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: V(3), TypeError, "a string, but got 3"),
        (lambda: V("w", foo=1), ValueError, "w: unknown argument 'foo'"),
        (lambda: V("w", attr={"foo": 1}), ValueError, "w: foo is 1"),
        (lambda: V("w", attr=3), TypeError, "attr is 3"),
        (lambda: V("w", init=3), TypeError, "an Initializer is required"),
        (lambda: V("w", stype="dense"), StorageError, "one of default, row_sparse, csr"),
        (lambda: V("w", dtype="nosuch"), TypeError, "'nosuch'"),
    ],
)
def test_wrong_variables(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda text: sym.FullyConnected(V("x"), num_hidden=text),
        lambda text: sym.FullyConnected(V("x"), num_hidden="-" + text[:4000]),
        lambda text: sym.FullyConnected(V("x"), num_hidden=3, **{text: 1}),
        lambda text: sym.Activation(V("x"), act_type=text),
        lambda text: sym.Reshape(V("x"), shape=f"({','.join(text)})"),
    ],
)
def test_messages_stay_short_where_values_are_long(make):
    with pytest.raises(AttributeValueError) as caught:
        make("9" * 100_000)
    assert len(str(caught.value)) < 500


def test_scopes_reach_variables_and_operators():
    with mx.AttrScope(ctx_group="g", __note__="a"), mx.AttrScope(__note__="b"):
        made = sym.FullyConnected(V("x"), num_hidden=2, name="f")
    assert made.attr_dict()["x"]["__note__"] == "b"
    assert made.attr_dict()["f_bias"]["__ctx_group__"] == "g"
    with mx.name.Prefix("p_"):
        assert sym.FullyConnected(V("x"), num_hidden=2).name == "p_fullyconnected0"
        assert sym.relu(V("x"), name="r").list_arguments() == ["x"]
        assert mx.name.NameManager.current.get("n", "hint") == "p_n"


def test_setting_attributes():
    x = V("x")
    made = sym.FullyConnected(x, num_hidden=3, name="f")
    x._set_attr(lr_mult="5", mood="1")
    assert made.attr_dict()["x"] == {"__lr_mult__": "5", "lr_mult": "5", "mood": "1"}
    made._set_attr(num_hidden="5")
    assert made.infer_shape(x=(2, 3))[1] == [(2, 5)]
    for wrong, text in [
        ({"num_hidden": "x"}, "f: .*num_hidden is 'x'"),
        ({"num_hidden": 3}, "need to be strings"),
        ({"no_bias": "True"}, "would change its inputs"),
        ({"num_hiden": "3"}, "did you mean 'num_hidden'"),
    ]:
        with pytest.raises(ValueError, match=text):
            made._set_attr(**wrong)
    with pytest.raises(MXNetError, match="group"):
        sym.Group([x, made])._set_attr(a="1")


def test_copies_do_not_share_attributes():
    x = V("x")
    made = x + 1
    twins = [copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))]
    x._set_attr(lr_mult="5")
    assert all(twin.attr_dict() == {"_plusscalar0": {"scalar": "1"}} for twin in twins)
    assert [twin.list_arguments() for twin in twins] == [["x"]] * 3


# ---- inference ----------------------------------------------------------------------


def test_infer_shape(net):
    expected = ([(8, 5), (3, 5), (3,), (8,)], [(8, 3)], [])
    assert net.infer_shape(data=(8, 5)) == expected
    assert net.infer_shape((8, 5)) == expected
    assert net.infer_shape((8, 0), (3, 5), None) == expected
    assert net.infer_shape(data=(0, 5))[1] == [(0, 3)]


def test_what_is_missing_is_named(net):
    made = sym.broadcast_add(net, V("z"))
    with pytest.warns(UserWarning, match="z: "):
        assert made.infer_shape(data=(8, 5)) == (None, None, None)
    assert made.infer_shape_partial(data=(8, 5))[0][-1] == ()
    with pytest.warns(UserWarning, match="data: None"):
        assert net.infer_type() == (None, None, None)
    assert net.infer_type_partial()[1] == [None]


@pytest.mark.parametrize(
    "args, kwargs, error, text",
    [
        ((), {"dta": (1, 2)}, MXNetError, "'dta'; did you mean 'data'"),
        ((), {"data": [4, 5]}, TypeError, "data is \\[4, 5\\], but a tuple"),
        ((), {"data": (4, -1)}, ShapeError, "negative"),
        (((4, 5),), {"data": (4, 5)}, ValueError, "not both"),
        ((), {"data": (4, 5), "fc_weight": (3, 6)}, ShapeError, "fc\\(FullyConnected\\): weight"),
        (((1,),) * 5, {}, MXNetError, "5 values given, but there are 4"),
    ],
)
def test_wrong_shapes(net, args, kwargs, error, text):
    with pytest.raises(error, match=text):
        net.infer_shape(*args, **kwargs)


def test_infer_type(net):
    args, outs, aux = net.infer_type(data="float16")
    assert (args, outs, aux) == ([np.float16] * 4, [np.float16], [])
    assert net.infer_type("float64")[1] == [np.float64]
    assert (V("a", dtype="float64") * 2).infer_type()[1] == [np.float64]


# ---- unknown operators --------------------------------------------------------------


@pytest.fixture
def strange(net):
    document = json.loads(net.tojson())
    document["nodes"].append(
        {"op": "SoftmaxOutptu", "name": "moon", "attrs": {"k": "1"}, "inputs": [[6, 0, 0]] * 2}
    )
    document["node_row_ptr"].append(document["node_row_ptr"][-1] + 3)
    document["heads"] = [[len(document["nodes"]) - 1, 1, 0]]
    return sym.load_json(json.dumps(document))


def test_unknown_operator_can_be_inspected(strange):
    assert strange.list_outputs() == ["moon_output1"]
    assert strange.list_attr() == {"k": "1"}
    assert strange.get_internals().list_outputs()[-2:] == ["moon_output0", "moon_output1"]
    assert sym.load_json(strange.tojson()).tojson() == strange.tojson()
    assert strange(data=V("x")).list_arguments()[0] == "x"
    assert strange.graph.nodes[7]["op"] == "SoftmaxOutptu"


@pytest.mark.parametrize("what", ["infer_shape", "infer_type", "simple_bind"])
def test_unknown_operator_cannot_run(strange, what):
    ask = {
        "infer_shape": lambda: strange.infer_shape(data=(2, 3)),
        "infer_type": lambda: strange.infer_type(data="float32"),
        "simple_bind": lambda: strange.simple_bind(mx.cpu(), data=(2, 3)),
    }
    with pytest.raises(UnknownOperatorError, match=r"moon: .*'SoftmaxOutptu'.*'SoftmaxOutput'"):
        ask[what]()
