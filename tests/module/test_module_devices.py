"""Several devices train as one does."""

from __future__ import annotations

import numpy as np
import pytest
from module.nets import (
    TWO,
    assert_same,
    batch,
    classifier,
    factorization,
    regression,
    regressor,
    step,
    values,
)

import symgraph as mx

RNG = np.random.default_rng(5)
X = RNG.normal(0, 1, (9, 3)).astype("float32")
Y = RNG.normal(0, 1, (9, 1)).astype("float32")
CLOSE = {"rtol": 2e-5, "atol": 1e-6}
THREE = [mx.cpu(i) for i in range(3)]


@pytest.mark.parametrize("kvstore", [None, "local", "device", "made", "teststore"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("contexts", [TWO, THREE, [mx.cpu(1)]], ids=len)
def test_devices_together_train_as_one(kvstore, optimizer, contexts):
    params = {"learning_rate": 0.1, "wd": 0.01}
    one = regressor(rows=9, optimizer=optimizer, optimizer_params=params, kvstore=None)
    store = {"made": mx.kv.create("local"), "teststore": mx.kv.create("teststore")}
    several = regressor(
        rows=9,
        context=contexts,
        optimizer=optimizer,
        optimizer_params=params,
        kvstore=store.get(kvstore, kvstore),
    )
    for _ in range(3):
        step(one, X, Y)
        step(several, X, Y)
    assert_same(values(several), values(one), **CLOSE)


@pytest.mark.parametrize("kvstore", [None, "local", "device"])
def test_row_sparse_gradients_of_devices_are_summed_as_rows(kvstore):
    user, item = RNG.integers(0, 11, (3, 8)), RNG.integers(0, 7, (3, 8))
    score = RNG.random((3, 8, 1))
    found = []
    for contexts in (mx.cpu(), TWO):
        mx.random.seed(3)
        module = mx.mod.Module(factorization(), ["user", "item"], ["score"], context=contexts)
        module.bind([("user", (8,)), ("item", (8,))], [("score", (8, 1))])
        module.init_params(mx.init.Normal(1))
        module.init_optimizer(kvstore, "sgd", {"learning_rate": 0.5, "lazy_update": True})
        for u, i, s in zip(user, item, score, strict=True):
            step(module, [u, i], s)
        found.append(values(module))
    assert_same(*found, **CLOSE)


@pytest.mark.parametrize(
    ("rows", "shares", "parts"),
    [
        (5, [1, 1], [2, 3]),
        (7, [1, 1], [4, 3]),
        (8, [1, 1, 1], [3, 3, 2]),
        (10, [1, 1, 1], [3, 3, 4]),
        (10, [1, 3], [2, 8]),
        (11, [1, 1, 1, 1], [3, 3, 3, 2]),
    ],
)
def test_a_batch_is_cut_as_mxnet_cuts_it(rows, shares, parts):
    contexts = [mx.cpu(i) for i in range(len(shares))]
    net = mx.sym.Variable("data") * 2
    module = mx.mod.Module(net, label_names=None, context=contexts, work_load_list=shares)
    module.bind([("data", (rows, 1))], for_training=False)
    module.init_params()
    data = np.arange(float(rows))[:, None]
    module.forward(batch(data))
    assert [part.shape[0] for part in module.get_outputs(False)[0]] == parts
    assert [part.context for part in module.get_outputs(False)[0]] == contexts
    np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), data * 2)


def test_more_devices_than_rows_are_refused():
    module = regressor(context=TWO)
    with pytest.raises(ValueError, match="Some splits are empty: 1 rows for 2 devices"):
        module.forward(batch(X[:1]))
    with pytest.raises(AssertionError, match="work_load_list has 1 entries for 2 devices"):
        mx.mod.Module(regression(), label_names=None, context=TWO, work_load_list=[1])


def test_outputs_gradients_and_metrics_are_those_of_the_whole_batch():
    found = []
    for context in (mx.cpu(), TWO):
        module = mx.mod.Module(regression(), label_names=["lro_label"], context=context)
        module.bind([("data", (9, 3))], [("lro_label", (9, 1))], inputs_need_grad=True)
        module.init_params(mx.init.One())
        module.forward_backward(batch(X, Y))
        metric = mx.metric.create("rmse")
        module.update_metric(metric, [mx.nd.array(Y)])
        found.append(
            {
                "output": module.get_outputs()[0].asnumpy(),
                "grad": module.get_input_grads()[0].asnumpy(),
                "rmse": np.array(metric.get()[1]),
            }
        )
        assert module.output_shapes == [("lro_output", (9, 1))]
    assert_same(*found, **CLOSE)


