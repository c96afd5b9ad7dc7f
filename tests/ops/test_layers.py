"""Layers: inference that runs both ways, attributes that do not fit, statistics and chance."""

from __future__ import annotations

import numpy as np
import pytest

from ops.harness import Run
from symgraph.errors import AttributeValueError, DTypeError, ShapeError
from symgraph.ops.facts import DTypes, Shapes, Unknown
from symgraph.ops.op import create

FC = ("FullyConnected", {"num_hidden": "5"})
CONV = ("Convolution", {"kernel": "(3, 2)", "num_filter": "4"})
DECONV = ("Deconvolution", {"kernel": "(3, 2)", "num_filter": "4"})
POOL = ("Pooling", {"kernel": "(2, 2)", "pool_type": "avg"})
REGRESSION = ("LinearRegressionOutput", {})
SOFTMAX = ("SoftmaxOutput", {})


def infer(op, known):
    """Shapes of all tensors; None is unknown, 0 an unknown length."""
    op = create(*op)
    names = [*op.list_inputs(), *op.list_aux(), *op.list_outputs()]
    shapes = {n: known.get(n) for n in names}
    for _ in range(3):
        try:
            op.infer_shape(Shapes(shapes))
        except Unknown:
            continue
    return shapes


@pytest.mark.parametrize(
    ("op", "known", "found"),
    [
        (FC, {}, {"weight": None, "bias": None, "output": None}),
        (FC, {"data": (0, 7)}, {"weight": (5, 7), "bias": (5,), "output": (0, 5)}),
        (FC, {"data": (4,)}, {"weight": (5, 1), "output": (4, 5)}),
        (FC, {"data": (0, 3, 0), "weight": (0, 12)}, {"data": (0, 3, 4), "weight": (5, 12)}),
        (FC, {"data": (0, 7), "output": (3, 0)}, {"data": (3, 7), "output": (3, 5)}),
        (
            (FC[0], FC[1] | {"flatten": "False"}),
            {"data": (0, 0, 3, 0), "output": (2, 4, 0, 5), "weight": (5, 6)},
            {"data": (2, 4, 3, 6), "output": (2, 4, 3, 5)},
        ),
        (CONV, {"data": (0, 3, 8, 0)}, {"weight": (4, 3, 3, 2), "output": (0, 4, 6, 0)}),
        (CONV, {"data": (2, 0, 8, 9), "weight": (0, 3, 0, 0)}, {"data": (2, 3, 8, 9)}),
        (CONV, {"data": (0, 3, 0, 0), "output": (2, 0, 6, 8)}, {"data": (2, 3, 8, 9)}),
        (
            (CONV[0], CONV[1] | {"stride": "(2, 2)"}),
            {"data": (0, 3, 0, 0), "output": (2, 0, 6, 8)},
            {"data": (2, 3, 0, 0)},
        ),
        (
            (CONV[0], CONV[1] | {"layout": "NHWC"}),
            {"data": (2, 8, 9, 6)},
            {"weight": (4, 3, 2, 6), "output": (2, 6, 8, 4)},
        ),
        (DECONV, {"data": (0, 3, 8, 0)}, {"weight": (3, 4, 3, 2), "output": (0, 4, 10, 0)}),
        (DECONV, {"data": (0, 0, 8, 9), "output": (2, 4, 0, 0)}, {"data": (2, 0, 8, 9)}),
        (POOL, {"data": (0, 3, 4, 0)}, {"output": (0, 3, 3, 0)}),
        (POOL, {"data": (0, 0, 4, 5), "output": (2, 3, 0, 0)}, {"data": (2, 3, 4, 5)}),
        (("Pooling", {"global_pool": "True"}), {"data": (2, 3, 0, 0)}, {"output": (2, 3, 1, 1)}),
        (("Dropout", {"axes": "(1,)"}), {"output": (2, 0)}, {"data": (2, 0), "mask": (2, 1)}),
        (("BatchNorm", {}), {"data": (4, 0, 3), "beta": (5,)}, {"data": (4, 5, 3), "var": (5,)}),
        (("LayerNorm", {}), {"output": (4, 0), "gamma": (3,)}, {"data": (4, 3), "mean": (4, 1)}),
        (("GroupNorm", {"num_groups": "2"}), {"data": (3, 4, 5)}, {"gamma": (2,), "std": (3, 2)}),
        (("LeakyReLU", {"act_type": "prelu"}), {"data": (2, 3, 4)}, {"gamma": (3,)}),
        (SOFTMAX, {"data": (4, 3)}, {"label": (4,)}),
        (SOFTMAX, {"data": (0, 3), "label": (4,)}, {"data": (4, 3)}),
        (SOFTMAX, {"data": (4, 3), "label": (4, 0)}, {"label": (4, 3)}),
        (SOFTMAX, {"data": (2, 3, 4)}, {"label": (2, 3)}),
        (("SoftmaxOutput", {"multi_output": "True"}), {"data": (2, 3, 4, 5)}, {"label": (2, 20)}),
        (("SVMOutput", {}), {"data": (0, 3), "label": (4,)}, {"data": (4, 3)}),
        (REGRESSION, {"data": (4, 1)}, {"label": (4,)}),
        (REGRESSION, {"data": (4, 3)}, {"label": (4, 3)}),
        (REGRESSION, {"data": (2, 6), "label": (2, 3, 2)}, {"output": (2, 6)}),
        (REGRESSION, {"data": (0, 3)}, {"label": None, "output": (0, 3)}),
    ],
)
def test_shapes_follow_both_ways(op, known, found):
    shapes = infer(op, known)
    assert {n: shapes[n] for n in found} == found


