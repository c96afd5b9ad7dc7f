"""Symbol files of MXNet 1.9.1 and of all older versions load and write back byte for byte."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import pytest
import recorded

import symgraph as mx
from symgraph.errors import AttributeValueError

NETWORKS = recorded.names("symbols")
LEGACY = {case["name"]: case for case in recorded.facts("legacy/index.json")}

# Files that MXNet fails on, or dies of, for no good reason: what reading them gives here.
READ_HERE = {
    "hand_08_weight_lr_mult": {
        "fc1_weight": {"__lr_mult__": "1.2"},
        "fc1_bias": {"__wd_mult__": "0.5", "__lr_mult__": "0.2"},
        "fc1": {"__mood__": "x", "num_hidden": "8"},
    },
    "hand_08_wd_mult_on_op": {
        "c_weight": {"__lr_mult__": "2"},
        "c": {"__gamma_wd_mult__": "0", "__moving_mean_lr_mult__": "9"},
        "bn_gamma": {"__wd_mult__": "0"},
        "bn_moving_mean": {"__lr_mult__": "9", "__init__": '["zero", {}]'},
        "bn": {"__force_mirroring__": "True", "__weight_lr_mult__": "2"},
    },
    "hand_no_arg_nodes": {"fc1_weight": {"__lr_mult__": "0.2"}},
    "hand_extra_top_key": {"fc1_weight": {"__lr_mult__": "0.2"}},
    "hand_u_escape": {},
    "hand_n_t_quote_backslash_slash": {},
}
REFUSED = {
    "hand_unknown_attr_old": "'softmax'.*no attribute 'nosuch'",
    "hand_bad_attr_value": "'fc1'.*num_hidden is 'x', but an integer is required",
}


def test_everything_is_here():
    assert len(NETWORKS) == 66
    assert len(LEGACY) == 33


@pytest.mark.parametrize("name", NETWORKS)
def test_writes_back_byte_for_byte(name):
    text = recorded.text(f"symbols/{name}.json")
    symbol = mx.sym.load_json(text)
    assert symbol.tojson() == text
    assert mx.sym.load_json(json.dumps(json.loads(text))).tojson() == text


@pytest.mark.parametrize("name", ["cond", "cv_yolo3_darknet53", "mf_seed_unicode_names"])
def test_copies_and_files_are_the_same(name, tmp_path):
    text = recorded.text(f"symbols/{name}.json")
    symbol = mx.sym.load_json(text)
    symbol.save(tmp_path / "net-symbol.json")
    assert (tmp_path / "net-symbol.json").read_bytes() == text.encode("utf-8")
    again = mx.sym.load(str(tmp_path / "net-symbol.json"))
    for twin in (again, copy.copy(symbol), copy.deepcopy(symbol)):
        assert twin.tojson() == text
    assert pickle.loads(pickle.dumps(symbol)).tojson() == text


@pytest.mark.parametrize(
    "name", [n for n in LEGACY if f"legacy/{n}.out.json" in recorded.archive()]
)
def test_old_file_is_brought_up_to_date(name):
    symbol = mx.sym.load_json(recorded.text(f"legacy/{name}.in.json"))
    written = recorded.text(f"legacy/{name}.out.json")
    assert symbol.tojson() == written
    assert mx.sym.load_json(written).tojson() == written
    case = LEGACY[name]
    for fact in ("list_arguments", "list_outputs", "list_auxiliary_states", "attr_dict"):
        assert getattr(symbol, fact)() == case[fact], fact
    shapes = case.get("infer_shape")
    if shapes is None:  # recorded with another tool, which kept the lists only
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = symbol.infer_shape(**{k: tuple(v) for k, v in shapes["given"].items()})
    assert json.loads(json.dumps(found)) == [shapes["arg"], shapes["out"], shapes["aux"]]


@pytest.mark.parametrize("name", READ_HERE)
def test_file_that_mxnet_fails_on(name):
    assert LEGACY[name].get("exception") or LEGACY[name].get("process_dies")
    symbol = mx.sym.load_json(recorded.text(f"legacy/{name}.in.json"))
    attrs = symbol.attr_dict()
    for node, expected in READ_HERE[name].items():
        assert expected.items() <= attrs[node].items(), node
    assert mx.sym.load_json(symbol.tojson()).tojson() == symbol.tojson()


@pytest.mark.parametrize("name", REFUSED)
def test_file_that_is_refused_here_too(name):
    assert LEGACY[name]["exception"] == "MXNetError"
    with pytest.raises(AttributeValueError, match=REFUSED[name]):
        mx.sym.load_json(recorded.text(f"legacy/{name}.in.json"))


def test_every_old_file_is_in_a_table():
    kept = {n for n in LEGACY if f"legacy/{n}.out.json" in recorded.archive()}
    assert kept | READ_HERE.keys() | REFUSED.keys() == LEGACY.keys()
    assert not kept & (READ_HERE.keys() | REFUSED.keys())


def test_escapes_in_names():
    symbol = mx.sym.load_json(recorded.text("legacy/hand_u_escape.in.json"))
    raw = json.loads(recorded.text("legacy/hand_u_escape.in.json"))
    assert symbol.list_arguments() == [n["name"] for n in raw["nodes"] if n["op"] == "null"]
    raw = json.loads(recorded.text("legacy/hand_n_t_quote_backslash_slash.in.json"))
    symbol = mx.sym.load_json(recorded.text("legacy/hand_n_t_quote_backslash_slash.in.json"))
    assert symbol.list_inputs() == [n["name"] for n in raw["nodes"] if n["op"] == "null"]
