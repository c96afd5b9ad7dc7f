"""Executor: what is computed, where it goes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import MXNetError, ShapeError

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], "float32")


def dense_layer():
    return mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=4, name="fc")


def filled(executor, seed=0):
    """Fill every argument with the same random numbers and return them."""
    rng = np.random.RandomState(seed)
    values = {n: rng.randn(*a.shape).astype("float32") for n, a in executor.arg_dict.items()}
    for name, value in values.items():
        executor.arg_dict[name][:] = value
    return values


def test_forward_and_backward_of_a_small_net() -> None:
    hidden = mx.sym.Activation(dense_layer(), act_type="tanh")
    net = mx.sym.FullyConnected(hidden, num_hidden=1, name="out")
    executor = net.simple_bind(mx.cpu(), x=(5, 3))
    v = filled(executor)
    h = np.tanh(v["x"] @ v["fc_weight"].T + v["fc_bias"])
    (out,) = executor.forward(is_train=True)
    np.testing.assert_allclose(
        out.asnumpy(), h @ v["out_weight"].T + v["out_bias"], rtol=1e-5, atol=1e-6
    )
    head = np.arange(5, dtype="float32")[:, None]
    executor.backward(mx.nd.array(head))
    dz = head @ v["out_weight"] * (1 - h * h)
    grads = {k: g.asnumpy() for k, g in executor.grad_dict.items()}
    np.testing.assert_allclose(grads["fc_weight"], dz.T @ v["x"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(grads["fc_bias"], dz.sum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(grads["x"], dz @ v["fc_weight"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(grads["out_weight"], head.T @ h, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("req", ["write", "add", "null"])
def test_grad_req_of_each_argument(req: str) -> None:
    x, y = mx.sym.Variable("x"), mx.sym.Variable("y")
    executor = (x * y).simple_bind(mx.cpu(), grad_req={"x": req, "y": "write"}, x=(2, 3), y=(2, 3))
    executor.arg_dict["x"][:] = X
    executor.arg_dict["y"][:] = 3
    if req != "null":
        executor.grad_dict["x"][:] = 10
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((2, 3)))
    expected = {"write": 3.0, "add": 16.0}
    if req == "null":
        assert executor.grad_dict["x"] is None
    else:
        assert (executor.grad_dict["x"].asnumpy() == expected[req]).all()
    np.testing.assert_array_equal(executor.grad_dict["y"].asnumpy(), X)


def test_a_variable_used_many_times_gets_the_sum() -> None:
    x = mx.sym.Variable("x")
    net = x * x + x * 2 + mx.sym.exp(x)
    executor = net.simple_bind(mx.cpu(), x=X.shape)
    executor.arg_dict["x"][:] = X
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones(X.shape))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), 2 * X + 2 + np.exp(X), rtol=1e-6)


def test_unused_outputs_have_gradient_zero() -> None:
    pieces = mx.sym.SliceChannel(mx.sym.Variable("x"), num_outputs=3, axis=1)
    executor = mx.sym.square(pieces[1]).simple_bind(mx.cpu(), x=X.shape)
    executor.arg_dict["x"][:] = X
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 1)))
    expected = np.zeros_like(X)
    expected[:, 1] = 2 * X[:, 1]
    np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), expected)


def test_an_argument_without_a_path_to_a_loss_gets_zeros() -> None:
    x, y = mx.sym.Variable("x"), mx.sym.Variable("y")
    net = x + mx.sym.BlockGrad(y)
    executor = net.simple_bind(mx.cpu(), x=(2,), y=(2,))
    executor.grad_dict["y"][:] = 7
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2,)))
    assert executor.grad_dict["y"].asnumpy().tolist() == [0, 0]
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 1]


def test_outputs_do_not_share_memory_with_arguments() -> None:
    x = mx.sym.Variable("x")
    executor = mx.sym.Group([x, mx.sym.Flatten(x), mx.sym.Reshape(x, shape=(-1,))]).simple_bind(
        mx.cpu(), grad_req="null", x=X.shape
    )
    executor.arg_dict["x"][:] = X
    outputs = executor.forward()
    for out in outputs:
        out[:] = 99
    np.testing.assert_array_equal(executor.arg_dict["x"].asnumpy(), X)
    assert [o.shape for o in executor.forward()] == [(2, 3), (2, 3), (6,)]


def test_a_gradient_through_reshapes_is_exact() -> None:
    x = mx.sym.Variable("x")
    net = mx.sym.Reshape(mx.sym.square(mx.sym.Reshape(x, shape=(3, 2))), shape=(6,))
    executor = net.simple_bind(mx.cpu(), x=X.shape)
    executor.arg_dict["x"][:] = X
    executor.forward(is_train=True)
    executor.backward(mx.nd.array(np.arange(6)))
    expected = 2 * X * np.arange(6).reshape(2, 3)
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), expected)


def test_head_gradients_by_position_and_by_name() -> None:
    x = mx.sym.Variable("x")
    net = mx.sym.Group([mx.sym.exp(x, name="e"), mx.sym.square(x, name="s")])
    executor = net.simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = [1, 2]
    one, two = mx.nd.array([1, 1]), mx.nd.array([10, 100])
    seen = []
    for heads in ([one, two], {"e_output": one, "s_output": two}):
        executor.forward(is_train=True)
        executor.backward(heads)
        seen.append(executor.grad_dict["x"].asnumpy())
        np.testing.assert_allclose(seen[-1], np.exp([1, 2]) + np.array([20, 400]), rtol=1e-6)


def test_a_head_read_by_another_head() -> None:
    x = mx.sym.Variable("x")
    inner = mx.sym.exp(x)
    executor = mx.sym.Group([inner, inner * 2]).simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = [0, 1]
    first, second = executor.forward(is_train=True)
    np.testing.assert_allclose(second.asnumpy(), 2 * first.asnumpy())
    executor.backward([mx.nd.ones((2,)), mx.nd.ones((2,))])
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), 3 * np.exp([0, 1]), rtol=1e-6)


def test_backward_refuses_what_cannot_work() -> None:
    executor = mx.sym.exp(mx.sym.Variable("x"), name="e").simple_bind(mx.cpu(), x=(2,))
    with pytest.raises(MXNetError, match="forward pass before it"):
        executor.backward(mx.nd.ones((2,)))
    executor.forward(is_train=True)
    with pytest.raises(MXNetError, match="head gradient for output e_output"):
        executor.backward()
    with pytest.raises(ShapeError, match=r"e_output has shape \(3,\), but \(2,\) is required"):
        executor.backward(mx.nd.ones((3,)))


def test_forward_takes_arrays_by_name_or_refuses() -> None:
    executor = mx.sym.exp(mx.sym.Variable("x")).simple_bind(mx.cpu(), x=(2,))
    np.testing.assert_allclose(executor.forward(x=np.array([0, 1]))[0].asnumpy(), np.exp([0, 1]))
    with pytest.raises(TypeError, match="no argument is called 'q'"):
        executor.forward(q=mx.nd.ones((2,)))
    with pytest.raises(ShapeError, match=r"x has shape \(3,\), but \(2,\) is bound"):
        executor.forward(x=mx.nd.ones((3,)))


def test_bind_uses_the_users_arrays() -> None:
    weight, grad = mx.nd.ones((4, 3)), mx.nd.ones((4, 3)) * 5
    args = {"x": mx.nd.array(X), "fc_weight": weight, "fc_bias": mx.nd.zeros((4,))}
    executor = dense_layer().bind(mx.cpu(), args, args_grad={"fc_weight": grad}, grad_req="add")
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 4)))
    np.testing.assert_allclose(grad.asnumpy(), 5 + np.tile(X.sum(0), (4, 1)), rtol=1e-6)
    weight[:] = 2
    np.testing.assert_allclose(
        executor.forward()[0].asnumpy(), np.tile(2 * X.sum(1)[:, None], (1, 4)), rtol=1e-6
    )
    assert executor.grad_dict["x"] is None


def test_bind_names_what_is_missing_or_wrong() -> None:
    net = dense_layer()
    with pytest.raises(ValueError, match="no array for fc_bias"):
        net.bind(mx.cpu(), {"x": mx.nd.ones((2, 3)), "fc_weight": mx.nd.ones((4, 3))})
    wrong = [mx.nd.ones((2, 3)), mx.nd.ones((4, 5)), mx.nd.ones((4,))]
    with pytest.raises(ShapeError, match=r"fc\(FullyConnected\): weight has shape \(4, 5\)"):
        net.bind(mx.cpu(), wrong)
    with pytest.raises(MXNetError, match="cannot infer the shape of"):
        net.simple_bind(mx.cpu())
    with pytest.raises(MXNetError, match=r"'X'.*did you mean 'x'"):
        net.simple_bind(mx.cpu(), x=(2, 3), X=(3, 3))
    with pytest.raises(MXNetError, match="grad_req of x is 'wirte'"):
        net.simple_bind(mx.cpu(), grad_req="wirte", x=(2, 3))


def test_two_variables_of_one_name_are_refused() -> None:
    net = mx.sym.Variable("x") + mx.sym.Variable("x")
    with pytest.raises(MXNetError, match="two different variables are called 'x'"):
        net.simple_bind(mx.cpu(), x=(2,))


def test_reshape_shares_parameters() -> None:
    executor = dense_layer().simple_bind(mx.cpu(), x=(4, 3))
    values = filled(executor)
    small = executor.reshape(x=(2, 3))
    small.arg_dict["x"][:] = X
    np.testing.assert_allclose(
        small.forward()[0].asnumpy(), X @ values["fc_weight"].T + values["fc_bias"], rtol=1e-5
    )
    executor.arg_dict["fc_weight"][:] = 0
    assert (small.arg_dict["fc_weight"].asnumpy() == 0).all()
    with pytest.raises(ShapeError, match="would change fc_weight"):
        executor.reshape(x=(4, 7))


def test_copy_params_from_copies_all_or_nothing() -> None:
    executor = dense_layer().simple_bind(mx.cpu(), x=(2, 3))
    good = {"fc_weight": mx.nd.ones((4, 3))}
    with pytest.raises(ValueError, match="'bogus' is not among the arguments"):
        executor.copy_params_from({**good, "bogus": mx.nd.ones((1,))})
    with pytest.raises(ShapeError, match="fc_bias has shape"):
        executor.copy_params_from({**good, "fc_bias": mx.nd.ones((5,))})
    assert (executor.arg_dict["fc_weight"].asnumpy() == 0).all()
    executor.copy_params_from({**good, "bogus": mx.nd.ones((1,))}, allow_extra_params=True)
    assert (executor.arg_dict["fc_weight"].asnumpy() == 1).all()


def test_monitor_sees_every_output_and_with_monitor_all_every_input() -> None:
    net = mx.sym.exp(mx.sym.Variable("x"), name="e") * 2
    executor = net.simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = [0, 1]
    seen: dict[str, np.ndarray] = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    executor.forward()
    assert list(seen) == ["e_output", net.list_outputs()[0]]
    np.testing.assert_allclose(seen["e_output"], np.exp([0, 1]), rtol=1e-6)
    executor.set_monitor_callback(
        lambda name, array: seen.update({name: array.asnumpy()}), monitor_all=True
    )
    executor.forward()
    assert seen["e_data"].tolist() == [0, 1]


def test_batch_norm_updates_its_auxiliary_states_in_training_only() -> None:
    net = mx.sym.BatchNorm(mx.sym.Variable("x"), name="bn", momentum=0.5, fix_gamma=False)
    executor = net.simple_bind(mx.cpu(), x=(8, 3))
    assert list(executor.aux_dict) == ["bn_moving_mean", "bn_moving_var"]
    x = np.random.RandomState(1).randn(8, 3).astype("float32") * 3 + 1
    executor.arg_dict["x"][:] = x
    executor.aux_dict["bn_moving_var"][:] = 1
    executor.forward(is_train=False)
    assert (executor.aux_dict["bn_moving_mean"].asnumpy() == 0).all()
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((8, 3)))
    mean = executor.aux_dict["bn_moving_mean"].asnumpy()
    np.testing.assert_allclose(mean, 0.5 * x.mean(0), rtol=1e-5)


def test_sparse_gradient_of_an_embedding() -> None:
    net = mx.sym.Embedding(
        mx.sym.Variable("i"), input_dim=6, output_dim=2, sparse_grad=True, name="e"
    )
    executor = net.simple_bind(mx.cpu(), grad_req={"e_weight": "write"}, i=(3,))
    executor.arg_dict["i"][:] = [4, 1, 4]
    executor.forward(is_train=True)
    executor.backward(mx.nd.array([[1, 2], [3, 4], [5, 6]]))
    grad = executor.grad_dict["e_weight"]
    assert grad.stype == "row_sparse"
    assert grad.indices.asnumpy().tolist() == [1, 4]
    assert grad.data.asnumpy().tolist() == [[3, 4], [6, 8]]


def test_sparse_gradients_add_up() -> None:
    ids, weight = mx.sym.Variable("i"), mx.sym.Variable("w")
    parts = [
        mx.sym.Embedding(ids + shift, weight, input_dim=6, output_dim=1, sparse_grad=True)
        for shift in (0, 1)
    ]
    net = parts[0] + parts[1]
    executor = net.simple_bind(mx.cpu(), grad_req={"w": "add"}, i=(2,))
    executor.arg_dict["i"][:] = [0, 3]
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((2, 1)))
    grad = executor.grad_dict["w"]
    assert grad.stype == "row_sparse"
    assert grad.indices.asnumpy().tolist() == [0, 1, 3, 4]
    assert (grad.data.asnumpy() == 2).all()


def random_net(rng: np.random.RandomState, a: np.ndarray, b: np.ndarray):
    """Symbols of 40 operators over x and y, and NumPy's values of each."""
    pool, values = [mx.sym.Variable("x"), mx.sym.Variable("y")], [a, b]
    rules = [
        (lambda p, q: p + q, lambda p, q: p + q),
        (lambda p, _: mx.sym.tanh(p), lambda p, _: np.tanh(p)),
        (lambda p, _: p * 0.5, lambda p, _: p * np.float32(0.5)),
        (mx.sym.broadcast_maximum, np.maximum),
    ]
    for _ in range(40):
        i, j = rng.randint(len(pool), size=2)
        ours, numpys = rules[rng.randint(len(rules))]
        pool.append(ours(pool[i], pool[j]))
        values.append(numpys(values[i], values[j]))
    return pool, values


