"""Functions made from declarations: names, signatures, documentation, the editors' stub."""

from __future__ import annotations

import importlib
import inspect

import pytest
import recorded

import symgraph as mx
from symgraph.base import _Null
from symgraph.ops.op import REGISTRY, find
from symgraph.symbol import functions, stub

PLACES = ("", "contrib", "image", "linalg", "random", "sparse", "_internal")


def all_functions():
    for place in PLACES:
        for name in functions.names_in(place):
            path = f"mx.sym.{place}.{name}" if place else f"mx.sym.{name}"
            yield path, functions.lookup(place, name)


def test_every_function_is_where_mxnet_has_it():
    recorded_places = recorded.facts("signatures.json")
    ours = {path for path, _ in all_functions()}
    assert ours <= recorded_places.keys()
    assert len(ours) > 300


def test_signatures_are_those_of_mxnet():
    recorded_signatures = recorded.facts("signatures.json")
    for path, function in all_functions():
        text = recorded_signatures[path].strip("()")
        if text.startswith("*"):
            continue  # MXNet hides the attributes of variadic operators in **kwargs
        expected = [part.partition("=")[0] for part in text.split(", ")]
        found = [str(p).partition("=")[0] for p in inspect.signature(function).parameters.values()]
        assert found == expected, path


def test_signature_of_one():
    signature = inspect.signature(mx.sym.FullyConnected)
    assert list(signature.parameters) == [
        "data",
        "weight",
        "bias",
        "num_hidden",
        "no_bias",
        "flatten",
        "name",
        "attr",
        "out",
        "kwargs",
    ]
    assert signature.parameters["num_hidden"].default is _Null
    assert signature.parameters["data"].default is None
    kinds = inspect.signature(mx.sym.Concat).parameters
    assert next(iter(kinds.values())).kind is inspect.Parameter.VAR_POSITIONAL
    assert kinds["dim"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("name", sorted({cls.name for cls in map(find, list(REGISTRY))}))
def test_docstring(name):
    cls = find(name)
    text = functions.docstring(cls, name)
    summary = text.partition("\n")[0]
    assert summary and not summary.startswith("Parameters")
    for parameter in (*cls.contract.inputs, *cls.contract.aux, *cls.attr_specs):
        assert f"\n{parameter} : " in text
    assert text.endswith("Returns\n-------\nSymbol\n")


def test_docstring_tells_types_and_defaults():
    text = mx.sym.FullyConnected.__doc__
    assert "num_hidden : an integer, required\n" in text
    assert "no_bias : a boolean, default False\n" in text
    assert "bias : Symbol, optional\n" in text


def test_aliases_name_after_what_was_called():
    x = mx.sym.Variable("x")
    with mx.name.NameManager():
        assert mx.sym.Flatten(x).name == "flatten0"
        assert mx.sym.sum_axis(x, axis=1).name == "sum_axis0"
        assert mx.sym.sum_axis(x, axis=1).graph.nodes[1]["op"] == "sum"
        assert mx.sym.sparse.dot(x, x).name == "dot0"
        assert mx.sym._internal._PlusScalar(x, scalar=3).name == "_plusscalar0"
        assert mx.sym.op.relu(x).name == "relu0"


def test_functions_are_made_once_and_listed():
    assert mx.sym.FullyConnected is mx.sym.FullyConnected
    assert mx.sym.FullyConnected.__name__ == "FullyConnected"
    assert {"FullyConnected", "Variable", "contrib", "relu"} <= set(dir(mx.sym))
    assert "dot" in dir(mx.sym.sparse)
    assert not any(name.startswith("_") for name in functions.names_in(""))
    with pytest.raises(AttributeError, match=r"mx\.sym\.sparse has no operator 'dott'; did you"):
        mx.sym.sparse.dott  # noqa: B018
    assert importlib.import_module("symgraph.symbol.sparse").dot is mx.sym.sparse.dot


def test_constants():
    with mx.name.NameManager():
        zeros = mx.sym.zeros((2, 3))
        assert (zeros.name, zeros.list_attr()) == (
            "_zeros0",
            {"shape": "(2, 3)", "dtype": "float32"},
        )
        assert mx.sym.full((2,), 5, dtype="int32", name="f").list_attr()["value"] == "5.0"
        assert mx.sym.arange(5).list_attr() == {
            "start": "5",
            "stop": "None",
            "step": "1.0",
            "repeat": "1",
            "infer_range": "False",
            "dtype": "float32",
        }


def test_stub_is_fresh():
    text = stub.TARGET.read_text("utf-8")
    assert text == stub.render(), "run python -m symgraph.symbol.stub"
