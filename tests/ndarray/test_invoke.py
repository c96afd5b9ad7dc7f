"""Operators as functions and methods of arrays."""

import inspect
import logging

import numpy as np
import pytest

import symgraph as mx
from symgraph import nd
from symgraph.errors import AttributeValueError, DTypeError, MXNetError, ShapeError


def test_signatures_and_documentation_come_from_the_operators():
    signature = inspect.signature(nd.FullyConnected)
    assert list(signature.parameters)[:4] == ["data", "weight", "bias", "num_hidden"]
    assert list(signature.parameters)[-2:] == ["out", "name"]
    assert repr(signature.parameters["num_hidden"].default) == "_Null"
    assert "num_hidden : an integer, required" in nd.FullyConnected.__doc__
    assert (
        next(iter(inspect.signature(nd.Concat).parameters.values())).kind.name == "VAR_POSITIONAL"
    )


def test_inputs_and_attributes_by_position_and_keyword():
    x, w, b = nd.ones((1, 2)), nd.ones((3, 2)), nd.ones(3)
    for found in (
        nd.FullyConnected(x, w, b, 3),
        nd.FullyConnected(x, w, b, num_hidden=3),
        nd.FullyConnected(data=x, weight=w, bias=b, num_hidden=3),
        nd.FullyConnected(x, num_hidden="3", bias=b, weight=w, name="ignored"),
    ):
        assert found.asnumpy().tolist() == [[3, 3, 3]]
    assert nd.FullyConnected(x, w, num_hidden=3, no_bias=True).asnumpy().tolist() == [[2, 2, 2]]
    # An input that the attributes switch off is not read.
    assert nd.FullyConnected(x, w, b, num_hidden=3, no_bias=True).asnumpy()[0, 0] == 2


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: nd.FullyConnected(x, x), AttributeValueError, "num_hidden is missing"),
        (lambda x: nd.FullyConnected(x, num_hidden=3), TypeError, "weight is missing"),
        (lambda x: nd.FullyConnected(x, x, num_hiden=3), MXNetError, "did you mean 'num_hidden'"),
        (lambda x: nd.FullyConnected(x, data=x), TypeError, "data is given by position and"),
        (lambda x: nd.sigmoid(3), TypeError, "data must be an NDArray, but int came"),
        (lambda x: nd.sigmoid(x, x, x, x, x), TypeError, "takes 3 arguments at most"),
        (lambda x: nd.dot(x, x), MXNetError, "dot"),
        (lambda x: nd.elemwise_add(x, x, out=nd.ones(3)), ShapeError, r"out has shape \(3,\)"),
        (
            lambda x: nd.elemwise_add(x, x, out=nd.ones((2, 3), dtype="float64")),
            DTypeError,
            "out has type float64",
        ),
        (lambda x: nd.split(x, num_outputs=3, axis=1, out=x), MXNetError, "out must be 3"),
    ],
)
def test_errors(f, error, words):
    with pytest.raises(error, match=words):
        f(nd.ones((2, 3)))


def test_several_outputs_are_a_list_and_can_be_written_in_place():
    x = nd.array(np.arange(6).reshape(2, 3))
    parts = nd.split(x, num_outputs=3, axis=1)
    assert [p.asnumpy().ravel().tolist() for p in parts] == [[0, 3], [1, 4], [2, 5]]
    outs = [nd.zeros((2, 1)) for _ in range(3)]
    buffers = [o.value for o in outs]
    assert nd.split(x, num_outputs=3, axis=1, out=outs)[1] is outs[1]
    assert all(o.value is b for o, b in zip(outs, buffers, strict=True))
    assert outs[2].asnumpy().ravel().tolist() == [2, 5]


def test_variadic_operators_count_their_inputs():
    found = nd.concat(nd.ones((1, 2)), nd.zeros((1, 2)), nd.ones((1, 2)), dim=0)
    assert found.asnumpy().tolist() == [[1, 1], [0, 0], [1, 1]]


def test_methods_are_operators():
    x = nd.array([[1.0, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(x.sum(axis=1).asnumpy(), [6, 15])
    np.testing.assert_array_equal(x.transpose().asnumpy(), x.asnumpy().T)
    assert x.mean().shape == (1,)
    assert hasattr(x, "sum")
    assert not hasattr(x, "fully_connected")


def test_namespaces():
    assert "FullyConnected" in dir(nd)
    assert "_plus_scalar" in dir(nd._internal)
    assert nd._internal._plus_scalar(nd.ones(2), scalar=2).asnumpy().tolist() == [3, 3]
    assert nd.sparse.dot is nd.sparse.dot
    with pytest.raises(AttributeError, match=r"symgraph\.ndarray\.contrib"):
        _ = nd.contrib.nosuch


def test_auxiliary_states_are_arguments():
    x = nd.array(np.random.default_rng(0).normal(size=(4, 3)))
    stats = [nd.ones(3), nd.zeros(3), nd.zeros(3), nd.ones(3)]
    found = nd.BatchNorm(x, *stats, fix_gamma=False, eps=1e-3)
    # Outside of training the moving statistics are used and stay.
    np.testing.assert_allclose(found.asnumpy(), x.asnumpy() / np.sqrt(1.001), rtol=1e-5)
    assert stats[2].asnumpy().tolist() == [0, 0, 0]


def test_a_fallback_to_dense_is_logged(caplog):
    # Attributes and shape are this test's own, as the choice of a body is remembered.
    c = nd.ones((5, 7)).tostype("csr")
    with caplog.at_level(logging.INFO, "symgraph"):
        found = nd.broadcast_add(c, nd.ones((1, 7)))
    assert found.stype == "default"
    assert "dense copies" in caplog.text
    assert (found.asnumpy() == 2).all()


def test_sparse_results():
    r = nd.sparse.row_sparse_array(([[1.0, 2]], [1]), shape=(3, 2))
    assert (r * 2).stype == "row_sparse"
    assert (r + 2).stype == "default"
    target = nd.sparse.zeros("row_sparse", (3, 2))
    nd.elemwise_add(r, r, out=target)
    assert target.indices.asnumpy().tolist() == [1]
    assert target.asnumpy().tolist() == [[0, 0], [2, 4], [0, 0]]
    dense = nd.zeros((3, 2))
    buffer = dense.value
    nd.elemwise_add(r, r, out=dense)
    assert dense.value is buffer
    assert dense.asnumpy()[1].tolist() == [2, 4]


def test_operators_without_inputs_go_to_their_context():
    assert nd._internal._zeros(shape=(2,), ctx=mx.cpu(1)).context == mx.cpu(1)
    with mx.cpu(2):
        assert nd._internal._zeros(shape=(2,)).context == mx.cpu(2)
