"""Symbol JSON: what is refused and how it is said, what is forgiven, how it is laid out."""

from __future__ import annotations

import json
import time

import pytest

import symgraph as mx
from symgraph.errors import AttributeValueError, FormatError, MXNetError
from symgraph.graph.document import MAX_DEPTH, parse

sym = mx.sym


def document(**changes):
    """x -> relu r, as a JSON object."""
    return {
        "nodes": [
            {"op": "null", "name": "x", "inputs": []},
            {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]},
        ],
        "arg_nodes": [0],
        "node_row_ptr": [0, 1, 2],
        "heads": [[1, 0, 0]],
        "attrs": {"mxnet_version": ["int", 10901]},
        **changes,
    }


def with_node(**changes):
    """The same with another second node."""
    nodes = document()["nodes"]
    return document(nodes=[nodes[0], {**nodes[1], **changes}])


def dense(**attrs):
    inputs = [[0, 0, 0]] * 3
    return with_node(op="FullyConnected", inputs=inputs, attrs={"num_hidden": "3", **attrs})


REFUSED = {
    "empty": ("", "is empty"),
    "blank": (" \n", "is empty"),
    "path": ("models/net-symbol.json", "looks like the path of a file; use mx.sym.load"),
    "windows path": ("C:\\net.json", "looks like the path"),
    "word": ("not json", "is not JSON: it starts with 'not json'"),
    "page": ("<!DOCTYPE HTML><html>404</html>", "starts with '<!DOCTYPE HTML>"),
    "cut off": (json.dumps(document())[:-20], "is not JSON: "),
    "list": ("[1, 2]", "an object is required, but a list came"),
    "no nodes": (document(nodes=None), "needs a list of nodes"),
    "no heads": (document(heads=[]), "needs a list of nodes and a list of heads"),
    "heads missing": ({"nodes": [], "arg_nodes": []}, "list of heads"),
    "nodes is no list": (document(nodes={"a": 1}), "needs a list of nodes"),
    "node is no object": (document(nodes=[3]), "node 0: an object is required"),
    "op is no string": (with_node(op=3), "node 1: op and name must be strings"),
    "name missing": (with_node(name=None), "op and name must be strings"),
    "inputs is no list": (with_node(inputs="x"), "node 1: inputs must be a list"),
    "input is a number": (with_node(inputs=[0]), "node 1: input 0 must be a list"),
    "input of four": (with_node(inputs=[[0, 0, 0, 0]]), "must be a list"),
    "negative": (with_node(inputs=[[-1, 0, 0]]), "counts from 0 are required"),
    "fraction": (with_node(inputs=[[0.0, 0, 0]]), "counts from 0"),
    "boolean": (with_node(inputs=[[False, 0, 0]]), "counts from 0"),
    "forward": (with_node(inputs=[[7, 0, 0]]), "input 0 is node 7, but only nodes before 1"),
    "cycle": (with_node(inputs=[[1, 0, 0]]), "input 0 is node 1, but only nodes before 1"),
    "head out of range": (document(heads=[[2, 0, 0]]), "head 0 is node 2"),
    "output out of range": (with_node(inputs=[[0, 1, 0]]), r"output 1 of x\(null\), but it has 1"),
    "huge output": (with_node(inputs=[[0, 10**9, 0]]), "which no node has"),
    "variable with inputs": (with_node(op="null"), "'r'.*a variable has no inputs"),
    "too many inputs": (with_node(inputs=[[0, 0, 0]] * 2), "relu has 2 inputs, but takes 1: data"),
    "too few inputs": (with_node(op="dot"), "dot has 1 inputs, but takes 2: lhs, rhs"),
    "attrs is a list": (with_node(attrs=[1]), "'r'.*attrs must be an object"),
    "attribute is a number": (with_node(attrs={"a": 3}), "attribute a is 3, not a string"),
    "rows are words": (document(node_row_ptr="x"), "node_row_ptr must be a list"),
    "huge count": (
        {**with_node(op="moon"), "node_row_ptr": [0, 1, 10**12]},
        "node_row_ptr gives a node more than",
    ),
    "subgraphs is an object": (with_node(subgraphs={"a": 1}), "subgraphs must be a list"),
    "subgraph is a number": (with_node(subgraphs=[3]), "a graph must be an object"),
    "twice": ('{"nodes": [], "nodes": []}', "the key 'nodes' comes twice"),
    "no number": ('{"nodes": NaN}', "NaN is no JSON number"),
    "endless number": ('{"nodes": Infinity}', "Infinity is no JSON number"),
    "long number": ('{"nodes": ' + "9" * 5000 + "}", "the string"),
    "half a character": (
        r'{"nodes": [{"op": "null", "name": "\ud800"}], "heads": [[0, 0]]}',
        "half",
    ),
    "half a character in an operator's name": (with_node(op="\ud800"), "holds half a character"),
    "outputs": (
        document(
            nodes=[
                document()["nodes"][0],
                *(
                    {
                        "op": "split",
                        "name": f"s{i}",
                        "attrs": {"num_outputs": str(2**20)},
                        "inputs": [[i, 0]],
                    }
                    for i in range(300)
                ),
            ]
        ),
        r"the nodes up to s1\(SliceChannel\) have too many outputs",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    text, message = REFUSED[case]
    with pytest.raises(FormatError, match=message):
        sym.load_json(text if isinstance(text, str) else json.dumps(text))


BAD_ATTRIBUTES = {
    "unknown": (dense(no_bais="True"), "'r'.*no attribute 'no_bais'; did you mean 'no_bias'"),
    "wrong type": (dense(num_hidden="many"), "'r'.*num_hidden is 'many', but an integer"),
    "out of range": (dense(num_hidden="0"), "'r'.*num_hidden is 0, but it must be >= 1"),
    "missing": (
        with_node(op="FullyConnected", inputs=[[0, 0, 0]] * 3),
        "'r'.*required attribute num_hidden is missing",
    ),
    "huge": (with_node(op="split", attrs={"num_outputs": "1" * 12}), "at most"),
    "huge with a sign": (with_node(op="split", attrs={"num_outputs": "+" + "1" * 12}), "at most"),
    "huge input count": (with_node(op="Concat", attrs={"num_args": "1" * 12}), "at most"),
}


@pytest.mark.parametrize("case", BAD_ATTRIBUTES)
def test_bad_attributes_name_the_node(case):
    raw, message = BAD_ATTRIBUTES[case]
    with pytest.raises(AttributeValueError, match=message):
        sym.load_json(json.dumps(raw))


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 400_000])
@pytest.mark.parametrize("text", ["[", '{"a":', "{}["])
def test_nesting_is_counted_before_it_is_followed(text, depth):
    with pytest.raises(FormatError, match="nested more than 256 deep"):
        parse('{"nodes": ' + text * depth, "")


