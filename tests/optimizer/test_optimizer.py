"""Optimizers beyond their formulas: rates, registry, storage types, warnings, users' own ones."""

import warnings

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import MXNetError, ShapeError, StorageError
from symgraph.optimizer import LazyUpdateWarning, Optimizer

nd = mx.nd


def sparse(rows, shape=(3, 1), value=1.0):
    data = np.full((len(rows), *shape[1:]), value, "float32")
    return nd.sparse.row_sparse_array((data, rows), shape=shape)


def ran(optimizer, grads, weight):
    step = mx.optimizer.get_updater(optimizer)
    for grad in grads:
        step(0, grad, weight)
    return weight.asnumpy().ravel()


# ---- registry and arguments ---------------------------------------------------------


def test_create_finds_names_in_any_case():
    assert isinstance(mx.optimizer.create("AdaGrad", eps=1e-3), mx.optimizer.AdaGrad)
    assert type(mx.optimizer.create("ccsgd")) is mx.optimizer.SGD
    assert isinstance(Optimizer.create_optimizer("adam"), mx.optimizer.Adam)


def test_an_unknown_name_lists_close_ones():
    with pytest.raises(ValueError, match=r"'adma' is not registered.*'adam'"):
        mx.optimizer.create("adma")


def test_an_unknown_argument_lists_those_there_are():
    with pytest.raises(TypeError, match=r"'adam': unknown argument 'beta3'; did you mean 'beta"):
        mx.optimizer.create("adam", beta3=0.5)
    with pytest.raises(
        TypeError, match=r"unknown argument 'lr' .arguments: momentum, .* learning_rate"
    ):
        mx.optimizer.create("sgd", lr=0.1)
    with pytest.raises(TypeError, match="param_idx2name is a list"):
        mx.optimizer.create("sgd", param_idx2name=[])


def test_an_optimizer_of_ones_own():
    @mx.optimizer.register
    class HalfWay(Optimizer):
        def create_state(self, index, weight):
            return nd.zeros(weight.shape)

        def update(self, index, weight, grad, state):
            self._update_count(index)
            state[:] = grad * self._get_lr(index)
            weight[:] = weight - state

    try:
        optimizer = mx.optimizer.create("halfway", learning_rate=0.5)
        assert ran(optimizer, [nd.ones((2,))] * 2, nd.ones((2,))).tolist() == [0, 0]
        assert optimizer.num_update == 2
    finally:
        del Optimizer.opt_registry["halfway"]


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: mx.optimizer.SGD(foo=1), TypeError),
        (lambda: mx.optimizer.SGD(param_idx2name=["w"]), TypeError),
        (lambda: mx.optimizer.get_updater("sgd"), TypeError),
    ],
)
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make()


def test_learning_rate():
    assert mx.optimizer.SGD().learning_rate == 0.01
    assert mx.optimizer.Adam().learning_rate == 0.001
    scheduler = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.4)
    optimizer = mx.optimizer.SGD(lr_scheduler=scheduler)
    w = nd.ones((1,))
    assert ran(optimizer, [nd.ones((1,))] * 2, w)[0] == pytest.approx(1 - 0.4 - 0.2)
    with pytest.raises(UserWarning, match="lr_scheduler"):
        optimizer.set_learning_rate(1)


def test_learning_rate_goes_before_that_of_the_scheduler():
    scheduler = mx.lr_scheduler.PolyScheduler(max_update=4, base_lr=0.1, warmup_steps=2)
    with pytest.warns(UserWarning, match=r"base_lr of lr_scheduler was 0\.1 and is now 0\.5"):
        optimizer = mx.optimizer.SGD(learning_rate=0.5, lr_scheduler=scheduler)
    assert scheduler(1) == 0.25  # MXNet would warm up to the old 0.1
    assert scheduler(2) == 0.5
    assert optimizer.learning_rate == 0.0


def test_the_old_name_of_set_lr_mult_is_refused():
    with pytest.raises(DeprecationWarning, match="set_lr_mult"):
        mx.optimizer.SGD().set_lr_scale({"w": 2.0})


