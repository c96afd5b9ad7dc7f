"""Every recorded MXNet trajectory of the optimizers that exist."""

import json
import tomllib
import warnings
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from symgraph import lr_scheduler, optimizer
from symgraph.context import cpu
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.optimizer.base import Optimizer
from symgraph.storage import RowSparse

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "optimizer_traces.json").read_text(encoding="utf-8"))
VALUES = np.load(GOLDEN / "optimizer_traces.npz")["values"]
TRACES = [t for t in RECORDED["traces"] if t["optimizer"] in Optimizer.opt_registry]
SINGLE = [t for t in TRACES if t["key"].split("/")[0] not in ("mults", "rsp", "fp16")]
MULTIPLIED = [t for t in TRACES if t["key"].startswith("mults/")]
HALF = [t for t in TRACES if t["key"].startswith("fp16/")]
SPARSE = [t for t in TRACES if t["key"].startswith("rsp/")]
DIVERGENCES = tomllib.loads((GOLDEN / "divergences.toml").read_text(encoding="utf-8"))


def array_of(place, dtype="float32"):
    offset, shape = place
    return VALUES[offset : offset + int(np.prod(shape))].reshape(shape).astype(dtype)


def made(trace):
    options = dict(trace["kwargs"])
    if "scheduler" in trace:
        kind = getattr(lr_scheduler, trace["scheduler"]["cls"])
        options["lr_scheduler"] = kind(**trace["scheduler"]["args"])
    return optimizer.create(trace["optimizer"], **options)


def ids(traces):
    return [t["key"] for t in traces]


def diverges(trace):
    return any(fnmatch(trace["key"], pattern) for pattern in DIVERGENCES["optimizer_traces"])


@pytest.mark.parametrize("trace", SINGLE, ids=ids(SINGLE))
def test_dense(trace):
    weights, grads = array_of(trace["w"]), array_of(trace["g"])
    opt = made(trace)
    step = optimizer.get_updater(opt)
    w = NDArray(weights[0].copy(), cpu())
    buffer = w.value
    for t, grad in enumerate(grads):
        step(3, NDArray(grad, cpu()), w)
        np.testing.assert_allclose(w.asnumpy(), weights[t + 1], rtol=3e-5, atol=2e-6)
        assert opt.learning_rate == pytest.approx(trace["learning_rate_after_each_step"][t])
    assert w.value is buffer
    assert opt.num_update == trace["num_update"]


@pytest.mark.parametrize("trace", HALF, ids=ids(HALF))
def test_half(trace):
    weights, grads = array_of(trace["w"], "float16"), array_of(trace["g"], "float16")
    step = optimizer.get_updater(made(trace))
    w = NDArray(weights[0].copy(), cpu())
    # without a float32 copy MXNet rounds after every operation, and here only the result
    rtol = 1e-3 if trace["kwargs"]["multi_precision"] else 1e-2
    for t, grad in enumerate(grads):
        step(0, NDArray(grad, cpu()), w)
        np.testing.assert_allclose(w.asnumpy(), weights[t + 1], rtol, rtol / 2)
    assert w.value.dtype == "float16"


class Attributes:
    """What an optimizer asks of a symbol."""

    def __init__(self, attributes):
        self.attributes = attributes

    def attr_dict(self):
        return {
            name: {f"__{key}__": str(value) for key, value in own.items()}
            for name, own in self.attributes.items()
        }

    def list_arguments(self):
        return ["data", *self.attributes]


@pytest.mark.parametrize("trace", MULTIPLIED, ids=ids(MULTIPLIED))
def test_multipliers(trace):
    weights, grads = array_of(trace["w"]), array_of(trace["g"])
    opt = optimizer.create(
        trace["optimizer"],
        param_idx2name={int(i): name for i, name in trace["param_idx2name"].items()},
        sym=Attributes(trace["symbol_attrs"]),
        **trace["kwargs"],
    )
    opt.set_lr_mult({int(k) if k.isdigit() else k: v for k, v in trace["set_lr_mult"].items()})
    opt.set_wd_mult(trace["set_wd_mult"])
    assert {str(k): v for k, v in opt.lr_mult.items()} == trace["lr_mult_after"]
    assert opt.wd_mult == trace["wd_mult_after"]
    step = optimizer.get_updater(opt)
    params = [NDArray(w.copy(), cpu()) for w in weights[0]]
    for t, grad in enumerate(grads):
        step(list(range(len(params))), [NDArray(g, cpu()) for g in grad], params)
        for w, want in zip(params, weights[t + 1], strict=True):
            np.testing.assert_allclose(w.asnumpy(), want, rtol=3e-5, atol=1e-6)


@pytest.mark.parametrize("trace", SPARSE, ids=ids(SPARSE))
def test_row_sparse(trace):
    weights, grads = array_of(trace["w"]), array_of(trace["g"])
    if diverges(trace):
        dense = trace["key"].replace("/row_sparse", "/default")
        weights = next(array_of(t["w"]) for t in SPARSE if t["key"] == dense)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optimizer.LazyUpdateWarning)
        step = optimizer.get_updater(made(trace))
        w = NDArray(weights[0].copy(), cpu())
        if trace["weight_stype"] == "row_sparse":
            w = wrap(RowSparse(w.value, np.arange(len(w.value)), w.shape), cpu())
        for t, (grad, rows) in enumerate(zip(grads, trace["rows_each_step"], strict=True)):
            rows = np.array(rows, "int64")
            step(0, wrap(RowSparse(grad[rows], rows, grad.shape), cpu()), w)
            np.testing.assert_allclose(w.asnumpy(), weights[t + 1], rtol=3e-5, atol=1e-6)


@pytest.mark.parametrize("recorded", RECORDED["schedulers"], ids=str)
def test_schedulers(recorded):
    scheduler = getattr(lr_scheduler, recorded["cls"])(**recorded["args"])
    found = [scheduler(t) for t in range(26)]
    np.testing.assert_allclose(found, recorded["values_at_num_update_0_to_25"], rtol=1e-12)
