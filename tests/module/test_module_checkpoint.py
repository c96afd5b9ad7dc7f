"""Checkpoints of a module: exact resumption, files of others, failures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from module.nets import TWO, assert_same, batch, classifier, regressor, step, values

import symgraph as mx

X = np.array([[1, 2, 0.5], [0, 1, -1], [3, 1, 0], [1, -2, 1]])
Y = np.array([[1], [0], [2], [1.0]])


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("kvstore", [None, "made"])
@pytest.mark.parametrize("context", [mx.cpu(), TWO], ids=["one", "two"])
def test_training_resumes_exactly(tmp_path, optimizer, kvstore, context):
    params = {"learning_rate": 0.1, "wd": 0.01}
    params |= {"momentum": 0.9} if optimizer == "sgd" else {}

    def store():
        return mx.kv.create("local") if kvstore else None

    def init(module):
        module.init_optimizer(store(), optimizer, params)

    module = regressor(context=context)
    init(module)
    for _ in range(2):
        step(module, X, Y)
    prefix = str(tmp_path / "m")
    module.save_checkpoint(prefix, 2, save_optimizer_states=True)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"m-symbol.json", "m-0002.params", "m-0002.states"}
    other = mx.mod.Module.load(
        prefix, 2, load_optimizer_states=True, label_names=["lro_label"], context=context
    )
    other.bind([("data", (4, 3))], [("lro_label", (4, 1))])
    init(other)
    for _ in range(2):
        step(module, X, Y)
        step(other, X, Y)
    assert_same(values(other), values(module))


def test_a_loaded_module_has_its_parameters_before_it_is_bound(tmp_path):
    prefix = str(tmp_path / "m")
    module = regressor()
    module.save_checkpoint(prefix, 0)
    other = mx.mod.Module.load(prefix, 0, label_names=["lro_label"])
    assert_same(values(other), values(module))
    assert other._arg_params.keys() == {"fc_weight", "fc_bias"}
    assert other._aux_params == {}
    other.bind([("data", (2, 3))], for_training=False)
    other.forward(batch(X[:2]))
    np.testing.assert_allclose(other.get_outputs()[0].asnumpy()[:, 0], X[:2].sum(1))


def test_fit_goes_on_from_a_checkpoint(tmp_path):
    prefix = str(tmp_path / "m")
    data = mx.io.NDArrayIter(X, Y, 2, label_name="lro_label")
    settings = {"eval_metric": "mse", "optimizer_params": {"learning_rate": 0.1, "momentum": 0.9}}
    whole = mx.mod.Module(regressor().symbol, label_names=["lro_label"])
    whole.fit(data, num_epoch=4, initializer=mx.init.One(), **settings)
    part = mx.mod.Module(regressor().symbol, label_names=["lro_label"])
    part.fit(
        data,
        num_epoch=2,
        initializer=mx.init.One(),
        epoch_end_callback=mx.callback.module_checkpoint(part, prefix, 2, True),
        **settings,
    )
    rest = mx.mod.Module.load(prefix, 2, True, label_names=["lro_label"])
    rest.fit(data, begin_epoch=2, num_epoch=4, **settings)
    assert_same(values(rest), values(whole))


def test_load_params_sorts_names_without_a_prefix(tmp_path):
    module = mx.mod.Module(classifier())
    module.bind([("data", (2, 5))], [("softmax_label", (2,))])
    module.init_params()
    args, aux = module.get_params()
    args["fc1_bias"][:] = 4
    aux["bn_moving_mean"][:] = 3
    file = str(tmp_path / "gluon.params")
    mx.nd.save(file, {**args, **aux})
    module.load_params(file)
    assert (values(module)["fc1_bias"] == 4).all()
    assert (values(module)["bn_moving_mean"] == 3).all()


def test_parameters_of_another_network_are_refused(tmp_path):
    file = str(tmp_path / "other.params")
    mx.nd.save(file, {"arg:conv_weight": mx.nd.ones(3), "arg:fc_bias": mx.nd.ones(1)})
    with (
        pytest.warns(UserWarning, match="conv_weight"),
        pytest.raises(mx.MXNetError, match="fc_weight is not presented"),
    ):
        regressor().load_params(file)


def test_files_that_are_missing_or_cannot_be_written(tmp_path):
    module = regressor(optimizer="sgd")
    for call in (
        lambda: module.save_checkpoint(str(tmp_path / "no" / "m"), 1),
        lambda: module.load_params(str(tmp_path / "x.params")),
        lambda: module.load_optimizer_states(str(tmp_path / "x.states")),
        lambda: mx.mod.Module.load(str(tmp_path / "m"), 1),
    ):
        with pytest.raises(mx.MXNetError):
            call()


def test_states_of_something_else_change_nothing(tmp_path):
    file = Path(tmp_path / "x.states")
    file.write_bytes(b"not states")
    params = {"learning_rate": 0.1, "momentum": 0.9}
    module = regressor(optimizer="sgd", optimizer_params=params)
    twin = regressor(optimizer="sgd", optimizer_params=params)
    step(module, X, Y)
    step(twin, X, Y)
    with pytest.raises(mx.MXNetError):
        module.load_optimizer_states(str(file))
    step(module, X, Y)
    step(twin, X, Y)
    assert_same(values(module), values(twin))
