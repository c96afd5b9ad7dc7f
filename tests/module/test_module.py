"""Module: its states, names, shapes, parameters and optimizer."""

from __future__ import annotations

import logging
import warnings
from collections import namedtuple

import numpy as np
import pytest
from module.nets import (
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

X = np.arange(12, dtype="float32").reshape(4, 3) / 10
Y = np.array([[1], [0], [2], [1]], dtype="float32")


# ---- order of calls ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.forward(batch(X)), "forward: call bind"),
        (lambda m: m.init_params(), "init_params: call bind"),
        (lambda m: m.get_params(), "get_params: call init_params"),
        (lambda m: m.data_shapes, "data_shapes: call bind"),
        (lambda m: m.init_optimizer(), "init_optimizer: call bind"),
        (lambda m: m.score(None, "mse"), "score: call bind"),
        (lambda m: m.fit(mx.io.NDArrayIter(X, Y, 2)), "specify number of epochs"),
    ],
)
def test_calls_before_their_time_say_what_is_missing(call, words):
    with pytest.raises(AssertionError, match=words):
        call(mx.mod.Module(regression(), label_names=["lro_label"]))


def test_update_needs_an_optimizer_and_backward_training():
    module = regressor()
    with pytest.raises(mx.MXNetError, match="init_optimizer"):
        module.update()
    module.bind([("data", (4, 3))], for_training=False, force_rebind=True)
    module.forward(batch(X))
    with pytest.raises(AssertionError, match="for_training=False"):
        module.backward()


@pytest.mark.parametrize("names", ["data_names", "fixed_param_names", "state_names"])
def test_names_that_are_no_arguments_are_refused(names):
    with pytest.raises(ValueError, match=rf"{names}=\['fc_wieght'\].*did you mean 'fc_weight'"):
        mx.mod.Module(regression(), label_names=None, **{names: ["fc_wieght"]})


def test_a_label_name_that_is_no_argument_is_only_warned_of():
    with pytest.warns(UserWarning, match="softmax_label"):
        mx.mod.Module(regression())


def test_bind_wants_the_names_it_was_told():
    module = mx.mod.Module(regression(), label_names=["lro_label"])
    with pytest.raises(ValueError, match="data_names"):
        module.bind([("dat", (4, 3))])
    with pytest.raises(ValueError, match="label_names"):
        module.bind([("data", (4, 3))], [("softmax_label", (4, 1))])


def test_a_second_bind_is_ignored(caplog):
    module = regressor()
    module.bind([("data", (4, 3))], [("lro_label", (4, 1))])
    assert not caplog.messages
    module.bind([("data", (9, 3))], [("lro_label", (9, 1))])
    assert module.data_shapes == [("data", (4, 3))]
    assert "Already bound" in caplog.text


# ---- batches ----------------------------------------------------------------------------


def test_a_batch_of_another_size_binds_by_itself():
    module = regressor()
    for rows in (4, 2, 7, 4):
        module.forward(batch(np.ones((rows, 3))), is_train=False)
        assert module.get_outputs()[0].asnumpy().tolist() == [[3.0]] * rows
        assert module.output_shapes == [("lro_output", (rows, 1))]
    assert module.data_shapes == [("data", (4, 3))]


def test_training_goes_on_over_batches_of_changing_size():
    module = regressor(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "rescale_grad": 1})
    weight, bias = np.ones(3), 0.0
    for rows in (4, 2, 3, 4):
        data, label = X[:rows], Y[:rows]
        step(module, data, label)
        error = data @ weight + bias - label[:, 0]
        weight, bias = weight - 0.1 * error @ data, bias - 0.1 * error.sum()
    np.testing.assert_allclose(values(module)["fc_weight"][0], weight, rtol=1e-5)
    np.testing.assert_allclose(values(module)["fc_bias"][0], bias, rtol=1e-5)


def test_inputs_that_do_not_fit_the_weights_are_named():
    module = regressor()
    with pytest.raises(mx.MXNetError, match=r"fc_weight has shape \(1, 3\).*need \(1, 5\)"):
        module.forward(batch(np.ones((4, 5))))
    with pytest.raises(mx.MXNetError, match="2 data arrays, but 1 are required"):
        module.forward(batch([X, X]))