@pytest.mark.parametrize(
    ("op", "known", "words"),
    [
        (FC, {"data": (3, 4), "weight": (5, 7)}, r"weight has shape \(5, 7\)"),
        (CONV, {"data": (2, 3, 8)}, r"requires 4 axes"),
        (CONV, {"data": (2, 3, 2, 8)}, r"length 2 along spatial axis 0.*reaches over 3"),
        ((CONV[0], CONV[1] | {"num_group": "2"}), {"data": (2, 3, 8, 8)}, "3 channels.*2 groups"),
        (
            (DECONV[0], DECONV[1] | {"target_shape": "(99, 9)"}),
            {"data": (2, 3, 8, 8)},
            "at most 10",
        ),
        (POOL, {"data": (2, 3, 1, 4)}, "window has 2"),
        (POOL, {"data": (2, 3, 4)}, "4 axes are required"),
        (("BatchNorm", {}), {"data": (3,)}, "axis 1 is none"),
        (("softmax", {"axis": "2"}), {"data": (3, 4)}, "axis 2 is none"),
        (("GroupNorm", {"num_groups": "3"}), {"data": (2, 4, 3)}, "4 channels.*3 groups"),
        (
            ("LeakyReLU", {"act_type": "prelu"}),
            {"data": (2, 3), "gamma": (2,)},
            r"\(3,\) is required",
        ),
        (("Dropout", {"axes": "(2,)"}), {"data": (3, 4)}, "axes"),
        (SOFTMAX, {"data": (4, 3), "label": (2,)}, r"label has shape \(2,\), but \(4,\)"),
        (SOFTMAX, {"data": (4,)}, "at least two axes"),
        (REGRESSION, {"data": (4, 3), "label": (12,)}, r"label has shape \(12,\)"),
    ],
)
def test_shapes_that_do_not_fit(op, known, words):
    with pytest.raises(ShapeError, match=words):
        infer(op, known)


@pytest.mark.parametrize(
    ("op", "attrs", "words"),
    [
        ("FullyConnected", {"num_hidden": 0}, "num_hidden"),
        ("Activation", {"act_type": "swish"}, "'relu'"),
        ("Convolution", {"kernel": (3, 3), "num_filter": 2, "pad": (1,)}, "pad"),
        ("Convolution", {"kernel": (3, 3), "num_filter": 3, "num_group": 2}, "num_filter"),
        ("Convolution", {"kernel": (3, 3), "num_filter": 3, "layout": "NCW"}, "layout"),
        ("Convolution", {"kernel": (1, 1, 1, 1), "num_filter": 3}, "kernel"),
        ("Deconvolution", {"kernel": (3,), "num_filter": 2, "stride": (2,), "adj": (2,)}, "adj"),
        ("Pooling", {}, "kernel is required"),
        ("Pooling", {"kernel": (2, 2), "pool_type": "lp"}, "p_value"),
        ("Pooling", {"kernel": (2,), "pad": (1,), "pooling_convention": "same"}, "pad"),
        ("Pooling", {"kernel": (2, 2), "stride": (1,)}, "stride"),
        ("Dropout", {"p": 1.5}, "p is 1.5"),
    ],
)
def test_attributes_that_do_not_fit(op, attrs, words):
    with pytest.raises(AttributeValueError, match=words):
        create(op, {k: str(v) for k, v in attrs.items()})


@pytest.mark.parametrize("op", ["softmax", "log_softmax", "softmin"])
def test_softmax_is_of_floats(op):
    with pytest.raises(DTypeError, match="floating point type is required"):
        create(op, {}).infer_dtype(DTypes({"data": "int32", "output": None}))