def test_counting_starts_where_asked():
    optimizer = mx.optimizer.SGD(begin_num_update=7)
    assert optimizer.num_update == 7
    optimizer.update([0, 1], [nd.ones((1,))] * 2, [nd.ones((1,))] * 2, [None, None])
    assert optimizer.num_update == 8


def test_multipliers_by_key_and_by_name():
    optimizer = mx.optimizer.SGD(
        learning_rate=1.0, wd=0.5, param_idx2name={0: "fc_weight", 1: "fc_bias", 2: "out_gamma"}
    )
    assert optimizer.wd_mult == {"fc_bias": 0.0}
    assert [optimizer._get_wd(i) for i in range(3)] == [0.5, 0, 0.5]
    optimizer.set_lr_mult({"fc_weight": 0.1, 1: 3.0})
    assert optimizer._get_lrs([0, 1, 2]) == [0.1, 3.0, 1.0]
    assert optimizer._get_wds(["fc_bias", "x"]) == [0, 0.5]


def test_shapes_must_agree():
    with pytest.raises(ShapeError, match=r"weight 'w' has shape \(2, 1\), its gradient \(2, 3\)"):
        mx.optimizer.SGD().update("w", nd.ones((2, 1)), nd.ones((2, 3)), None)


def test_csr_gradients_are_refused():
    with pytest.raises(StorageError, match="csr"):
        mx.optimizer.SGD().update(0, nd.ones((2, 2)), nd.ones((2, 2)).tostype("csr"), None)


def test_doubles_and_halves_stay_what_they_are():
    for dtype in ("float64", "float16"):
        w = nd.ones((2,), dtype=dtype)
        ran(mx.optimizer.Adam(learning_rate=0.5), [nd.ones((2,), dtype=dtype)], w)
        assert w.value.dtype == dtype
        np.testing.assert_allclose(w.asnumpy(), 0.5, rtol=1e-3)


def test_the_gradient_is_left_alone():
    for name in Optimizer.opt_registry:
        grad = nd.array([1.0, -2.0])
        ran(mx.optimizer.create(name), [grad] * 2, nd.ones((2,)))
        assert grad.asnumpy().tolist() == [1, -2], name


def test_adamax_leaves_weights_without_gradient_alone():
    w = ran(mx.optimizer.Adamax(learning_rate=0.5), [nd.array([1.0, 0.0])], nd.ones((2,)))
    assert w.tolist() == [0.5, 1]


def test_nadam_steps_do_not_depend_on_other_weights():
    alone = ran(mx.optimizer.Nadam(), [nd.ones((1,))] * 3, nd.ones((1,)))
    step = mx.optimizer.get_updater(mx.optimizer.Nadam())
    among = [nd.ones((1,)) for _ in range(5)]
    for _ in range(3):
        step(list(range(5)), [nd.ones((1,))] * 5, among)
    assert {float(w.asnumpy()[0]) for w in among} == {alone[0]}


def test_nadams_late_steps_take_no_longer_than_early_ones():
    optimizer = mx.optimizer.Nadam(begin_num_update=10**12)
    w = ran(optimizer, [nd.ones((1,))], nd.ones((1,)))
    assert 0 < w[0] < 1


# ---- row_sparse gradients -----------------------------------------------------------