def test_names_of_a_batch_beat_positions():
    net = mx.sym.Variable("user") * 10 + mx.sym.Variable("item")
    module = mx.mod.Module(net, data_names=["user", "item"], label_names=None)
    module.bind([("item", (1, 1)), ("user", (1, 1))])
    module.init_params()
    one, two = np.array([[1.0]]), np.array([[2.0]])
    module.forward(batch([two, one]))
    assert module.get_outputs()[0].asscalar() == 12
    named = [mx.io.DataDesc("user", (1, 1)), mx.io.DataDesc("item", (1, 1))]
    module.forward(batch([one, two], provide_data=named))
    assert module.get_outputs()[0].asscalar() == 12
    strange = [mx.io.DataDesc("a", (1, 1)), mx.io.DataDesc("b", (1, 1))]
    module.forward(batch([two, one], provide_data=strange))
    assert module.get_outputs()[0].asscalar() == 12


def test_label_names_reach_the_metric_in_any_order():
    data = mx.sym.Variable("data")
    parts = [mx.sym.LinearRegressionOutput(data, mx.sym.Variable(n), name=n[0]) for n in ("x", "y")]
    module = mx.mod.Module(mx.sym.Group(parts), label_names=["x", "y"])
    module.bind([("data", (2, 1))], [("x", (2, 1)), ("y", (2, 1))])
    module.init_params()
    metric = mx.metric.MAE(output_names=["y_output"], label_names=["y"])
    far, near = np.full((2, 1), 9.0), np.full((2, 1), 2.0)
    names = [mx.io.DataDesc("y", (2, 1)), mx.io.DataDesc("x", (2, 1))]
    seen = batch(np.ones((2, 1)), [near, far], provide_label=names)
    module.forward(seen)
    module.update_metric(metric, seen.label)
    assert metric.get()[1] == 1.0


def test_ids_stay_exact_where_float32_would_round_them():
    ids = mx.sym.Variable("ids")
    net = mx.sym.BlockGrad(mx.sym.take(mx.sym.Variable("t"), ids, axis=0))
    module = mx.mod.Module(net, data_names=["ids", "t"], label_names=None)
    rows = 2**24 + 2
    table = mx.nd.zeros((rows, 1), dtype="int8")
    table[rows - 1 :] = 1
    module.bind([("ids", (1,)), mx.io.DataDesc("t", (rows, 1), "int8")], for_training=False)
    module.init_params()
    chosen = mx.nd.array([rows - 1], dtype="int64")
    module.forward(mx.io.DataBatch([chosen, table]))
    assert module.get_outputs()[0].asscalar() == 1


def test_csr_batches_stay_csr_for_a_variable_that_says_nothing():
    net = mx.sym.dot(mx.sym.Variable("data"), mx.sym.Variable("w_weight", shape=(3, 1)))
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (4, 3))], for_training=False)
    module.init_params(mx.init.One())
    module.forward(mx.io.DataBatch([mx.nd.array(X).tostype("csr")]))
    (executor,) = module._exec_group.current.executors
    assert executor.arg_dict["data"].stype == "csr"
    np.testing.assert_allclose(module.get_outputs()[0].asnumpy()[:, 0], X.sum(1), rtol=1e-6)


def test_predict_takes_arrays_and_drops_padding():
    module = regressor()
    whole = module.predict(mx.io.NDArrayIter(np.ones((5, 3)), None, 4))
    assert whole.shape == (5, 1)
    assert module.predict(X).shape == (4, 1)
    assert isinstance(module.predict(mx.nd.array(X), always_output_list=True), list)
    part = module.predict(mx.io.NDArrayIter(np.ones((5, 3)), None, 2), num_batch=2)
    assert part.shape == (4, 1)
    found = list(module.iter_predict(mx.io.NDArrayIter(np.ones((3, 3)), None, 2)))
    assert [(outs[0].shape, number) for outs, number, _ in found] == [((2, 1), 0), ((1, 1), 1)]


def test_a_number_of_batches_reads_no_more():
    module = regressor()
    data = mx.io.NDArrayIter(np.ones((6, 3)), np.ones((6, 1)), 2, label_name="lro_label")
    assert module.score(data, "mse", num_batch=1) == [("mse", 4.0)]
    assert len(list(data)) == 2


# ---- parameters -------------------------------------------------------------------------


def test_missing_parameters_are_listed():
    module = regressor()
    weight = {"fc_weight": mx.nd.ones((1, 3)) * 2}
    with pytest.raises(RuntimeError, match="fc_bias is not presented"):
        module.set_params(weight, {})
    module.set_params(weight, {}, allow_missing=True)
    assert_same(values(module), {"fc_weight": np.full((1, 3), 2), "fc_bias": np.zeros(1)})


