"""Output layers: their gradient is the derivative of the loss they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from ops.harness import Run
from symgraph.ops.op import create

N, C = 5, 3
LABELS = np.array([0, 2, 1, 2, 0.0])


def run_layer(op, data, label, **attrs):
    values = {"data": data} if label is None else {"data": data, "label": label}
    run = Run(create(op, {k: str(v) for k, v in attrs.items()}), values)
    run.forward()
    return run.backward(run.heads())["data"]


def derivative(loss, data):
    """Central differences of ``loss`` in every element."""
    grad = np.zeros_like(data)
    for i in np.ndindex(data.shape):
        step = np.zeros_like(data)
        step[i] = 1e-6
        grad[i] = (loss(data + step) - loss(data - step)) / 2e-6
    return grad


def cross_entropy(data, axis, labels, smooth=0.0):
    """One number for every label; -1 belongs to no class, so that only the logarithm stays."""
    logs = special.log_softmax(data, axis)
    classes = data.shape[axis]
    target = np.moveaxis(np.eye(classes)[labels.astype(int)], -1, axis)
    target = target * (1 - smooth) + (1 - target) * smooth / max(classes - 1, 1)
    return -(logs * target).sum(axis)


@pytest.fixture
def data():
    return np.random.default_rng(3).uniform(-2, 2, (N, C))


@pytest.mark.parametrize(
    ("attrs", "loss"),
    [
        ({}, lambda each: each.sum()),
        ({"grad_scale": 3}, lambda each: 3 * each.sum()),
        ({"normalization": "batch"}, lambda each: each.sum() / N),
        ({"use_ignore": True, "ignore_label": 2}, lambda each: each[LABELS != 2].sum()),
        (
            {"use_ignore": True, "ignore_label": 2, "normalization": "valid"},
            lambda each: each[LABELS != 2].mean(),
        ),
    ],
)
def test_softmax_output_minimises_cross_entropy(data, attrs, loss):
    grad = run_layer("SoftmaxOutput", data, LABELS, **attrs)
    expected = derivative(lambda x: loss(cross_entropy(x, 1, LABELS)), data)
    np.testing.assert_allclose(grad, expected, atol=1e-8)


def test_softmax_output_smooths_labels(data):
    grad = run_layer("SoftmaxOutput", data, LABELS, smooth_alpha=0.3)
    expected = derivative(lambda x: cross_entropy(x, 1, LABELS, 0.3).sum(), data)
    np.testing.assert_allclose(grad, expected, atol=1e-8)


@pytest.mark.parametrize(("smooth", "shape"), [(0.0, (2, 4)), (0.2, (2, 1, 4)), (0.2, (2, 4))])
def test_softmax_output_over_positions(smooth, shape):
    rng = np.random.default_rng(4)
    data, labels = rng.uniform(-2, 2, (2, C, 4)), rng.integers(0, C, (2, 4))
    grad = run_layer(
        "SoftmaxOutput", data, labels.reshape(shape) * 1.0, multi_output=True, smooth_alpha=smooth
    )
    expected = derivative(lambda x: cross_entropy(x, 1, labels, smooth).sum() / 4, data)
    np.testing.assert_allclose(grad, expected, atol=1e-8)


def test_softmax_output_of_probabilities(data):
    target = special.softmax(np.random.default_rng(5).uniform(-1, 1, (N, C)), 1)
    grad = run_layer("SoftmaxOutput", data, target, grad_scale=2)
    expected = derivative(lambda x: -2 * (special.log_softmax(x, 1) * target).sum(), data)
    np.testing.assert_allclose(grad, expected, atol=1e-8)


def test_softmax_output_counts_at_least_one_valid_label(data):
    attrs = {"normalization": "valid", "ignore_label": 7}
    grad = run_layer("SoftmaxOutput", data, np.full(N, 7.0), **attrs)
    np.testing.assert_allclose(grad, special.softmax(data, 1))


def test_softmax_output_multiplies_with_the_gradient_that_arrives(data):
    op = create("SoftmaxOutput", {"out_grad": "True"})
    run = Run(op, {"data": data, "label": LABELS})
    run.forward()
    (head,) = run.heads()
    plain = run_layer("SoftmaxOutput", data, LABELS)
    np.testing.assert_allclose(run.backward([head])["data"], head * plain)


def test_softmax_output_survives_large_data():
    data = np.array([[1e4, -1e4, 0], [-1e37, 1e38, 2e38]], "float32")
    run = Run(create("SoftmaxOutput", {}), {"data": data, "label": np.zeros(2, "float32")})
    np.testing.assert_array_equal(run.forward()["output"], [[1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("op", "loss"),
    [
        ("Linear", lambda x, y: ((x - y) ** 2).sum() / 2),
        ("MAE", lambda x, y: np.abs(x - y).sum()),
        (
            "Logistic",
            lambda x, y: -(y * special.log_expit(x) + (1 - y) * special.log_expit(-x)).sum(),
        ),
    ],
)
@pytest.mark.parametrize(
    ("shape", "label_shape"), [((N, C), (N, C)), ((N, 1), (N,)), ((N,), (N, 1))]
)
def test_regression_minimises_its_loss_of_each_sample(op, loss, shape, label_shape):
    rng = np.random.default_rng(6)
    data, label = rng.uniform(-2, 2, shape), rng.uniform(0, 1, label_shape)
    grad = run_layer(f"{op}RegressionOutput", data, label, grad_scale=2)
    width = data.size / N
    expected = derivative(lambda x: 2 / width * loss(x, label.reshape(shape)), data)
    np.testing.assert_allclose(grad, expected, atol=1e-8)


@pytest.mark.parametrize("linear", [False, True])
def test_svm_minimises_a_hinge(data, linear):
    def loss(x):
        sign = np.where(LABELS[:, None] == np.arange(C), 1, -1)
        short = np.maximum(0, 0.7 - sign * x)
        return 2 * (short if linear else short**2).sum()

    attrs = {"margin": 0.7, "regularization_coefficient": 2, "use_linear": linear}
    grad = run_layer("SVMOutput", data, LABELS, **attrs)
    np.testing.assert_allclose(grad, derivative(loss, data), atol=1e-6)


@pytest.mark.parametrize(
    ("attrs", "loss"),
    [
        ({"grad_scale": 3}, lambda x: 3 * x.sum()),
        ({"normalization": "batch"}, lambda x: x.sum() / N),
        ({"normalization": "valid", "valid_thresh": 0.5}, None),
    ],
)
def test_make_loss_minimises_its_data(data, attrs, loss):
    valid = (data > 0.5).sum()
    expected = derivative(loss or (lambda x: x.sum() / valid), data)
    np.testing.assert_allclose(run_layer("MakeLoss", data, None, **attrs), expected, atol=1e-8)


def test_make_loss_gives_ones(data):
    np.testing.assert_array_equal(run_layer("make_loss", data, None), np.ones((N, C)))


def test_a_label_asked_for_its_gradient_gets_zero(data):
    op = create("LinearRegressionOutput", {})
    run = Run(op, {"data": data, "label": data + 1})
    grads = {"data": np.full((N, C), 7.0), "label": np.full((N, C), 7.0)}
    needs = {"label": data + 1, "output": data}
    for function, arguments in op.lower_backward(run.ctx, [], needs, grads) or []:
        function(*arguments)
    np.testing.assert_allclose(grads["data"], np.full((N, C), -1 / C))
    np.testing.assert_array_equal(grads["label"], np.zeros((N, C)))