def test_counting_brackets_takes_one_pass():
    text = '{"nodes": ' + "[" * 10**6 + "]" * 10**6 + "}"
    began = time.process_time()
    with pytest.raises(FormatError, match="nested more than 256 deep"):
        parse(text, "")
    assert time.process_time() - began < 2


def test_outputs_of_wide_nodes_are_named_in_one_pass():
    pieces = sym.SliceChannel(sym.var("x"), num_outputs=30_000, name="s")
    began = time.process_time()
    assert pieces.list_outputs()[-1] == "s_output29999"
    joined = sym.Concat(*pieces, name="c")
    assert sym.load_json(joined.tojson()).list_arguments() == ["x"]
    assert time.process_time() - began < 5


def test_brackets_in_names_are_no_nesting():
    raw = document()
    raw["nodes"][0]["name"] = "[{" * 1000
    assert sym.load_json(json.dumps(raw)).list_arguments() == ["[{" * 1000]


def test_nested_subgraphs_are_limited_and_kept():
    inner = document()
    del inner["attrs"]
    for _ in range(20):
        inner = with_node(op="_while", subgraphs=[inner])
        del inner["attrs"]
    raw = with_node(op="_while", subgraphs=[inner])
    symbol = sym.load_json(json.dumps(raw))
    assert json.loads(symbol.tojson()) == raw
    while True:
        raw = with_node(op="_while", subgraphs=[raw])
        try:
            symbol = sym.load_json(json.dumps(raw))
        except FormatError as error:
            assert "nested more than" in str(error)
            break
        assert symbol.tojson()
    for _ in range(100):
        raw = with_node(op="_while", subgraphs=[raw])
    with pytest.raises(FormatError, match="nested more than"):
        sym.load_json(json.dumps(raw))