def test_a_batch_may_be_any_object_with_data():
    module = regressor()
    for given in [mx.nd.array(X), X]:
        module.forward(namedtuple("Batch", ["data"])([given]), is_train=False)
        expected = module.predict(X).asnumpy()
        np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), expected)
    pair = namedtuple("Pair", ["data", "label"])([mx.nd.array(X)], [mx.nd.array(Y)])
    module.forward_backward(pair)


@pytest.mark.parametrize("names", [None, ["softmax_label"]])
def test_a_checkpoint_predicts_without_labels(names):
    module = mx.mod.Module(classifier(), label_names=names)
    module.bind([("data", (2, 4))], for_training=False)
    shapes = {"fc1_weight": (7, 4), "fc1_bias": 7, "fc2_weight": (3, 7), "fc2_bias": 3}
    args = {name: mx.nd.ones(shape) for name, shape in shapes.items()}
    args |= {"bn_gamma": mx.nd.ones(7), "bn_beta": mx.nd.zeros(7)}
    aux = {"bn_moving_mean": mx.nd.zeros(7), "bn_moving_var": mx.nd.ones(7)}
    if names is None:
        with pytest.raises(
            RuntimeError, match=r"softmax_label is not .*, and labels in label_names"
        ):
            module.set_params(args, aux)
        assert not module.params_initialized
    module.set_params(args, aux, allow_missing=True)
    np.testing.assert_allclose(module.predict(np.ones((2, 4))).asnumpy(), 1 / 3, rtol=1e-6)
    if names is None:
        assert_same(
            {"softmax_label": values(module)["softmax_label"]}, {"softmax_label": np.zeros(2)}
        )


def test_parameters_of_another_network_are_all_named_and_change_nothing():
    module = regressor()
    before = values(module)
    with pytest.raises(mx.MXNetError) as caught:
        module.set_params({"fc_weight": mx.nd.ones((1, 4)), "fc_bias": mx.nd.ones(2)}, {})
    assert "fc_weight has shape (1, 3), but (1, 4) came" in str(caught.value)
    assert "fc_bias has shape (1,), but (2,) came" in str(caught.value)
    assert_same(values(module), before)


def test_parameters_for_nothing_are_warned_of():
    module = regressor()
    given = {"fc_weight": np.ones((1, 3)), "fc_bias": np.ones(1), "old": np.ones(1)}
    with pytest.warns(UserWarning, match="not used: old"):
        module.set_params(given, {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.set_params(given, {}, allow_extra=True)


def test_a_second_init_is_ignored_unless_forced():
    module = regressor()
    with pytest.warns(UserWarning, match="already initialized"):
        module.init_params(mx.init.Zero())
    assert (values(module)["fc_weight"] == 1).all()
    module.init_params(mx.init.Zero(), force_init=True)
    assert (values(module)["fc_weight"] == 0).all()


def test_get_params_gives_copies():
    module = regressor(optimizer="sgd")
    held = module.get_params()[0]["fc_weight"]
    step(module, X, Y)
    assert (held.asnumpy() == 1).all()
    held[:] = 5
    assert (values(module)["fc_weight"] != 5).all()


def test_the_default_initializer_is_small_and_knows_the_names():
    module = mx.mod.Module(classifier())
    module.bind([("data", (2, 5))], [("softmax_label", (2,))])
    module.init_params()
    found = values(module)
    assert 0 < abs(found["fc1_weight"]).max() <= 0.01
    assert (found["fc1_bias"] == 0).all()
    assert (found["bn_gamma"] == 1).all()
    assert (found["bn_moving_var"] == 1).all()


def test_fixed_parameters_stay():
    module = mx.mod.Module(regression(), label_names=["lro_label"], fixed_param_names=["fc_weight"])
    module.bind([("data", (4, 3))], [("lro_label", (4, 1))])
    module.init_params(mx.init.One())
    module.init_optimizer()
    step(module, X, Y)
    assert (values(module)["fc_weight"] == 1).all()
    assert values(module)["fc_bias"] != 0


def test_rebinding_keeps_parameters_and_the_optimizers_memory():
    one = regressor(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    other = regressor(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    step(one, X, Y)
    step(other, X, Y)
    other.bind([("data", (1, 3))], for_training=False, force_rebind=True)
    other.forward(batch(X[:1]))
    np.testing.assert_allclose(
        other.get_outputs()[0].asscalar(), X[0] @ values(one)["fc_weight"][0], atol=0.2
    )
    other.bind([("data", (4, 3))], [("lro_label", (4, 1))], force_rebind=True)
    step(one, X, Y)
    step(other, X, Y)
    assert_same(values(one), values(other))


def test_modules_share_parameters_and_optimizer():
    one = regressor(optimizer="sgd", optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    other = mx.mod.Module(regression(), label_names=["lro_label"])
    other.bind([("data", (2, 3))], [("lro_label", (2, 1))], shared_module=one)
    step(one, X, Y)
    step(other, X[:2], Y[:2])
    assert_same(values(one), values(other))
    assert other._updater is one._updater


def test_reshape_keeps_parameters():
    module = regressor()
    module.reshape([("data", (2, 3))], [("lro_label", (2, 1))])
    assert module.data_shapes == [("data", (2, 3))]
    assert (values(module)["fc_weight"] == 1).all()


# ---- gradients --------------------------------------------------------------------------


def test_gradients_of_inputs_and_from_outside():
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, no_bias=True, name="fc")
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (4, 3))], inputs_need_grad=True)
    weight = np.arange(6.0).reshape(2, 3)
    module.init_params(arg_params={"fc_weight": weight})
    module.forward(batch(X), is_train=True)
    head = np.array([[1, 0], [0, 1], [2, 2], [-1, 0]])
    module.backward(mx.nd.array(head))
    np.testing.assert_allclose(module.get_input_grads()[0].asnumpy(), head @ weight)
    with pytest.raises(mx.MXNetError, match="head gradient"):
        module.backward()
    plain = regressor()
    plain.forward_backward(batch(X, Y))
    with pytest.raises(AssertionError, match="inputs_need_grad"):
        plain.get_input_grads()


def test_gradients_add_up():
    module = mx.mod.Module(regression(), label_names=["lro_label"])
    module.bind([("data", (4, 3))], [("lro_label", (4, 1))], grad_req="add")
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "rescale_grad": 0.25})
    module.forward_backward(batch(X, Y))
    module.forward_backward(batch(X, Y))
    module.update()
    error = X.sum(1) - Y[:, 0]
    np.testing.assert_allclose(
        values(module)["fc_weight"][0], 1 - 0.1 * 2 * error @ X / 4, rtol=1e-5
    )


