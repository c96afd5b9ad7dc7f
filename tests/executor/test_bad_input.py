"""Executor: what cannot be bound, fed or watched is named; what looks odd but is legal works."""

from __future__ import annotations

import pytest

import symgraph as mx
from symgraph import nd, sym
from symgraph.errors import MXNetError, ShapeError

X, Y = sym.Variable("x"), sym.Variable("y")
ONES = nd.ones((2,))


@pytest.mark.parametrize(
    "shape, error, text",
    [
        ((2.5, 3), ShapeError, "simple_bind: shape of x: a shape of integers is required"),
        ((-2, 3), ShapeError, r"simple_bind: shape of x: .*negative length"),
        (None, ShapeError, "simple_bind: shape of x: a shape of integers"),
        ("ab", ShapeError, "simple_bind: shape of x: a shape of integers"),
        ((10**13,), MXNetError, r"x of shape \(10000000000000,\) and type float32: "),
        ((2**62,), MXNetError, "x of shape"),
        ((1,) * 70, MXNetError, "x of shape"),
    ],
)
def test_simple_bind_names_the_shape_that_cannot_be(shape, error, text) -> None:
    with pytest.raises(error, match=text):
        sym.relu(X).simple_bind(mx.cpu(), x=shape)


def test_results_that_do_not_fit_in_memory_are_named() -> None:
    wide = sym.broadcast_to(X, shape=(10**7, 10**6), name="wide")
    with pytest.raises(MXNetError, match=r"wide_output of shape \(10000000, 1000000\)"):
        wide.simple_bind(mx.cpu(), grad_req="null", x=(1, 1))
    with pytest.raises(MXNetError, match=r"z_output of shape \(1000000000000,\) and type float32"):
        sym.zeros((10**12,), name="z").bind(mx.cpu(), {})


@pytest.mark.parametrize(
    "arrays, text",
    [
        ({"args": 5}, "args is a int, but a dict or a list of NDArrays"),
        ({"args": ONES}, "args is a NDArray, but a dict or a list"),
        ({"args": [ONES], "args_grad": ONES}, "args_grad is a NDArray, but a dict or a list"),
        ({"args": {"x": [1, 2]}}, "args: x is a list, but an NDArray is required"),
    ],
)
def test_bind_names_what_is_no_array(arrays, text) -> None:
    with pytest.raises(TypeError, match=text):
        sym.relu(X).bind(mx.cpu(), **arrays)


def test_a_device_is_no_name() -> None:
    with pytest.raises(TypeError, match=r"ctx must be a Context such as mx.cpu\(\), not 'cpu'"):
        sym.relu(X).simple_bind("cpu", x=(2,))
    with pytest.raises(TypeError, match="ctx must be a Context"):
        sym.relu(X).bind("cpu", [ONES])


@pytest.mark.parametrize("value", [[1, 2], None, "ab", 3])
def test_forward_refuses_what_is_no_array_and_copies_nothing(value) -> None:
    executor = (X + Y).simple_bind(mx.cpu(), x=(2,), y=(2,))
    with pytest.raises(TypeError, match=r"forward: y is a .*, but an NDArray or array is required"):
        executor.forward(x=ONES, y=value)
    assert executor.arg_dict["x"].asnumpy().tolist() == [0, 0]


def test_a_monitor_is_a_function() -> None:
    executor = sym.relu(X).simple_bind(mx.cpu(), x=(2,))
    with pytest.raises(TypeError, match="a monitor is a function"):
        executor.set_monitor_callback("print")
    executor.forward()


@pytest.mark.parametrize("req, expected", [("write", [[0, 3], [0, 0]]), ("add", [[1, 4], [1, 1]])])
def test_a_dense_gradient_goes_into_a_sparse_array(req, expected) -> None:
    start = nd.ones((2, 2)) if req == "add" else nd.zeros((2, 2))
    grad = start.tostype("row_sparse")
    y = nd.array([[0, 3], [0, 0]])
    args = {"x": nd.ones((2, 2)), "y": y}
    executor = (X * Y).bind(mx.cpu(), args, args_grad={"x": grad}, grad_req=req)
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    assert executor.grad_dict["x"] is grad and grad.stype == "row_sparse"
    assert grad.asnumpy().tolist() == expected


def test_gradient_arrays_may_be_the_arguments_themselves() -> None:
    a, b = nd.array([2.0]), nd.array([3.0])
    executor = (X * Y).bind(mx.cpu(), {"x": a, "y": b}, args_grad={"x": b, "y": a})
    executor.forward(is_train=True)
    executor.backward(nd.ones((1,)))
    assert (a.asscalar(), b.asscalar()) == (2, 3)
