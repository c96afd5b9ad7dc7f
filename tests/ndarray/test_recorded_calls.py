"""Calls on arrays against MXNet's recorded answers; ``make_ndarray.py`` tells how they came."""

import fnmatch
import importlib.util
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from strict.device import DeviceArray

import symgraph as mx
from symgraph.errors import MXNetError, StorageError

# As NumPy, symgraph warns of a division by zero where MXNet is silent.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

GOLDEN = Path(__file__).parent.parent / "golden"
CASES = [
    case
    for name in ("ndarray_calls.json", "ndarray.json")
    for case in json.loads((GOLDEN / name).read_text())
]
DIVERGENCES = tomllib.loads((GOLDEN / "divergences.toml").read_text())["ndarray"]
NAMES = {"mx": mx, "nd": mx.nd, "np": np}

CLASSES = {
    "MXNetError": MXNetError,
    "NotSupportedForSparseNDArray": StorageError,
    "Exception": Exception,
}
CLASSES |= {c.__name__: c for c in (AttributeError, IndexError, TypeError, ValueError)}

_spec = importlib.util.spec_from_file_location("make_ndarray", GOLDEN / "make_ndarray.py")
assert _spec and _spec.loader
make_ndarray = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_ndarray)


def divergence(text):
    return next((k for k in DIVERGENCES if fnmatch.fnmatchcase(text, f"*{k}")), None)


def same(ours, theirs):
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], v) for k, v in theirs.items())
    if isinstance(theirs, list) and isinstance(ours, list):
        try:
            return np.allclose(ours, theirs, rtol=1e-6, atol=1e-7, equal_nan=True)
        except (TypeError, ValueError):
            pairs = zip(ours, theirs, strict=False)
            return len(ours) == len(theirs) and all(same(a, b) for a, b in pairs)
    if isinstance(theirs, float):
        return np.allclose(ours, theirs, equal_nan=True)
    return ours == theirs


def run(case):
    try:
        scope = dict(NAMES)
        exec(case["python"], scope)
        ours = make_ndarray.encoded(scope["out"])
    except Exception as error:
        if "exception" not in case:
            raise
        wanted = CLASSES.get(case["exception"], Exception)
        return isinstance(error, wanted), f"{type(error).__name__}: {error}"
    if "exception" in case:
        return False, ours
    return same(ours, case["result"]), ours


ANSWERED = [c for c in CASES if "process_dies" not in c and not divergence(c["python"])]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda c: c["python"][-60:])
def test_answers_as_mxnet_does(case):
    agrees, ours = run(case)
    assert agrees, f"ours {ours}\nMXNet {case.get('result', case.get('exception'))}"


@pytest.mark.parametrize("key", DIVERGENCES)
def test_divergences_are_real(key):
    """A line that is no longer needed, or names nothing, must go."""
    hit = [c for c in CASES if divergence(c["python"]) == key]
    assert hit

    def differs(case):
        try:
            return not run(case)[0]
        except Exception:
            return True

    assert any(differs(c) for c in hit)


def test_a_strict_device_answers_as_the_cpu_does(strict_device):
    """Every recorded call again, with arrays that refuse silent crossings to the host."""
    assert isinstance(mx.nd.ones(2, mx.gpu(0)).value, DeviceArray)
    wrong = []
    for case in ANSWERED:
        text = case["python"]
        if "mx.cpu" in text or "from_numpy" in text:
            continue
        with mx.gpu(0):
            try:
                agrees, ours = run({**case, "result": elsewhere(case.get("result"))})
            except Exception as error:
                agrees, ours = False, f"{type(error).__name__}: {error}"
        if not agrees:
            wrong.append(f"{text[-100:]}\n  {str(ours)[:300]}")
    assert not wrong, "\n".join(wrong)


def elsewhere(result):
    """The answer of a call on ``gpu(0)``."""
    return json.loads(json.dumps(result).replace("cpu(0)", "gpu(0)"))