def test_states_are_set_and_read():
    net = mx.sym.Variable("data") + mx.sym.Variable("state")
    module = mx.mod.Module(net, label_names=None, state_names=["state"])
    module.bind([("data", (2, 1))], for_training=False)
    module.init_params()
    module.set_states(value=3)
    module.forward(batch(np.ones((2, 1))))
    assert module.get_outputs()[0].asnumpy().tolist() == [[4], [4]]
    module.set_states(states=[mx.nd.array([[5], [6]])])
    assert module.get_states()[0].asnumpy().tolist() == [[5], [6]]
    with pytest.raises(AssertionError, match="either states or value"):
        module.set_states()


# ---- the optimizer ----------------------------------------------------------------------


def test_a_second_optimizer_is_ignored_with_a_warning_unless_it_is_the_same():
    module = regressor(optimizer="sgd", optimizer_params={"learning_rate": 0.5})
    first = module._optimizer
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.5})
    with pytest.warns(UserWarning, match=r"force_init=True\) takes them"):
        module.init_optimizer(optimizer="adam")
    assert module._optimizer is first
    module.init_optimizer(optimizer="adam", force_init=True)
    assert type(module._optimizer).__name__ == "Adam"


@pytest.mark.parametrize("as_object", [False, True])
def test_multipliers_of_variables_count_however_the_optimizer_is_given(as_object):
    weight = mx.sym.Variable("w_weight", shape=(1, 3), lr_mult=0.0)
    layer = mx.sym.FullyConnected(mx.sym.Variable("data"), weight=weight, num_hidden=1, name="fc")
    net = mx.sym.LinearRegressionOutput(layer, name="lro")
    module = regressor(net=net)
    params = {"learning_rate": 0.1, "wd": 0.1, "rescale_grad": 0.25}
    optimizer = mx.optimizer.SGD(**params) if as_object else "sgd"
    module.init_optimizer(optimizer=optimizer, optimizer_params={} if as_object else params)
    step(module, np.zeros((4, 3)), np.full((4, 1), 2.0))
    assert (values(module)["w_weight"] == 1).all()
    np.testing.assert_allclose(values(module)["fc_bias"], 0.2, rtol=1e-6)