@pytest.mark.parametrize("seed", range(12))
def test_results_do_not_depend_on_memory_reuse(seed: int) -> None:
    """A random graph, bound, computes what NumPy computes operator by operator."""
    rng = np.random.RandomState(seed)
    a, b = rng.randn(2, 3, 4).astype("float32")
    pool, values = random_net(rng, a, b)
    picks = [0, 1, *rng.choice(np.arange(2, len(pool)), 3, replace=False)]
    net = mx.sym.Group([pool[p] for p in picks])
    executor = net.simple_bind(mx.cpu(), grad_req="null", x=(3, 4), y=(3, 4))
    for out, pick in zip(executor.forward(x=a, y=b), picks, strict=True):
        np.testing.assert_allclose(out.asnumpy(), values[pick], rtol=1e-5, atol=1e-6)


def test_float16_and_float64_stay_what_they_are() -> None:
    for dtype in ("float16", "float64"):
        executor = dense_layer().simple_bind(mx.cpu(), type_dict={"x": dtype}, x=(2, 3))
        assert {a.dtype for a in executor.arg_arrays} == {np.dtype(dtype).type}
        assert executor.forward()[0].dtype == np.dtype(dtype).type


def test_ten_thousand_nodes_bind_and_run() -> None:
    net = mx.sym.Variable("x")
    for _ in range(10_000):
        net = net + 1
    executor = net.simple_bind(mx.cpu(), x=(2,))
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [10_000, 10_000]
    executor.backward(mx.nd.ones((2,)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 1]


def test_a_head_gradient_that_nothing_reads_need_not_be_given() -> None:
    x, y = mx.sym.Variable("x"), mx.sym.Variable("y")
    net = mx.sym.Group([mx.sym.MakeLoss(x * 2), mx.sym.BlockGrad(y), x > y])
    executor = net.simple_bind(mx.cpu(), x=(2,), y=(2,))
    executor.forward(is_train=True)
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [2, 2]
    assert executor.grad_dict["y"].asnumpy().tolist() == [0, 0]


def test_infinity_and_nan_pass_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    x = mx.sym.Variable("x")
    executor = mx.sym.Group([mx.sym.log(x), 1 / x, mx.sym.sigmoid(x * 1e4)]).simple_bind(
        mx.cpu(), x=(3,)
    )
    logs, inverses, steps = executor.forward(is_train=True, x=np.array([-1, 0, 1]))
    executor.backward([mx.nd.ones((3,))] * 3)
    np.testing.assert_array_equal(logs.asnumpy(), [np.nan, -np.inf, 0])
    np.testing.assert_array_equal(inverses.asnumpy(), [-1, np.inf, 1])
    np.testing.assert_array_equal(steps.asnumpy(), [0, 0.5, 1])
    assert mx.nd.log(mx.nd.zeros((1,))).asnumpy() == -np.inf
    assert not recwarn.list


def test_an_array_for_a_gradient_nobody_asked_for_is_kept_and_not_touched() -> None:
    args = {"x": mx.nd.ones((2,)), "y": mx.nd.ones((2,))}
    spare = mx.nd.ones((2,)) * 9
    executor = (mx.sym.Variable("x") * mx.sym.Variable("y")).bind(
        mx.cpu(), args, args_grad={"x": spare, "y": mx.nd.zeros((2,))}, grad_req={"y": "write"}
    )
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2,)))
    assert executor.grad_dict["x"] is spare
    assert spare.asnumpy().tolist() == [9, 9]
    assert executor.grad_dict["y"].asnumpy().tolist() == [1, 1]
