"""Stores over a device that, like CuPy, mixes with host arrays only where it is told to."""

import numpy as np
import pytest
from strict.device import DeviceArray, no_syncs

import symgraph as mx

GPU = mx.gpu(0)


@pytest.fixture(params=["local", "device"])
def kv(request, strict_device):
    return mx.kv.create(request.param)


def rows(data, indices, shape, ctx=GPU):
    return mx.nd.sparse.row_sparse_array((np.array(data, "float32"), indices), shape=shape, ctx=ctx)


def test_where_values_live(kv):
    kv.init("w", mx.nd.ones((2, 3), ctx=GPU))
    home = kv._values["w"].context
    assert home == (mx.cpu(0) if kv.type == "local" else GPU)
    assert isinstance(kv._values["w"].value, np.ndarray if kv.type == "local" else DeviceArray)


def test_push_and_pull_over_devices(kv):
    kv.init("w", mx.nd.ones((2, 3), ctx=GPU))
    kv.push("w", [mx.nd.ones((2, 3), ctx=GPU), mx.nd.ones((2, 3)) * 3])
    outs = [mx.nd.zeros((2, 3), ctx=GPU), mx.nd.zeros((2, 3), ctx=mx.cpu(1))]
    kv.pull("w", out=outs)
    for out in outs:
        np.testing.assert_array_equal(out.asnumpy(), np.full((2, 3), 4))


def test_row_sparse_over_devices(kv):
    kv.init("e", mx.nd.ones((5, 2)).tostype("row_sparse").as_in_context(GPU))
    kv.push("e", [rows([[1, 2], [3, 4]], [1, 4], (5, 2)), rows([[5, 6]], [4], (5, 2), mx.cpu())])
    out = mx.nd.sparse.zeros("row_sparse", (5, 2), ctx=GPU)
    kv.row_sparse_pull("e", out=out, row_ids=mx.nd.array([4, 0, 4], ctx=GPU, dtype="int64"))
    assert out.indices.asnumpy().tolist() == [0, 4]
    np.testing.assert_array_equal(out.asnumpy()[[0, 4]], [[0, 0], [8, 10]])
    with pytest.raises(mx.MXNetError, match="row 5 of key 'e'"):
        kv.row_sparse_pull("e", out=out, row_ids=mx.nd.array([5], ctx=GPU, dtype="int64"))


@pytest.mark.parametrize(
    "name, options",
    [
        ("sgd", {"momentum": 0.9, "wd": 0.1}),
        ("adam", {"lazy_update": True}),
        ("adagrad", {}),
        ("ftrl", {"lr_scheduler": None}),
        ("rmsprop", {"centered": True}),
        ("nag", {"momentum": 0.9}),
        ("adadelta", {}),
        ("adamax", {}),
        ("nadam", {}),
        ("signum", {}),
        ("test", {}),
    ],
)
@pytest.mark.filterwarnings("ignore::symgraph.optimizer.LazyUpdateWarning")
def test_optimizers_do_as_on_the_cpu(strict_device, name, options):
    found = []
    for ctx in (mx.cpu(), GPU):
        kv = mx.kv.create("device")
        kv.init(["w", "e"], [mx.nd.ones((5, 2), ctx=ctx), mx.nd.ones((5, 2), ctx=ctx)])
        kv.init("s", mx.nd.ones((5, 2)).tostype("row_sparse").as_in_context(ctx))
        kv.set_optimizer(mx.optimizer.create(name, learning_rate=0.1, **options))
        for t in range(3):
            kv.push("w", mx.nd.array(np.arange(10).reshape(5, 2) - t, ctx=ctx))
            for key in ("e", "s"):
                kv.push(key, rows([[1, -2], [t, 4]], [1, 4], (5, 2), ctx))
        outs = [mx.nd.zeros((5, 2), ctx=ctx) for _ in range(3)]
        kv.pull(["w", "e", "s"], out=outs)
        found.append([out.asnumpy() for out in outs])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_a_training_push_does_not_wait(strict_device):
    kv = mx.kv.create("device")
    kv.init(["w", "e"], [mx.nd.ones((4, 2), ctx=GPU), mx.nd.ones((5, 2), ctx=GPU)])
    kv.set_optimizer(mx.optimizer.Adam(lazy_update=True))
    grads = [mx.nd.ones((4, 2), ctx=GPU), rows([[1, 2]], [3], (5, 2))]
    outs = [kv._lend(key, GPU) for key in ("w", "e")]
    with no_syncs():
        kv.push(["w", "e"], grads)
        kv.pull(["w", "e"], out=outs)
    assert outs[1].asnumpy()[3, 0] < 1 == outs[1].asnumpy()[2, 0]


def test_compression_on_a_device(strict_device):
    kv = mx.kv.create("device")
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.init("g", mx.nd.zeros((3,), ctx=GPU))
    out = mx.nd.zeros((3,), ctx=GPU)
    for want in ([0, 0, 0.5], [0.5, -0.5, 0.5]):
        kv.push("g", mx.nd.array([0.3, -0.3, 0.7], ctx=GPU))
        kv.pull("g", out=out)
        np.testing.assert_array_equal(out.asnumpy(), np.array(want, "float32"))