def test_an_object_with_its_own_scale_is_asked_about():
    with pytest.warns(UserWarning, match="rescale_grad is not normalized"):
        regressor(optimizer=mx.optimizer.SGD(learning_rate=0.1))


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"optimizer": "sgdd"}, ValueError, "did you mean"),
        ({"optimizer": 3}, TypeError, "an optimizer is a name"),
        ({"optimizer_params": {"bogus": 1}}, TypeError, "bogus"),
        ({"kvstore": "locla"}, mx.MXNetError, "did you mean 'local'"),
        ({"kvstore": "dist_sync"}, mx.MXNetError, "no distributed store yet"),
    ],
)
def test_what_there_is_not_is_named(kwargs, error, words):
    with pytest.raises(error, match=words):
        regressor().init_optimizer(**kwargs)


@pytest.mark.parametrize("kvstore", [None, "local", "made"])
def test_where_the_optimizer_runs(kvstore):
    store = mx.kv.create("local") if kvstore == "made" else kvstore
    module = regressor(kvstore=store, optimizer="sgd")
    assert module._update_on_kvstore == (kvstore == "made")
    assert module._optimizer.rescale_grad == 0.25
    step(module, X, Y)
    error = X.sum(1) - Y[:, 0]
    np.testing.assert_allclose(values(module)["fc_weight"][0], 1 - 0.01 * error @ X / 4, rtol=1e-6)


def test_a_store_is_worked_in_and_not_copied_from():
    store = mx.kv.create("local")
    module = regressor(kvstore=store, optimizer="sgd")
    (executor,) = module._exec_group.current.executors
    held = store._values["fc_weight"]
    assert executor.arg_dict["fc_weight"].value is held.value
    step(module, X, Y)
    out = mx.nd.zeros((1, 3))
    store.pull("fc_weight", out=out)
    np.testing.assert_array_equal(out.asnumpy(), values(module)["fc_weight"])
    module.set_params({"fc_weight": np.full((1, 3), 4), "fc_bias": np.zeros(1)}, {})
    store.pull("fc_weight", out=out)
    assert (out.asnumpy() == 4).all()


def test_a_store_without_an_optimizer_exchanges_gradients():
    module = regressor(kvstore=mx.kv.create("teststore"), optimizer="sgd")
    plain = regressor(kvstore=None, optimizer="sgd")
    assert not module._update_on_kvstore
    for one in (module, plain):
        step(one, X, Y)
    assert_same(values(module), values(plain))


# ---- fit --------------------------------------------------------------------------------