def test_files_are_named(tmp_path):
    path = tmp_path / "net-symbol.json"
    for text, message in [
        (b"<!DOCTYPE HTML>", "net-symbol.json is not JSON: it starts with"),
        (b"", "net-symbol.json is empty"),
        (b"\xff\xfe\x00bad", "net-symbol.json: is not JSON text"),
        (json.dumps(with_node(inputs=[[7, 0, 0]])).encode(), "net-symbol.json: node 1: input 0"),
        (json.dumps(document(nodes=1)).encode(), "net-symbol.json: a symbol needs"),
    ]:
        path.write_bytes(text)
        with pytest.raises(FormatError, match=message):
            sym.load(path)
    with pytest.raises(FormatError, match=r"none-symbol.json: cannot be read .*No such file"):
        sym.load(tmp_path / "none-symbol.json")
    with pytest.raises(FormatError, match="cannot be read"):
        sym.load(tmp_path)
    path.write_text(json.dumps(dense(no_bais="1")))
    with pytest.raises(AttributeValueError, match=r"net-symbol.json: node 1 .'r'.: FullyConnected"):
        sym.load(path)
    for wrong in (3, None):
        with pytest.raises(TypeError):
            sym.load(wrong)
        with pytest.raises(TypeError):
            sym.load_json(wrong)


def test_a_large_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "large-symbol.json"
    with path.open("wb") as file:
        file.truncate(3 << 30)  # sparse: takes no room
    with pytest.raises(FormatError, match="3221225472 bytes are too much"):
        sym.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "net-symbol.json"
    sym.Variable("x").save(path)
    before = path.read_bytes()
    broken = sym.Variable("\ud800")
    with pytest.raises(FormatError, match=r"net-symbol.json: half a character .*ud800"):
        broken.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["net-symbol.json"]
    with pytest.raises(MXNetError, match="cannot write"):
        sym.Variable("x").save(tmp_path / "missing" / "net-symbol.json")


def test_what_is_forgiven():
    text = json.dumps(document(more={"a": 1}))
    expected = sym.load_json(text).tojson()
    for other in (
        "\ufeff" + text,
        text.replace("]]", "],]").replace("}", ",}"),
        text.replace('"arg_nodes": [0], ', ""),
        text.replace('"node_row_ptr": [0, 1, 2], ', ""),
        text.replace("[1, 0, 0]", "[1, 0]"),
        text.replace('"relu"', r'"re\u006cu"'),
    ):
        assert other != text
        assert sym.load_json(other).tojson() == expected


def test_every_character_survives():
    name = 'a"b\\c\td\ne\rf\x01\x1f\x7f/\b\f слой 数据 \U0001f600 \u2028'
    symbol = sym.relu(sym.Variable(name, attr={'k"\n': "v\t"}), name=name)
    text = symbol.tojson()
    again = sym.load_json(text)
    assert again.list_arguments() == [name]
    assert again.attr_dict()[name] == {'k"\n': "v\t"}
    assert again.tojson() == text
    assert sym.load_json(json.dumps(json.loads(text, strict=False))).tojson() == text
    assert "слой 数据 \U0001f600" in text


def test_layout():
    assert sym.Variable("x").tojson() == (
        '{\n  "nodes": [\n    {\n      "op": "null", \n      "name": "x", \n'
        '      "inputs": []\n    }\n  ], \n  "arg_nodes": [0], \n  "node_row_ptr": [0, 1], \n'
        '  "heads": [[0, 0, 0]], \n  "attrs": {"mxnet_version": ["int", 10901]}\n}'
    )
    ten = sym.Concat(*[sym.Variable(f"a{i}") for i in range(10)], name="c")
    assert '"arg_nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], \n' in ten.tojson()
    assert '"node_row_ptr": [\n    0, \n    1, \n' in ten.tojson()
    eleven = sym.Concat(*[sym.Variable(f"a{i}") for i in range(11)], name="c")
    assert '"inputs": [\n        [0, 0, 0], \n        [1, 0, 0], \n' in eleven.tojson()


