"""What every store within one process does, whatever its type."""

import numpy as np
import pytest

import symgraph as mx
from symgraph.kvstore import KVStore, KVStoreBase

TYPES = sorted(name for name in KVStoreBase.kv_registry if not name.startswith(("dist", "p3")))
KEEPING = [name for name in TYPES if isinstance(mx.kv.create(name), KVStore)]

every_store = pytest.mark.parametrize("kv", TYPES, indirect=True)
keeping_store = pytest.mark.parametrize("kv", KEEPING, indirect=True)


@pytest.fixture
def kv(request):
    return mx.kv.create(request.param)


def full(value, shape=(2, 3), ctx=None):
    return mx.nd.ones(shape, ctx=ctx) * value


def pulled(kv, key, shape=(2, 3)):
    out = mx.nd.zeros(shape)
    kv.pull(key, out=out)
    return out.asnumpy()


def test_there_are_stores():
    assert {"local", "device", "nccl", "teststore"} <= set(TYPES)


@every_store
def test_facts(kv, request):
    assert kv.type == request.node.callspec.params["kv"]
    assert (kv.rank, kv.num_workers) == (0, 1)
    assert kv.is_capable("optimizer") is isinstance(kv, KVStore)


@every_store
def test_broadcast(kv):
    value, outs = full(2), [full(0), full(0, ctx=mx.cpu(1))]
    kv.broadcast("w", value, out=outs)
    value[:] = 7
    assert [out.asnumpy().tolist() for out in outs] == [np.full((2, 3), 2).tolist()] * 2


@every_store
def test_pushpull(kv):
    kv.broadcast(["a", "b"], [full(0), full(0, (4,))], out=[full(1), full(1, (4,))])
    outs = [[full(0), full(0)], full(0, (4,))]
    kv.pushpull(["a", "b"], [[full(1), full(2)], full(5, (4,))], out=outs)
    assert outs[0][0].asnumpy().tolist() == outs[0][1].asnumpy().tolist() == [[3] * 3] * 2
    assert outs[1].asnumpy().tolist() == [5] * 4


@every_store
def test_pushpull_without_out_answers_in_the_values(kv):
    values = [full(1), full(2)]
    kv.broadcast(4, full(0), out=full(0))
    kv.pushpull(4, values)
    assert [value.asnumpy()[0, 0] for value in values] == [3, 3]


@keeping_store
def test_init_push_pull(kv):
    kv.init(3, full(2))
    assert (pulled(kv, 3) == 2).all()
    kv.push(3, full(8))
    assert (pulled(kv, 3) == 8).all()
    kv.push(3, [full(1, ctx=mx.cpu(i)) for i in range(4)])
    assert (pulled(kv, 3) == 4).all()


@keeping_store
def test_init_again_replaces(kv):
    kv.init("w", full(2))
    kv.init("w", full(3, (4,)))
    assert (pulled(kv, "w", (4,)) == 3).all()


@keeping_store
def test_lists_of_keys(kv):
    kv.init([5, 7], [full(1), full(2, (4,))])
    kv.push([7, 5, 7], [full(1, (4,)), [full(3), full(4)], full(2, (4,))])
    outs = [full(0, (4,)), [full(0), full(0)]]
    kv.pull([7, 5], out=outs)
    assert outs[0].asnumpy().tolist() == [3] * 4
    assert outs[1][1].asnumpy().tolist() == [[7] * 3] * 2


@keeping_store
def test_updater(kv):
    seen = []

    def add_twice(key, came, stored):
        seen.append(key)
        stored[:] += came * 2

    kv.init(["a", "b"], [full(1), full(1)])
    kv.set_updater(add_twice)
    kv.push(["a", "b"], [full(1), [full(1), full(2)]])
    assert seen == ["a", "b"]
    assert (pulled(kv, "a") == 3).all()
    assert (pulled(kv, "b") == 7).all()
    kv.set_updater(None)
    kv.push("a", full(9))
    assert (pulled(kv, "a") == 9).all()


@keeping_store
def test_optimizer_follows_its_learning_rate(kv):
    kv.init("w", full(1))
    optimizer = mx.optimizer.SGD(learning_rate=0.5)
    kv.set_optimizer(optimizer)
    kv.push("w", [full(1), full(1)])
    assert (pulled(kv, "w") == 0).all()
    optimizer.set_learning_rate(0.25)
    kv.push("w", full(4))
    assert (pulled(kv, "w") == -1).all()


@keeping_store
def test_row_sparse_pull(kv):
    table = np.arange(12, dtype="float32").reshape(6, 2)
    kv.init("e", mx.nd.array(table).tostype("row_sparse"))
    sparse, dense = mx.nd.sparse.zeros("row_sparse", (6, 2)), mx.nd.ones((6, 2))
    ids = mx.nd.array([[5, 2], [2, 5]], dtype="int64")
    kv.row_sparse_pull("e", out=[sparse, dense], row_ids=ids)
    assert sparse.indices.asnumpy().tolist() == [2, 5]
    want = np.where(np.isin(np.arange(6), [2, 5])[:, None], table, 0)
    np.testing.assert_array_equal(sparse.asnumpy(), want)
    np.testing.assert_array_equal(dense.asnumpy(), want)


@keeping_store
def test_unknown_key(kv):
    kv.init(["fc_weight", "fc_bias"], [full(1), full(1)])
    for call in (
        lambda: kv.pull("fc_wieght", out=full(0)),
        lambda: kv.push("fc_wieght", full(1)),
        lambda: kv.row_sparse_pull("fc_wieght", out=full(0), row_ids=mx.nd.array([0])),
    ):
        with pytest.raises(mx.MXNetError, match=r"'fc_wieght' was never.*'fc_weight'"):
            call()


@keeping_store
def test_barrier_returns(kv):
    assert kv.barrier() is None
    assert kv.get_type() == kv.type