def sample(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.array([[2, 0, 0, 0, 0], [0, 2, 0, 1, 0], [0, 0, 2, 0, 1]], "float32")
    label = rng.integers(0, 3, rows)
    return centres[label] + rng.normal(0, 0.3, (rows, 5)).astype("float32"), label


def test_fit_learns_a_simple_thing():
    mx.random.seed(1)
    data, label = sample()
    train = mx.io.NDArrayIter(data, label, 10, shuffle=True)
    module = mx.mod.Module(classifier())
    module.fit(
        train,
        num_epoch=12,
        optimizer_params={"learning_rate": 0.3, "momentum": 0.9},
        initializer=mx.init.Xavier(),
    )
    held_out = mx.io.NDArrayIter(*sample(seed=7), 10)
    assert dict(module.score(held_out, "acc"))["accuracy"] > 0.95


def test_factorization_follows_a_loop_in_numpy():
    rng = np.random.default_rng(2)
    user, item = rng.integers(0, 11, 24), rng.integers(0, 7, 24)
    score = rng.random(24).astype("float32")
    start = {n: rng.normal(0, 1, (r, 3)).astype("float32") for n, r in (("ue", 11), ("ie", 7))}
    module = mx.mod.SparseModule(
        factorization(), data_names=["user", "item"], label_names=["score"]
    )
    module.fit(
        mx.io.NDArrayIter({"user": user, "item": item}, {"score": score[:, None]}, 8),
        eval_metric="rmse",
        num_epoch=3,
        arg_params={f"{n}_weight": v for n, v in start.items()},
        optimizer_params={"learning_rate": 0.4, "lazy_update": True},
    )
    one, other = start["ue"].copy(), start["ie"].copy()
    for _ in range(3):
        for part in (slice(0, 8), slice(8, 16), slice(16, 24)):
            u, i = user[part], item[part]
            error = ((one[u] * other[i]).sum(1) - score[part])[:, None] / 8
            grad = np.zeros_like(one), np.zeros_like(other)
            np.add.at(grad[0], u, error * other[i])
            np.add.at(grad[1], i, error * one[u])
            one, other = one - 0.4 * grad[0], other - 0.4 * grad[1]
    wanted = {"ue_weight": one, "ie_weight": other}
    assert_same(values(module), wanted, rtol=1e-4, atol=1e-6)


def test_fit_calls_back_with_what_is_going_on():
    seen = []

    def stop(param):
        seen.append((param.epoch, param.nbatch, param.locals["end_of_batch"]))
        assert param.locals["self"] is module
        assert (param.locals["next_data_batch"] is None) == param.locals["end_of_batch"]

    module = mx.mod.Module(regression(), label_names=["lro_label"])
    train = mx.io.NDArrayIter(X, Y, 2, label_name="lro_label")
    module.fit(train, eval_metric="mse", begin_epoch=3, num_epoch=5, batch_end_callback=[stop])
    assert seen == [(3, 0, False), (3, 1, True), (4, 0, False), (4, 1, True)]


def test_an_iterator_may_use_its_memory_again():
    class Reusing(mx.io.DataIter):
        def __init__(self):
            super().__init__(2)
            self.provide_data = [mx.io.DataDesc("data", (2, 3))]
            self.provide_label = [mx.io.DataDesc("lro_label", (2, 1))]
            self.batch = batch(np.zeros((2, 3)), np.zeros((2, 1)))
            self.at = 0

        def reset(self):
            self.at = 0

        def next(self):
            if self.at == 4:
                raise StopIteration
            self.batch.data[0][:] = X[self.at : self.at + 2]
            self.batch.label[0][:] = Y[self.at : self.at + 2]
            self.at += 2
            return self.batch

    found = []
    for train in (Reusing(), mx.io.NDArrayIter(X, Y, 2, label_name="lro_label")):
        module = mx.mod.Module(regression(), label_names=["lro_label"])
        metric = mx.metric.create("mse")
        module.fit(train, eval_metric=metric, num_epoch=2, initializer=mx.init.One())
        found.append({**values(module), "metric": np.array(metric.get()[1])})
    assert_same(*found)


def test_training_data_without_a_batch_is_an_error():
    train = mx.io.NDArrayIter(X, Y, 9, last_batch_handle="discard", label_name="lro_label")
    module = mx.mod.Module(regression(), label_names=["lro_label"])
    with pytest.raises(mx.MXNetError, match="no batch"):
        module.fit(train, eval_metric="mse", num_epoch=1)


def test_fit_logs_each_epoch(caplog):
    caplog.set_level(logging.INFO)
    data = mx.io.NDArrayIter(X, Y, 2, label_name="lro_label")
    module = mx.mod.Module(regression(), label_names=["lro_label"])
    module.fit(data, data, "mse", num_epoch=1, batch_end_callback=mx.callback.Speedometer(2, 1))
    heads = [line.split("=")[0].split("\t")[0] for line in caplog.messages]
    assert heads == [
        "Epoch[0] Batch [0-1]",
        "Epoch[0] Train-mse",
        "Epoch[0] Time cost",
        "Epoch[0] Validation-mse",
    ]


# ---- arguments of another kind --------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mx.mod.Module(classifier(), context="cpu"), "such as mx.cpu.., not 'cpu'"),
        (lambda: mx.mod.Module(classifier(), context=["cpu"]), "such as mx.cpu.., not 'cpu'"),
        (lambda: mx.mod.Module(classifier()).bind(("data", (2, 3))), "a list of .name, shape. is"),
        (lambda: mx.mod.Module(classifier()).bind({"data": (2, 3)}), "a list of .name, shape. is"),
        (lambda: regressor().fit(X, num_epoch=1), "train_data must be a DataIter .* not ndarray"),
        (
            lambda: regressor().fit(mx.io.NDArrayIter(X, Y), eval_data=(X, Y), num_epoch=1),
            "eval_data must be a DataIter .* not tuple",
        ),
        (lambda: regressor().score(X, "mse"), "eval_data must be a DataIter .* not ndarray"),
        (
            lambda: regressor().init_params("xavier", force_init=True),
            "initializer is 'xavier', but an Initializer",
        ),
    ],
)
def test_arguments_of_another_kind_are_named(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_an_iterator_at_its_end_is_told_from_an_empty_one():
    data = mx.io.NDArrayIter(X, Y, 2, label_name="lro_label")
    assert len(list(data)) == 2
    with pytest.raises(mx.MXNetError, match="has no batch; one read to its end needs reset"):
        mx.mod.Module(regression(), label_names=["lro_label"]).fit(data, num_epoch=1)
