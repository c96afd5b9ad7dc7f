"""Calls recorded from MXNet 1.9.1: the same arrays come out, or an error where it gave one."""

import json
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx

GOLDEN = Path(__file__).parents[1] / "golden"
SCENARIOS = json.loads((GOLDEN / "kvstore_traces.json").read_text(encoding="utf-8"))
DIVERGENCES = tomllib.loads((GOLDEN / "divergences.toml").read_text(encoding="utf-8"))["kvstore"]

UPDATERS = {
    "updater": lambda key, came, stored: stored.__setitem__(slice(None), stored + came * 2 - 1),
    "updater_str_only": lambda key, came, stored: came.__add__(0.5 * stored).copyto(stored),
}


def made(recorded, folder):
    """The argument that was recorded."""
    if isinstance(recorded, list):
        return [made(item, folder) for item in recorded]
    if isinstance(recorded, str):
        return recorded.replace("TMP", str(folder))
    if not isinstance(recorded, dict):
        return recorded
    if "npz" in recorded:  # a numpy array
        return np.ones(2)
    if "numpy_scalar" in recorded:
        return np.dtype(recorded["dtype"]).type(recorded["numpy_scalar"])
    if "v" not in recorded:
        return recorded
    values = np.array(recorded["v"], recorded.get("d", "float32"))
    device, _, number = recorded.get("c", "cpu(0)").rstrip(")").partition("(")
    ctx = mx.Context(device, int(number))
    if recorded.get("s") == "row_sparse":
        rows = np.array(recorded["i"], "int64")
        return mx.nd.sparse.row_sparse_array((values[rows], rows), shape=values.shape, ctx=ctx)
    return mx.nd.array(values, ctx=ctx, dtype=values.dtype)


def assert_same(found, recorded):
    if isinstance(recorded, list):
        for one, other in zip(found, recorded, strict=True):
            assert_same(one, other)
        return
    np.testing.assert_allclose(found.asnumpy(), np.array(recorded["v"]), rtol=1e-5, atol=1e-6)
    assert found.value.dtype == recorded.get("d", "float32")
    assert found.stype == recorded.get("s", "default")
    if found.stype == "row_sparse":
        assert found.indices.asnumpy().tolist() == recorded["i"]


def replay(kv, op, folder):
    args, kwargs = (made(op[key], folder) for key in ("args", "kwargs"))
    kwargs = {key: made(value, folder) for key, value in kwargs.items()}
    out = made(op["out_before"], folder) if "out_before" in op else None
    if out is not None:
        kwargs["out"] = out
    getattr(kv, op["op"])(*args, **kwargs)
    return out


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[s["name"] for s in SCENARIOS])
def test_scenario(scenario, tmp_path):
    kv = mx.kv.create(scenario["store"])
    name = scenario["name"]
    if name in UPDATERS:
        kv.set_updater(UPDATERS[name])
    if name == "optimizer_states":
        kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
    for number, op in enumerate(scenario["ops"]):
        case = f"{name}/{number}"
        if op.get("note") == "set_optimizer":
            kv.set_optimizer(mx.optimizer.create(op["optimizer"], **op["kwargs"]))
        if "op" not in op:
            continue
        failed = "exception" in op or "process_dies" in op
        errors = (mx.MXNetError, TypeError)
        if op.get("exception") == "AttributeError":
            errors += (AttributeError,)
        if any(fnmatch(case, pattern) for pattern in DIVERGENCES):
            try:
                out = replay(kv, op, tmp_path)
                if not failed and out is not None:
                    with pytest.raises(AssertionError):
                        assert_same(out, op["out_after"])
            except errors:
                assert not failed, f"{case} is no divergence"
        elif failed:
            with pytest.raises(errors):
                replay(kv, op, tmp_path)
        else:
            out = replay(kv, op, tmp_path)
            if out is not None:
                assert_same(out, op["out_after"])
