"""Streams of random numbers, one per device."""

import numpy as np
import pytest

import symgraph as mx
from symgraph import nd
from symgraph.errors import MXNetError
from symgraph.random import generator


def draw(ctx=None, n=5):
    return nd.random.uniform(shape=n, ctx=ctx).asnumpy()


def test_equal_seeds_give_equal_numbers():
    mx.random.seed(7)
    first = draw()
    assert not np.array_equal(draw(), first)
    mx.random.seed(7)
    np.testing.assert_array_equal(draw(), first)
    mx.random.seed(8)
    assert not np.array_equal(draw(), first)
    mx.random.seed(-1)
    mx.random.seed(2**80)


def test_devices_have_independent_streams():
    mx.random.seed(7)
    zero, one = draw(mx.cpu(0)), draw(mx.cpu(1))
    assert not np.array_equal(zero, one)
    mx.random.seed(7)
    draw(mx.cpu(0), 1000)  # what one device draws does not depend on another
    np.testing.assert_array_equal(draw(mx.cpu(1)), one)


def test_one_device_can_be_seeded_alone():
    mx.random.seed(7)
    zero = draw(mx.cpu(0))
    mx.random.seed(7)
    mx.random.seed(3, ctx=mx.cpu(1))
    np.testing.assert_array_equal(draw(mx.cpu(0)), zero)
    mx.random.seed(3, ctx=mx.cpu(2))
    mx.random.seed(3, ctx=mx.cpu(1))
    np.testing.assert_array_equal(draw(mx.cpu(1)), draw(mx.cpu(2)))


def test_distributions():
    mx.random.seed(0)
    u = nd.random.uniform(-2, 4, shape=20000).asnumpy()
    assert u.dtype == np.float32
    assert -2 <= u.min() < -1.99
    assert 3.99 < u.max() <= 4
    assert u.mean() == pytest.approx(1, abs=0.05)
    n = nd.random.normal(3, 2, shape=(200, 100), dtype="float64").asnumpy()
    assert n.dtype == np.float64
    assert (n.mean(), n.std()) == (pytest.approx(3, abs=0.05), pytest.approx(2, abs=0.05))
    i = nd.random.randint(-1, 3, shape=1000).asnumpy()
    assert i.dtype == np.int32
    assert set(i.tolist()) == {-1, 0, 1, 2}
    assert nd.random.uniform(shape=3, dtype="float16").dtype is np.float16


def test_parameters_may_be_arrays():
    found = nd.random.uniform(nd.array([0, 10]), nd.array([1, 11]), shape=(3, 4))
    assert found.shape == (2, 3, 4)
    assert found.asnumpy()[1].min() >= 10
    assert nd.random.normal(nd.array([0, 100]), nd.array([1, 1])).shape == (2,)
    with pytest.raises(TypeError, match="either all"):
        nd.random.uniform(nd.array([0]), 1)


def test_shuffle_keeps_the_rows():
    mx.random.seed(1)
    a = nd.array(np.arange(40).reshape(20, 2))
    found = nd.random.shuffle(a).asnumpy()
    assert not np.array_equal(found, a.asnumpy())
    np.testing.assert_array_equal(found[np.argsort(found[:, 0])], a.asnumpy())


def test_names_in_both_places():
    assert mx.random.uniform is nd.random.uniform
    assert nd.random.seed is mx.random.seed


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda: mx.random.seed("a"), "integer"),
        (lambda: mx.random.seed(1, ctx="cpu"), "Context"),
        (lambda: nd.random.randint(5, 5), r"\[5, 5\)"),
        (lambda: nd.random.randint(0, 5, dtype="float32"), "int32 or int64"),
        (lambda: nd.random.normal(0, -1), "scale is -1"),
        (lambda: nd.random.uniform(dtype="int32"), "floating point"),
        (lambda: nd.random.uniform(shape=2, out=nd.zeros(3)), r"\(3,\), but \(2,\)"),
    ],
)
def test_errors(f, words):
    with pytest.raises(MXNetError, match=words):
        f()


def test_on_a_device(strict_device):
    from strict.device import no_syncs

    from symgraph import random

    random._streams.pop(mx.gpu(0), None)
    mx.random.seed(3)
    with no_syncs():
        a = nd.random.normal(shape=(2, 3), ctx=mx.gpu(0))
        nd.random.shuffle(a)
        assert generator(mx.gpu(0)) is generator(mx.gpu(0))
    assert a.context == mx.gpu(0)
    random._streams.pop(mx.gpu(0), None)
