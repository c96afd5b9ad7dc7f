"""API calls with the result or exception that MXNet 1.9.1 gave."""

from __future__ import annotations

import builtins
import json
import re
import warnings

import numpy as np
import pytest
import recorded

import symgraph as mx
from symgraph.ops.op import REGISTRY

AREA = "symbol_snippets"
SNIPPETS = {case["id"]: case for case in recorded.facts("snippets.json")}
CALL = re.compile(r"\bsym((?:\.[A-Za-z_]\w*)+)\(")


def encode(value):
    """A result in the form in which the recorded ones are."""
    if isinstance(value, mx.sym.Symbol):
        return {
            "type": "Symbol",
            "json": json.loads(value.tojson()),
            "list_outputs": value.list_outputs(),
            "list_arguments": value.list_arguments(),
            "list_auxiliary_states": value.list_auxiliary_states(),
            "name": value.name,
            "repr": repr(value),
        }
    if isinstance(value, tuple):
        return {"type": "tuple", "items": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, type):
        return {"type": "type", "name": value.__name__}
    return value


def agrees(found, expected):
    """Equality, but for facts of a symbol that were not recorded."""
    if isinstance(expected, dict) and expected.get("type") == "Symbol":
        return all(agrees(found.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(agrees, found, expected))
    return found == expected


def run(code):
    names = {"mx": mx, "sym": mx.sym, "np": np, "V": mx.sym.Variable}
    with warnings.catch_warnings(), mx.name.NameManager():
        warnings.simplefilter("ignore")
        exec(code, names)
        return encode(names["out"])


def missing_operators(code):
    found = [f"_random_{law}" for law in re.findall(r"sym\.random\.(uniform|normal)\(", code)]
    found = [name for name in found if name not in REGISTRY]
    for path in CALL.findall(code):
        place = mx.sym
        for part in path.strip(".").split("."):
            place = getattr(place, part, None)
        if place is None and "nosuch" not in path:
            found.append(f"sym{path}")
    return found


def as_recorded(case):
    """Whether symgraph answers as MXNet did; for errors, with an error of the same kind."""
    try:
        found = run(case["python"])
    except Exception as error:
        kind = getattr(builtins, case.get("exception", ""), mx.MXNetError)
        return "exception" in case and isinstance(error, kind)
    return "result" in case and agrees(found, case["result"])


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(name):
    case = SNIPPETS[name]
    if missing := missing_operators(case["python"]):
        pytest.skip(f"operators that are their own issue: {', '.join(missing)}")
    if recorded.diverges(AREA, name):
        assert not as_recorded(case), "the recorded divergence is gone"
    elif "exception" in case:
        assert as_recorded(case), case["exception"]
    else:
        found = run(case["python"])
        assert agrees(found, case["result"]), f"{found} instead of {case['result']}"