def test_labels_may_come_cut():
    module = regressor(context=TWO)
    module.forward(batch(X[:4], Y[:4]), is_train=False)
    metric = mx.metric.create("mae")
    cut = [[mx.nd.array(Y[:2])], [mx.nd.array(Y[2:4])]]
    module.update_metric(metric, cut, pre_sliced=True)
    assert metric.num_inst == 2
    wanted = abs(X[:4].sum(1) - Y[:4, 0]).mean()
    assert metric.get()[1] == pytest.approx(wanted, rel=1e-5)


def test_head_gradients_are_cut_too():
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, no_bias=True, name="fc")
    found = []
    for context in (mx.cpu(), TWO):
        module = mx.mod.Module(net, label_names=None, context=context)
        module.bind([("data", (9, 3))])
        module.init_params(mx.init.One())
        module.init_optimizer(optimizer_params={"learning_rate": 1.0})
        module.forward(batch(X), is_train=True)
        module.backward([mx.nd.array(np.hstack([Y, -2 * Y]))])
        module.update()
        found.append(values(module))
    assert_same(*found, **CLOSE)


def test_auxiliary_states_are_averaged_at_the_end_of_an_epoch():
    data, label = RNG.normal(0, 1, (8, 5)), RNG.integers(0, 3, 8)
    module = mx.mod.Module(classifier(), context=TWO)
    module.fit(mx.io.NDArrayIter(data, label, 4), num_epoch=1)
    one, other = (a.asnumpy() for a in module._exec_group.aux["bn_moving_mean"])
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one, values(module)["bn_moving_mean"])


def test_states_are_cut_and_joined():
    net = mx.sym.Variable("data") + mx.sym.Variable("state")
    module = mx.mod.Module(net, label_names=None, state_names=["state"], context=TWO)
    module.bind([("data", (4, 1))], for_training=False)
    module.init_params()
    state = np.arange(4.0)[:, None]
    module.set_states(states=[mx.nd.array(state)])
    np.testing.assert_array_equal(module.get_states()[0].asnumpy(), state)
    module.set_states(states=module.get_states(merge_multi_context=False))
    module.forward(batch(np.zeros((4, 1))))
    np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), state)


def test_devices_of_one_memory_share_the_parameters():
    module = regressor(context=TWO, kvstore="local", optimizer="sgd")
    one, other = module._exec_group.current.executors
    held = module._kvstore._values["fc_weight"]
    assert one.arg_dict["fc_weight"].value is held.value
    assert other.arg_dict["fc_weight"].value is held.value
    assert one.grad_dict["fc_weight"] is not other.grad_dict["fc_weight"]


def test_time_major_batches_are_cut_along_their_axis():
    net = mx.sym.Variable("data", __layout__="TN") * 3
    module = mx.mod.Module(net, label_names=None, context=TWO)
    layout = mx.io.DataDesc("data", (2, 4), layout="TN")
    module.bind([layout], for_training=False, inputs_need_grad=False)
    module.init_params()
    data = np.arange(8.0).reshape(2, 4)
    module.forward(batch(data))
    first, second = module.get_outputs(False)[0]
    assert (first.shape, second.shape) == ((2, 2), (2, 2))
    np.testing.assert_array_equal(first.asnumpy(), 3 * data[:, :2])


def test_compressed_gradients_go_through_a_store():
    module = mx.mod.Module(
        regression(),
        label_names=["lro_label"],
        context=TWO,
        compression_params={"type": "2bit", "threshold": 0.5},
    )
    module.bind([("data", (2, 3))], [("lro_label", (2, 1))])
    module.init_params(mx.init.Zero())
    params = {"learning_rate": 1.0, "rescale_grad": 1.0}
    module.init_optimizer("device", optimizer_params=params)
    step(module, np.array([[1, 0, 0.1], [1, 0, 0.1]]), np.full((2, 1), -3.0))
    np.testing.assert_allclose(values(module)["fc_weight"], [[-1, 0, 0]])
    with pytest.raises(mx.MXNetError, match="nothing to compress"):
        module.init_optimizer("local", force_init=True)
