"""Networks and data that several tests of modules use."""

from __future__ import annotations

import numpy as np

import symgraph as mx

TWO = [mx.cpu(0), mx.cpu(1)]


def regression(hidden=1, **kwargs):
    """Linear regression."""
    data = mx.sym.Variable("data")
    layer = mx.sym.FullyConnected(data, num_hidden=hidden, name="fc", **kwargs)
    return mx.sym.LinearRegressionOutput(layer, name="lro")


def classifier():
    """A perceptron with batch normalisation."""
    data = mx.sym.Variable("data")
    hidden = mx.sym.FullyConnected(data, num_hidden=7, name="fc1")
    hidden = mx.sym.Activation(
        mx.sym.BatchNorm(hidden, fix_gamma=False, name="bn"), act_type="tanh"
    )
    return mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(hidden, num_hidden=3, name="fc2"), name="softmax"
    )


def factorization(users=11, items=7, k=3, **kwargs):
    """Matrix factorization of ratings."""
    user, item = mx.sym.Variable("user"), mx.sym.Variable("item")
    one = mx.sym.Embedding(
        user, input_dim=users, output_dim=k, sparse_grad=True, name="ue", **kwargs
    )
    other = mx.sym.Embedding(
        item, input_dim=items, output_dim=k, sparse_grad=True, name="ie", **kwargs
    )
    pred = mx.sym.sum(one * other, axis=1, keepdims=True)
    return mx.sym.LinearRegressionOutput(pred, mx.sym.Variable("score"), name="lro")


def linear(sparse=True, features=6):
    """Linear regression of sparse rows, with a row_sparse weight."""
    data = mx.sym.Variable("data", stype="csr" if sparse else None)
    weight = mx.sym.Variable("w", shape=(features, 1), stype="row_sparse" if sparse else None)
    pred = mx.sym.broadcast_add(mx.sym.dot(data, weight), mx.sym.Variable("b", shape=(1,)))
    return mx.sym.LinearRegressionOutput(pred, mx.sym.Variable("lab"), name="lro")


def batch(data, label=None, **kwargs):
    """A batch of NumPy arrays, or of lists of them."""
    data = data if isinstance(data, list) else [data]
    label = label if isinstance(label, list | None) else [label]
    return mx.io.DataBatch(
        [mx.nd.array(a) for a in data], label and [mx.nd.array(a) for a in label], **kwargs
    )


def values(module):
    """All parameters as NumPy arrays."""
    args, aux = module.get_params()
    return {name: array.asnumpy() for name, array in {**args, **aux}.items()}


def regressor(rows=4, columns=3, net=None, context=None, **optimizer):
    """A bound and initialised linear regression with weights of one."""
    net = regression() if net is None else net
    module = mx.mod.Module(net, label_names=["lro_label"], context=context)
    module.bind([("data", (rows, columns))], [("lro_label", (rows, 1))])
    module.init_params(mx.init.One())
    if optimizer:
        module.init_optimizer(**optimizer)
    return module


def step(module, data, label):
    """One step on a batch."""
    module.forward_backward(batch(data, label))
    module.update()


def assert_same(one, other, **tolerance):
    """Two dicts of arrays are equal, or close."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        if tolerance:
            np.testing.assert_allclose(array, other[name], err_msg=name, **tolerance)
        else:
            np.testing.assert_array_equal(array, other[name], err_msg=name)