# ---- batch normalisation ------------------------------------------------------------


def batch_norm(dtype="float64", is_train=True, **attrs):
    rng = np.random.default_rng(1)
    stored = "float32" if dtype == "float16" else dtype
    values = {"data": rng.uniform(-2, 2, (4, 3, 2)).astype(dtype)}
    for name in ("gamma", "beta", "moving_mean", "moving_var"):
        values[name] = rng.uniform(0.5, 2, 3).astype(stored)
    op = create("BatchNorm", {k: str(v) for k, v in attrs.items()})
    return Run(op, values, is_train=is_train), values


def test_moving_statistics_change_in_backward_only():
    run, values = batch_norm(momentum=0.7)
    run.forward()
    assert run.ctx.aux_updates == {}
    run.backward(run.heads())
    mean, var = values["data"].mean((0, 2)), values["data"].var((0, 2))
    moved = run.ctx.aux_updates
    np.testing.assert_allclose(moved["moving_mean"], 0.7 * values["moving_mean"] + 0.3 * mean)
    np.testing.assert_allclose(moved["moving_var"], 0.7 * values["moving_var"] + 0.3 * var)


@pytest.mark.parametrize("attrs", [{"use_global_stats": True}, {"is_train": False}])
def test_moving_statistics_stay_where_they_are_used(attrs):
    run, _ = batch_norm(**attrs)
    run.forward()
    run.backward(run.heads())
    assert run.ctx.aux_updates == {}


def test_fixed_gamma_has_no_gradient_and_stays():
    run, values = batch_norm()
    before = values["gamma"].copy()
    run.forward()
    assert "gamma" not in run.backward(run.heads())
    np.testing.assert_array_equal(values["gamma"], before)


def test_half_precision_data_keep_single_precision_statistics():
    run, _ = batch_norm("float16", fix_gamma="False")
    outputs = run.forward()
    grads = run.backward(run.heads())
    exact, _ = batch_norm("float64", fix_gamma="False")
    assert {n: v.dtype.name for n, v in outputs.items()} == {
        "output": "float16",
        "mean": "float32",
        "var": "float32",
    }
    assert {n: g.dtype.name for n, g in grads.items()} == {
        "data": "float16",
        "gamma": "float32",
        "beta": "float32",
    }
    np.testing.assert_allclose(outputs["output"], exact.forward()["output"], atol=5e-3)


# ---- half precision -----------------------------------------------------------------


def test_half_precision_sums_do_not_stall():
    # a running float16 sum of ones stops at 2048
    ones = {"data": np.ones((1, 4096), "float16"), "weight": np.ones((1, 4096), "float16")}
    op = create("FullyConnected", {"num_hidden": "1", "no_bias": "True"})
    assert Run(op, ones).forward()["output"] == 4096
    image = {"data": np.ones((1, 1, 64, 64), "float16")}
    pool = create("Pooling", {"global_pool": "True", "pool_type": "sum"})
    assert Run(pool, image).forward()["output"] == 4096
    rows = {"data": np.ones((4096, 1), "float16"), "weight": np.ones((2, 1), "float16")}
    run = Run(create("FullyConnected", {"num_hidden": "2"}), {**rows, "bias": rows["data"][:2, 0]})
    run.forward()
    np.testing.assert_array_equal(run.backward([np.ones((4096, 2), "float16")])["bias"], 4096)


# ---- chance -------------------------------------------------------------------------


def test_dropout_keeps_the_mean_and_drops_in_backward():
    data = np.ones((200, 300), "float32")
    run = Run(create("Dropout", {"p": "0.3"}), {"data": data})
    output = run.forward()["output"]
    assert abs((output == 0).mean() - 0.3) < 0.01
    np.testing.assert_allclose(output[output != 0], 1 / 0.7, rtol=1e-6)
    np.testing.assert_array_equal(run.backward([data])["data"], output)


def test_dropout_shares_decisions_along_axes():
    run = Run(create("Dropout", {"axes": "(0,)"}), {"data": np.ones((4, 50), "float32")})
    output = run.forward()["output"]
    assert (output == output[0]).all()
    assert set(np.unique(output)) == {0, 2}


def test_random_slopes_lie_between_the_bounds():
    data = -np.ones((100, 100), "float32")
    attrs = {"act_type": "rrelu", "lower_bound": "0.2", "upper_bound": "0.4"}
    slopes = -Run(create("LeakyReLU", attrs), {"data": data}).forward()["output"]
    assert slopes.min() >= 0.2 and slopes.max() <= 0.4
    assert abs(slopes.mean() - 0.3) < 0.01
