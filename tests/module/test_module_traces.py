"""``fit`` step by step as MXNet does it: parameters, metrics, callbacks, checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx

GOLDEN = Path(__file__).parents[1] / "golden" / "module"
RECORDED = json.loads((GOLDEN / "traces.json").read_text(encoding="utf-8"))
ARRAYS = np.load(GOLDEN / "traces.npz")
RUNS = {run["run"]: run for run in RECORDED["runs"]}
CLOSE = {"rtol": 2e-5, "atol": 2e-6}


def recorded(run, kind):
    prefix = f"{run}/{kind}/"
    return {k[len(prefix) :]: ARRAYS[k] for k in ARRAYS.files if k.startswith(prefix)}


class Watch:
    """Callbacks that compare as they are called."""

    def __init__(self, module, run):
        self.module, self.run = module, run
        self.batches, self.evals, self.epochs = 0, 0, 0

    def batch_end(self, param):
        want = self.run["batches"][self.batches]
        self.batches += 1
        assert (param.epoch, param.nbatch) == (want["epoch"], want["nbatch"])
        check_metric(param.eval_metric.get_name_value(), want["metric"])
        assert set(RECORDED["locals_keys"]) <= set(param.locals)
        args, aux = self.module.get_params()
        for name, array in {**args, **aux}.items():
            key = f"{self.run['run']}/b{param.epoch}_{param.nbatch}/{name}"
            np.testing.assert_allclose(array.asnumpy(), ARRAYS[key], err_msg=key, **CLOSE)

    def eval_end(self, param):
        want = self.run["eval_end"][self.evals]
        self.evals += 1
        assert (param.epoch, param.nbatch) == (want["epoch"], want["nbatch"])
        check_metric(param.eval_metric.get_name_value(), want["metric"])

    def epoch_end(self, epoch, symbol, args, aux):
        want = self.run["epoch_end"][self.epochs]
        self.epochs += 1
        assert (epoch, sorted(args), sorted(aux)) == (want["epoch"], want["args"], want["aux"])
        assert symbol is self.module.symbol


def check_metric(found, wanted):
    assert [name for name, _ in found] == [name for name, _ in wanted]
    for (_, one), (_, other) in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.fixture(params=RUNS)
def fitted(request, tmp_path, monkeypatch):
    """(run, module, evaluation data) after ``fit``, which was compared on the way."""
    monkeypatch.chdir(tmp_path)
    run = RUNS[request.param]
    symbol = mx.sym.load_json(json.dumps(RECORDED["symbols"][run["network"]]))
    data, label, init = (recorded(run["run"], kind) for kind in ("data", "label", "init"))
    size, handle = run["batch_size"], run["last_batch_handle"]
    train = mx.io.NDArrayIter(data, label, size, last_batch_handle=handle)
    evaluation = mx.io.NDArrayIter(data, label, size)
    aux = symbol.list_auxiliary_states()
    module = mx.mod.Module(symbol, data_names=list(data), label_names=list(label))
    watch = Watch(module, run)
    module.fit(
        train,
        eval_data=evaluation,
        eval_metric=run["eval_metric"],
        kvstore=run["kvstore"],
        optimizer=run["optimizer"],
        optimizer_params=run["optimizer_params"],
        num_epoch=run["num_epoch"],
        arg_params={k: mx.nd.array(v) for k, v in init.items() if k not in aux},
        aux_params={k: mx.nd.array(v) for k, v in init.items() if k in aux},
        batch_end_callback=watch.batch_end,
        eval_end_callback=watch.eval_end,
        epoch_end_callback=[watch.epoch_end, mx.callback.do_checkpoint(run["run"])],
    )
    assert (watch.batches, watch.evals) == (len(run["batches"]), len(run["eval_end"]))
    return run, module, evaluation


def test_a_run_is_mxnets_run(fitted, tmp_path):
    run, module, evaluation = fitted
    assert module._optimizer.rescale_grad == run["rescale_grad"]
    assert {str(k): v for k, v in module._optimizer.idx2name.items()} == run["optimizer_idx2name"]
    assert module._update_on_kvstore == run["update_on_kvstore"]
    check_metric(module.score(evaluation, run["eval_metric"]), run["score"])
    parts = module.predict(evaluation, merge_batches=False)
    assert [[list(out.shape) for out in part] for part in parts] == run["predict_unmerged"]
    whole = module.predict(evaluation).asnumpy()
    np.testing.assert_allclose(whole, ARRAYS[f"{run['run']}/predict0"], **CLOSE)
    evaluation.reset()
    module.forward(next(evaluation), is_train=False)
    assert str(module.data_shapes) == run["data_shapes"]
    assert str(module.label_shapes) == run["label_shapes"]
    assert [[name, list(shape)] for name, shape in module.output_shapes] == run["output_shapes"]
    assert module.output_names == run["output_names"]
    check_files(run["run"], tmp_path)


def check_files(run, folder):
    for file in GOLDEN.glob(f"{run}-*"):
        ours, theirs = (folder / file.name).read_bytes(), file.read_bytes()
        if file.suffix == ".json":
            assert ours == theirs
            continue
        one, other = mx.nd.load(str(folder / file.name)), mx.nd.load(str(file))
        assert list(one) == list(other)
        assert len(ours) == len(theirs)
        for name, array in one.items():
            np.testing.assert_allclose(array.asnumpy(), other[name].asnumpy(), **CLOSE)
