"""Operators against recorded answers of MXNet 1.9.1, see ``tests/golden/make_ops.py``."""

from __future__ import annotations

import fnmatch
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from ops.harness import Run, dense, operators
from symgraph.ops.op import REGISTRY, create, load_all

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "ops" / "cases.json").read_text(encoding="utf-8"))
BLOBS = dict(np.load(GOLDEN / "ops" / "cases.npz"))
DECLARED = json.loads((GOLDEN / "ops" / "declarations.json").read_text(encoding="utf-8"))
DIVERGENCES = tomllib.loads((GOLDEN / "divergences.toml").read_text(encoding="utf-8"))

load_all()
BUILT = [c for c in RECORDED if c["op"] in REGISTRY]


def known_divergence(table: str, key: str) -> str | None:
    rows = DIVERGENCES.get(table, {})
    return next((why for pattern, why in rows.items() if fnmatch.fnmatchcase(key, pattern)), None)


def array(case, key):
    dtype, start, shape = case["arrays"][key]
    return BLOBS[dtype][start : start + int(np.prod(shape))].reshape(shape)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", BUILT, ids=lambda c: c["id"])
def test_recorded_answers(case):
    reason = known_divergence("operators", case["id"])
    try:
        check(case)
    except Exception:
        if reason is None:
            raise
    else:
        assert reason is None, f"listed as divergent, but it agrees: {reason}"


def check(case):
    op = create(case["op"], case["attrs"])
    names = [*op.list_inputs(), *op.list_aux()]
    assert len(names) == len(case["arguments"])
    known_as = dict(zip(names, case["arguments"], strict=True))
    values = {n: array(case, a) for n, a in known_as.items()}
    compare_outputs(case, Run(op, values, is_train=False).forward(), "out_eval")
    run = Run(op, values, is_train=True)
    outputs = run.forward()
    trained = "out_train" if "out_train0" in case["arrays"] else "out_eval"
    compare_outputs(case, outputs, trained)
    heads = [array(case, f"head{i}") for i in range(9) if f"head{i}" in case["arrays"]]
    asked = [n for n, a in known_as.items() if f"grad_{a}" in case["arrays"]]
    grads = {}
    if op.differentiable and asked:
        grads = run.backward(heads[: len(op.list_heads())])
    for name in asked:
        recorded = array(case, f"grad_{known_as[name]}")
        grad = dense(grads[name]) if name in grads else np.zeros_like(recorded)
        same(grad, recorded, f"gradient of {name}")
    for name in op.list_aux():
        if f"aux_after_{known_as[name]}" in case["arrays"]:
            after = run.ctx.aux_updates.get(name, values[name])
            same(after, array(case, f"aux_after_{known_as[name]}"), name)


def compare_outputs(case, outputs, key):
    for i, (name, value) in enumerate(outputs.items()):
        if f"{key}{i}" in case["arrays"]:
            same(dense(value), array(case, f"{key}{i}"), name)


def same(actual, recorded, what):
    assert actual.dtype == recorded.dtype, f"{what}: {actual.dtype} != {recorded.dtype}"
    assert actual.shape == recorded.shape, f"{what}: {actual.shape} != {recorded.shape}"
    np.testing.assert_allclose(actual, recorded, rtol=1e-5, atol=1e-6, err_msg=what)


# ---- edges: integers, ties, nan, bad indices ----------------------------------------

EDGES = json.loads((GOLDEN / "ops" / "edges.json").read_text(encoding="utf-8"))


def edge_name(edge):
    """Such as ``sign(nan 0.0 -2.0 float32)``."""
    words = [" ".join([*numbers, dtype]) for dtype, _, numbers in edge["inputs"]]
    return f"{edge['op']}({', '.join([*words, *(f'{k}={v}' for k, v in edge['attrs'].items())])})"


def number(word):
    return {"True": True, "False": False}.get(word) if word[0] in "TF" else float(word)


def edge_array(recorded):
    dtype, shape, numbers = recorded
    return np.array([number(n) for n in numbers], dtype).reshape(shape)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("edge", EDGES, ids=edge_name)
