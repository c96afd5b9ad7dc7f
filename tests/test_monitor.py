"""Monitor: names, order and numbers as MXNet's."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import symgraph as mx


def module_with(monitor, **kwargs):
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc")
    net = mx.sym.LinearRegressionOutput(net, name="lro")
    module = mx.mod.Module(net, label_names=["lro_label"], **kwargs)
    module.bind([("data", (4, 3))], [("lro_label", (4, 2))])
    module.init_params(mx.init.One())
    module.init_optimizer()
    module.install_monitor(monitor)
    return module


def step(module, rows=4):
    batch = mx.io.DataBatch([mx.nd.ones((rows, 3))], [mx.nd.ones((rows, 2))])
    module.forward_backward(batch)
    module.update()


def watched(monitor, module, rows=4):
    monitor.tic()
    step(module, rows)
    return monitor.toc()


def test_outputs_come_first_then_arguments():
    monitor = mx.mon.Monitor(1, pattern="(fc|lro)_(output|weight|bias)")
    module = module_with(monitor)
    first = watched(monitor, module)
    assert [(number, name) for number, name, _ in first] == [
        (1, "fc_output"),
        (1, "lro_output"),
        (1, "fc_weight"),
        (1, "fc_bias"),
    ]
    # after the step: an error of 2, halved as there are two outputs, at a rate of 0.01
    assert [float(text) for _, _, text in first] == pytest.approx([3, 3, 0.99, 0.01], abs=1e-6)
    assert all(text.endswith("\t") for _, _, text in first)


def test_names_are_sorted_if_asked():
    monitor = mx.mon.Monitor(1, sort=True)
    names = [name for _, name, _ in watched(monitor, module_with(monitor))]
    assert names == sorted(names)
    assert {"data", "fc_weight", "fc_output", "lro_label"} <= set(names)


def test_only_every_few_batches_are_looked_at():
    monitor = mx.mon.Monitor(2, stat_func=lambda x: [x.max(), x.min()], pattern="fc_weight")
    module = module_with(monitor)
    found = [watched(monitor, module) for _ in range(3)]
    assert [len(part) for part in found] == [1, 0, 1]
    assert found[2][0][0] == 3
    largest, smallest = found[0][0][2].split()
    assert largest == smallest


def test_inputs_of_operators_are_watched_if_asked():
    monitor = mx.mon.Monitor(1, monitor_all=True)
    names = [name for _, name, _ in watched(monitor, module_with(monitor))]
    assert {"fc_data", "fc_weight", "fc_bias"} <= set(names)


def test_executors_made_later_are_watched_too():
    monitor = mx.mon.Monitor(1, stat_func=lambda x: x.shape[0], pattern="lro_output")
    module = module_with(monitor)
    assert watched(monitor, module, rows=2) == [(1, "lro_output", "2\t")]


def test_every_device_is_watched():
    monitor = mx.mon.Monitor(1, stat_func=lambda x: x.shape[0], pattern="lro_output")
    module = module_with(monitor, context=[mx.cpu(0), mx.cpu(1)])
    assert watched(monitor, module) == [(1, "lro_output", "2\t")] * 2


def test_toc_print_logs_as_mxnet_does(caplog):
    caplog.set_level(logging.INFO)
    monitor = mx.mon.Monitor(1, pattern="fc_weight", stat_func=lambda x: 1.5)
    module = module_with(monitor)
    monitor.tic()
    step(module)
    monitor.toc_print()
    assert caplog.messages == ["Batch:       1 fc_weight                      1.5\t"]


def test_fit_takes_a_monitor(caplog):
    caplog.set_level(logging.INFO)
    monitor = mx.mon.Monitor(2, pattern="fc_weight")
    module = module_with(mx.mon.Monitor(1, pattern="nothing"))
    data = mx.io.NDArrayIter(np.ones((8, 3)), np.ones((8, 2)), 2, label_name="lro_label")
    module.fit(data, eval_metric="mse", num_epoch=1, monitor=monitor)
    batches = [line[:18] for line in caplog.messages if line.startswith("Batch")]
    assert batches == ["Batch:       1 fc_", "Batch:       3 fc_"]
