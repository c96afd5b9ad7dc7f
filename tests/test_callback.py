"""Callbacks: what they log, save and show."""

from __future__ import annotations

import io
import logging
import re
import sys

import numpy as np
import pytest

import symgraph as mx

Param = mx.model.BatchEndParam


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO)
    return caplog


def metric_of(value):
    metric = mx.metric.create("mse")
    metric.update([mx.nd.array([value])], [mx.nd.array([0.0])])
    return metric


def lines(log):
    return [re.sub(r"Speed: [0-9.]+", "Speed: N", line) for line in log.messages]


def test_speedometer_logs_every_few_batches_and_resets_locally(log):
    metric = metric_of(2.0)
    meter = mx.callback.Speedometer(batch_size=4, frequent=2)
    for nbatch in range(5):
        meter(Param(3, nbatch, metric, None))
    assert lines(log) == [
        "Epoch[3] Batch [0-2]\tSpeed: N samples/sec\tmse=4.000000",
        "Epoch[3] Batch [2-4]\tSpeed: N samples/sec\tmse=nan",
    ]
    assert metric.get_global() == ("mse", 4.0)


def test_speedometer_without_reset_or_metric(log):
    metric = metric_of(2.0)
    meter = mx.callback.Speedometer(4, 2, auto_reset=False)
    for nbatch in range(3):
        meter(Param(0, nbatch, metric, None))
    plain = mx.callback.Speedometer(4, 1)
    for nbatch in range(2):
        plain(Param(0, nbatch, None, None))
    assert lines(log) == [
        "Epoch[0] Batch [0-2]\tSpeed: N samples/sec\tmse=4.000000",
        "Iter[0] Batch [1]\tSpeed: N samples/sec",
    ]


def test_speedometer_begins_anew_with_each_epoch(log):
    meter = mx.callback.Speedometer(4, 1)
    for epoch in range(2):
        for nbatch in range(2):
            meter(Param(epoch, nbatch, None, None))
    assert [line[:17] for line in log.messages] == ["Iter[0] Batch [1]", "Iter[1] Batch [1]"]


def test_log_train_metric(log):
    metric = metric_of(3.0)
    callback = mx.callback.log_train_metric(2, auto_reset=True)
    for nbatch in range(3):
        callback(Param(1, nbatch, metric, None))
    assert log.messages == [
        "Iter[1] Batch[0] Train-mse=9.000000",
        "Iter[1] Batch[2] Train-mse=nan",
    ]


def test_log_validation_metrics(log):
    callback = mx.callback.LogValidationMetricsCallback()
    callback(Param(2, 5, metric_of(1.0), None))
    callback(Param(2, 5, None, None))
    assert log.messages == ["Epoch[2] Validation-mse=1.000000"]


def fitted(tmp_path, callback):
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=1, name="fc")
    net = mx.sym.LinearRegressionOutput(net, name="lro")
    module = mx.mod.Module(net, label_names=["lro_label"])
    data = mx.io.NDArrayIter(np.ones((4, 3)), np.ones((4, 1)), 2, label_name="lro_label")
    callbacks = callback(module, str(tmp_path / "m"))
    module.fit(data, eval_metric="mse", num_epoch=4, epoch_end_callback=callbacks)
    return sorted(file.name for file in tmp_path.iterdir())


def test_do_checkpoint_saves_every_few_epochs(tmp_path):
    names = fitted(tmp_path, lambda module, prefix: mx.callback.do_checkpoint(prefix, 2))
    assert names == ["m-0002.params", "m-0004.params", "m-symbol.json"]


def test_module_checkpoint_saves_the_states_too(tmp_path, log):
    names = fitted(tmp_path, lambda m, prefix: mx.callback.module_checkpoint(m, prefix, 3, True))
    assert names == ["m-0003.params", "m-0003.states", "m-symbol.json"]
    assert f'Saved checkpoint to "{tmp_path / "m-0003.params"}"' in log.messages
    assert f'Saved optimizer state to "{tmp_path / "m-0003.states"}"' in log.messages


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_shows_how_far_it_is(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    bar = mx.callback.ProgressBar(total=4, length=10)
    for nbatch in range(1, 5):
        bar(Param(0, nbatch, metric_of(2.0), None))
    assert "Epoch 0" in shown.getvalue()
    assert "100% mse=4.0000" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())


def test_progress_bar_is_quiet_where_nobody_looks(capsys):
    bar = mx.callback.ProgressBar(total=2)
    for nbatch in range(1, 3):
        bar(Param(0, nbatch, None, None))
    assert capsys.readouterr() == ("", "")