def test_edges(edge):
    reason = known_divergence("edges", edge_name(edge))
    try:
        check_edge(edge)
    except Exception:
        if reason is None:
            raise
    else:
        assert reason is None, f"listed as divergent, but it agrees: {reason}"


def check_edge(edge):
    op = create(edge["op"], edge["attrs"])
    inputs = [edge_array(i) for i in edge["inputs"]]
    run = Run(op, dict(zip(op.list_inputs(), inputs, strict=True)))
    (output,) = run.forward().values()
    same(output, edge_array(edge["output"]), "output")
    if edge["grads"] is None:
        return
    heads = [np.ones(output.shape, output.dtype)] if op.list_heads() else []
    grads = run.backward(heads) if op.differentiable else {}
    for name, array, recorded in zip(op.list_inputs(), inputs, edge["grads"], strict=True):
        if recorded is not None:
            same(grads.get(name, np.zeros_like(array)), edge_array(recorded), f"gradient of {name}")


# ---- storage types ------------------------------------------------------------------

STORAGE = json.loads((GOLDEN / "ops" / "storage.json").read_text(encoding="utf-8"))


def test_storage_types_of_outputs():
    wrong = {}
    for op, attrs, stypes, recorded in STORAGE:
        impl = create(op, attrs).implementation("forward", tuple(stypes))
        found = impl.outs[0] if impl.outs else "default"
        words = " ".join(f"{k}={v}" for k, v in attrs.items())
        name = f"{op}({', '.join(stypes)}) {words}".strip()
        if (found == recorded) == bool(known_divergence("storage", name)):
            wrong[name] = f"{found}, recorded is {recorded}"
    assert wrong == {}


# ---- declarations -------------------------------------------------------------------

OURS = [cls for cls in operators() if cls.name in DECLARED]


def test_no_name_is_invented():
    known = set(DECLARED) | {a for d in DECLARED.values() for a in d["aliases"]}
    assert sorted(set(REGISTRY) - known) == []


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.name)
def test_declaration(cls):
    declared = DECLARED[cls.name]
    public = {a for a in declared["aliases"] if not a.startswith("_np")}
    assert public <= set(cls.aliases) <= set(declared["aliases"])
    inputs = [*cls.contract.inputs, *cls.contract.aux]
    if cls.contract.variadic:
        assert cls.count_attr == declared["count"]
    elif known_divergence("declarations", f"{cls.name}.inputs") is None:
        assert inputs == declared["inputs"]
    attrs = [a for a in declared["attrs"] if a[0] != declared["count"]]
    specs = {k: v for k, v in cls.attr_specs.items() if k != declared["count"]}
    assert list(specs) == [a[0] for a in attrs]
    for name, default, enum in attrs:
        spec = specs[name]
        if known_divergence("declarations", f"{cls.name}.{name}"):
            continue
        assert spec.required == (default is None), name
        if enum:
            assert list(spec.choices) == [e for e in enum if e not in (None, "None")], name
        if default is not None:
            assert_default(spec, default, cls.name)


def assert_default(spec, text, op):
    """``text`` is how MXNet prints its default: a float is printed with all its digits."""
    ours, theirs = spec.default, None
    if text != "None":
        theirs = spec.parse("()" if text == "[]" else text)
    ours = None if ours == () and text == "None" else ours  # a shape that is not given
    if isinstance(ours, float):
        ours, theirs = float(np.float32(ours)), float(np.float32(theirs))
    assert str(ours) == str(theirs), f"{op}.{spec.name}"


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.name)
def test_default_instance(cls):
    made = DECLARED[cls.name]["default"]
    if not made:
        return
    op = create(cls.name, made["attrs_given"])
    prefix = "op_"
    assert [prefix + n for n in op.list_inputs()] == made["list_arguments"]
    visible = op.list_outputs()[: op.num_visible()]
    assert [prefix + n for n in visible] == made["list_outputs"]
    assert [prefix + n for n in op.list_aux()] == made["list_auxiliary_states"]
    for name, attrs in made["input_variable_attrs"].items():
        if "__init__" in attrs:
            assert cls.aux_init.get(name.removeprefix(prefix)) == attrs["__init__"]
