"""Lists, attributes, shapes, types and internals of 66 networks, as MXNet 1.9.1 gives them."""

from __future__ import annotations

import warnings

import pytest
import recorded

import symgraph as mx

AREA = "symbol_inference"
NETWORKS = recorded.names("infer")
LISTS = ("list_arguments", "list_auxiliary_states", "list_inputs", "attr_dict", "list_attr")
# These were recorded before the casts of mixed precision were left out on saving.
WITH_CASTS = ("cv_ssd_300_vgg16", "fp16_cast")
KINDS = (
    "infer_shape",
    "infer_shape_partial_nothing_given",
    "infer_type_none_given",
    "infer_type_float32_first_input",
    "infer_type_float64_first_input",
    "infer_type_types",
)


def load(name):
    return mx.sym.load_json(recorded.text(f"symbols/{name}.json"))


@pytest.mark.parametrize("name", [n for n in NETWORKS if n not in WITH_CASTS])
def test_lists(name):
    symbol, facts = load(name), recorded.facts(f"infer/{name}.json")
    for fact in LISTS:
        assert getattr(symbol, fact)() == facts[fact], fact
    assert symbol.name == facts["name"]
    assert repr(symbol) == facts["repr"]
    assert len(symbol) == facts["num_outputs"]
    if not recorded.unknown_operators(symbol):
        assert symbol.list_outputs() == facts["list_outputs"]
        assert symbol.get_internals().list_outputs() == facts["internals_list_outputs"]
        assert symbol.get_children().list_outputs() == facts["children_list_outputs"]


def answer(symbol, kind, facts):
    """(arguments, outputs, states) as lists of lists or names, or what was raised."""
    shapes = {name: tuple(shape) for name, shape in facts["input_shapes"].items()}
    ask = {
        "infer_shape": lambda: symbol.infer_shape(**shapes),
        "infer_shape_partial_nothing_given": symbol.infer_shape_partial,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        groups = ask[kind]() if kind in ask else symbol.infer_type(**facts[kind]["given"])
    return [None if group is None else [plain(fact) for fact in group] for group in groups]


def plain(fact):
    if isinstance(fact, tuple):
        return list(fact)
    return None if fact is None else fact.__name__


def refines(found, recorded_group):
    """Whether everything that MXNet knows is known, and the same, here."""
    if recorded_group is None:
        return True
    return found is not None and all(
        old in ([], None) or old == new for new, old in zip(found, recorded_group, strict=True)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [n for n in NETWORKS if n not in WITH_CASTS])
def test_inference(name, kind):
    facts = recorded.facts(f"infer/{name}.json")
    if kind not in facts:
        pytest.skip("not recorded for this network")
    symbol = load(name)
    if unknown := recorded.unknown_operators(symbol):
        pytest.skip(f"operators that are their own issue: {', '.join(unknown)}")
    expected = facts[kind]
    known = recorded.diverges(AREA, f"{name}/{kind}")
    if "exception" in expected:
        if known:
            answer(symbol, kind, facts)
            return
        with pytest.raises(mx.MXNetError):
            answer(symbol, kind, facts)
        return
    found = answer(symbol, kind, facts)
    groups = [expected[key] for key in ("arg", "out", "aux")]
    if known:
        assert all(map(refines, found, groups))
    else:
        assert found == groups