GRADS = ([0], [2])
DENSE = {"sgdm": [0.7821, 0.9711, 0.8711], "sgd": [0.8811, 0.9801, 0.8801]}
LAZY = {"sgdm": [0.89, 1, 0.89], "sgd": [0.89, 1, 0.89]}
DENSE["adam"], LAZY["adam"] = [0.82715, 0.80041, 0.81978], [0.9, 1, 0.92559]


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("name", DENSE)
def test_lazy_or_as_dense(name, lazy, stype):
    options = {"learning_rate": 0.1, "wd": 0.1, "lazy_update": lazy}
    if name == "sgdm":
        options["momentum"] = 0.9
    optimizer = mx.optimizer.create("adam" if name == "adam" else "sgd", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ran(optimizer, [sparse(r) for r in GRADS], nd.ones((3, 1)).tostype(stype))
    np.testing.assert_allclose(found, (LAZY if lazy else DENSE)[name], atol=2e-4)


@pytest.mark.parametrize("name", ["sgd", "adam", "adagrad"])
def test_laziness_that_was_not_asked_for_is_told_once(name):
    optimizer = mx.optimizer.create(name, wd=0.1)
    with pytest.warns(LazyUpdateWarning, match="lazy_update") as told:
        ran(optimizer, [sparse([0])] * 3, nd.ones((3, 1)).tostype("row_sparse"))
    assert len(told) == 1


def test_no_warning_where_the_result_is_that_of_dense_training():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("sgd", "nag", "adagrad"):
            ran(mx.optimizer.create(name), [sparse([0])] * 2, nd.ones((3, 1)))
        zeros = nd.sparse.zeros("row_sparse", (3, 1))
        ran(mx.optimizer.Ftrl(), [sparse([0], value=2.0)] * 3, zeros)
        dense = ran(mx.optimizer.Ftrl(), [nd.array([[2.0], [0], [0]])] * 3, nd.zeros((3, 1)))
    np.testing.assert_allclose(zeros.asnumpy().ravel(), dense)
    assert dense[0] != 0


def test_ftrl_tells_that_it_keeps_what_the_dense_rule_would_clear():
    with pytest.warns(LazyUpdateWarning):
        found = ran(mx.optimizer.Ftrl(), [sparse([0])], nd.ones((3, 1)).tostype("row_sparse"))
    assert found[1:].tolist() == [1, 1]


def test_adagrad_decays_the_rows_of_the_gradient():
    with pytest.warns(LazyUpdateWarning):
        found = ran(
            mx.optimizer.AdaGrad(learning_rate=0.1, wd=0.1),
            [sparse([0])],
            nd.ones((3, 1)).tostype("row_sparse"),
        )
    np.testing.assert_allclose(found, [1 - 0.1 * (1 + 0.1), 1, 1], rtol=1e-5)


def test_copies_of_a_row_sparse_weight_stay():
    w = nd.ones((3, 1)).tostype("row_sparse")
    copies = [w.copy(), w.data, w.tostype("default"), w.copyto(mx.cpu(1))]
    ran(mx.optimizer.SGD(learning_rate=0.5), [sparse([0])], w)
    assert w.asnumpy().ravel().tolist() == [0.5, 1, 1]
    assert all((copy.asnumpy() == 1).all() for copy in copies)


def test_a_half_weight_with_row_sparse_gradients():
    w = nd.ones((3, 2), dtype="float16")
    optimizer = mx.optimizer.SGD(learning_rate=2.0**-14, multi_precision=True)
    grad = sparse([1], (3, 2)).astype("float16")
    ran(optimizer, [grad] * 16, w)
    assert w.asnumpy()[:, 0].tolist() == [1, np.float16(1 - 2.0**-10), 1]


# ---- schedules ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda s: s.FactorScheduler(step=0), ValueError),
        (lambda s: s.FactorScheduler(step=1, factor=1.5), ValueError),
        (lambda s: s.MultiFactorScheduler(step=[3, 2]), ValueError),
        (lambda s: s.MultiFactorScheduler(step=[0, 2]), ValueError),
        (lambda s: s.MultiFactorScheduler(step=[1], factor=1.1), ValueError),
        (lambda s: s.PolyScheduler(max_update=1.5), TypeError),
        (lambda s: s.PolyScheduler(max_update=0), ValueError),
        (lambda s: s.CosineScheduler(max_update=5, warmup_steps=5), ValueError),
        (lambda s: s.FactorScheduler(step=1, base_lr=0.1, warmup_begin_lr=0.2), ValueError),
        (lambda s: s.FactorScheduler(step=1, warmup_steps=-1), ValueError),
        (lambda s: s.FactorScheduler(step=1, warmup_mode="steep"), ValueError),
    ],
)
def test_bad_schedules(make, error):
    with pytest.raises(error):
        make(mx.lr_scheduler)


def test_a_bare_scheduler_has_no_rule():
    with pytest.raises(NotImplementedError):
        mx.lr_scheduler.LRScheduler()(1)


def test_all_errors_are_mxnet_errors():
    assert issubclass(mx.optimizer.UnknownOptimizerError, MXNetError)
