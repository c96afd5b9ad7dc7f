"""Gradient compression with error feedback."""

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import KVStoreError, StorageError


def pushed(kv, values):
    kv.push("g", values)
    out = mx.nd.zeros((4,))
    kv.pull("g", out=out)
    return out.asnumpy().tolist()


@pytest.fixture
def kv():
    store = mx.kv.create("device")
    store.init("g", mx.nd.zeros((4,)))
    return store


def test_two_bits_keep_the_rest_for_each_sender(kv):
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    one, other = mx.nd.array([0.3, -0.3, 0.7, 0]), mx.nd.array([0.5, -0.5, 0, 0])
    assert pushed(kv, [one, other]) == [0.5, -0.5, 0.5, 0]
    assert pushed(kv, [one, other]) == [1, -1, 0.5, 0]
    assert one.asnumpy().tolist() == np.array([0.3, -0.3, 0.7, 0], "float32").tolist()


def test_one_bit(kv):
    kv.set_gradient_compression({"type": "1bit"})
    grad = mx.nd.array([0.25, -0.25, 3, 0])
    assert pushed(kv, grad) == [1, -1, 1, -1]  # the rest is -0.75, 0.75, 2, 1
    assert pushed(kv, grad) == [-1, 1, 1, 1]


def test_what_is_sent_adds_up_to_what_was_meant(kv):
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.1})
    grads = np.random.default_rng(3).normal(0, 0.05, (50, 4)).astype("float32")
    sent = sum(np.array(pushed(kv, mx.nd.array(grad))) for grad in grads)
    assert (abs(sent - grads.sum(0)) <= 0.1 + 1e-5).all()


def test_init_again_drops_the_rest(kv):
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    grad = mx.nd.array([0.3, 0, 0, 0])
    pushed(kv, grad)
    kv.init("g", mx.nd.zeros((4,)))
    assert pushed(kv, grad) == [0, 0, 0, 0]


def test_sparse_values_and_integers_are_refused(kv):
    kv.set_gradient_compression({"type": "2bit"})
    for value in (mx.nd.ones((4,)).tostype("row_sparse"), mx.nd.ones((4,), dtype="int32")):
        with pytest.raises(StorageError, match=r"row_sparse|int32"):
            kv.push("g", value)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"type": "3bit"}, "3bit"),
        ({"type": "2bit", "threshold": -1}, "-1"),
        ({"type": "2bit", "treshold": 1}, "treshold"),
        ({"nothing": 1}, "nothing"),
        ("x", "'x'"),
    ],
)
def test_illegal_parameters(kv, params, message):
    with pytest.raises(KVStoreError, match=message):
        kv.set_gradient_compression(params)