def test_states_count_their_changes():
    mean = sym.Variable("mean")
    before = sym.relu(mean, name="before")
    one = sym.BatchNorm(sym.Variable("x"), moving_mean=mean, name="one")
    two = sym.BatchNorm(one, moving_mean=mean, name="two")
    written = json.loads(sym.Group([before, two]).tojson())
    inputs = {node["name"]: node["inputs"] for node in written["nodes"]}
    assert inputs["before"] == [[0, 0, 0]]
    assert inputs["one"][3] == [0, 0, 1]
    assert inputs["two"][3] == [0, 0, 2]
    heads = json.loads(one.get_internals().tojson())["heads"]
    assert [head[2] for head in heads] == [0, 0, 0, 1, 1, 0]


def test_versions_of_a_file_are_kept():
    raw = json.loads(sym.BatchNorm(sym.Variable("x"), name="b").tojson())
    raw["nodes"][5]["inputs"][3] = [3, 0, 5]
    raw["nodes"][5]["inputs"][4] = [4, 0, 0]
    again = sym.load_json(json.dumps(raw))
    assert json.loads(again.tojson())["nodes"][5]["inputs"][3:] == [[3, 0, 5], [4, 0, 0]]
    assert again.list_auxiliary_states() == ["b_moving_mean", "b_moving_var"]


def test_states_of_an_unknown_operator():
    raw = json.loads(sym.BatchNorm(sym.Variable("x"), name="b").tojson())
    raw["nodes"][5]["op"] = "MoonNorm"
    raw["nodes"][5]["attrs"] = {"eps": "0.1", "moon": "full"}
    again = sym.load_json(json.dumps(raw))
    assert again.list_auxiliary_states() == ["b_moving_mean", "b_moving_var"]
    assert again.list_outputs() == ["b_output0"]
    assert again.attr("moon") == "full"
    assert json.loads(again.tojson()) == raw


def test_casts_of_mixed_precision_are_left_out():
    raw = with_node(op="amp_cast", name="cast", attrs={"dtype": "float16"})
    raw["nodes"].append({"op": "relu", "name": "r", "inputs": [[1, 0, 0]]})
    raw["node_row_ptr"] = [0, 1, 2, 3]
    raw["heads"] = [[2, 0, 0]]
    symbol = sym.load_json(json.dumps(raw))
    assert [n["op"] for n in json.loads(symbol.tojson())["nodes"]] == ["null", "relu"]
    assert json.loads(symbol.tojson(remove_amp_cast=False)) == raw
    raw["heads"] = [[1, 0, 0]]
    head = sym.load_json(json.dumps(raw))
    assert [n["op"] for n in json.loads(head.tojson())["nodes"]] == ["null", "amp_cast"]


def test_pooling_counts_a_workspace():
    for given, rows in [
        ({"kernel": (2, 2)}, [0, 1, 3]),
        ({"kernel": (2, 2), "pool_type": "avg"}, [0, 1, 2]),
        ({"global_pool": True}, [0, 1, 2]),
        ({"kernel": (2, 2), "layout": "NHWC"}, [0, 1, 2]),
    ]:
        made = sym.Pooling(sym.Variable("x"), **given)
        assert json.loads(made.tojson())["node_row_ptr"] == rows, given


@pytest.mark.parametrize("version", [None, 800, 904, 905, 10901])
def test_rules_of_old_versions(version):
    raw = with_node(op="argmax", attrs={"axis": "-1"})
    raw["attrs"] = {"mxnet_version": ["int", version]} if version else {}
    old = version in (None, 800, 904)
    assert sym.load_json(json.dumps(raw)).list_attr() == ({} if old else {"axis": "-1"})
    raw = with_node(op="FullyConnected", attrs={"num_hidden": "3"})
    raw["attrs"] = {"mxnet_version": ["int", version]} if version else {}
    if version in (None, 800):
        assert sym.load_json(json.dumps(raw)).list_arguments() == ["x", "r_weight", "r_bias"]
    else:
        with pytest.raises(FormatError, match="takes 3: data, weight, bias"):
            sym.load_json(json.dumps(raw))
