"""Matrix factorization at scale: 1M users, 100k items, k=64, batch 8192, Zipf ids, SGD."""

from __future__ import annotations

import numpy as np
from harness import main, measure

USERS, ITEMS, K, BATCH, RATE = 1_000_000, 100_000, 64, 8192, 0.01
WARMUP, COUNT, BATCHES = 5, 30, 40


def batches(kind):
    """The same batches for everybody: ids follow Zipf's law with exponent 1.1, shuffled."""
    rng = np.random.RandomState(0)

    def ids(n):
        weights = 1.0 / np.arange(1, n + 1) ** 1.1
        ranks = np.searchsorted(np.cumsum(weights) / weights.sum(), rng.rand(BATCHES * BATCH))
        return rng.permutation(n)[np.minimum(ranks, n - 1)].reshape(BATCHES, BATCH).astype(kind)

    return ids(USERS), ids(ITEMS), rng.rand(BATCHES, BATCH).astype("float32") * 5


def module_steps(mx, module_class, **extra):
    """One step through a module and its local KVStore; ``mx`` is symgraph or MXNet."""
    user, item = mx.sym.Variable("user"), mx.sym.Variable("item")

    def embed(ids, n, name):
        return mx.sym.Embedding(ids, input_dim=n, output_dim=K, sparse_grad=True, name=name)

    product = embed(user, USERS, "u") * embed(item, ITEMS, "i")
    pred = mx.sym.sum_axis(product, axis=1)
    net = mx.sym.LinearRegressionOutput(pred, mx.sym.Variable("score"), name="lro")
    module = module_class(net, data_names=["user", "item"], label_names=["score"], **extra)
    module.bind([("user", (BATCH,)), ("item", (BATCH,))], [("score", (BATCH,))])
    module.init_params(mx.init.Normal(0.1))
    params = {"learning_rate": RATE, "lazy_update": True}
    # An object, for MXNet leaves a store that is only named out where there is one device.
    module.init_optimizer(mx.kv.create("local"), optimizer="sgd", optimizer_params=params)
    data = [
        mx.io.DataBatch([mx.nd.array(u), mx.nd.array(i)], [mx.nd.array(s)])
        for u, i, s in zip(*batches("float32"), strict=True)
    ]
    turn = iter(range(10**9))

    def step():
        batch = data[next(turn) % BATCHES]
        if extra:
            module.prepare(batch)
        module.forward_backward(batch)
        module.update()
        module.get_outputs()[0].wait_to_read()
        mx.nd.waitall()

    return step


def symgraph():
    import symgraph as mx

    step = module_steps(mx, mx.mod.SparseModule, update_on_kvstore=True)
    return measure(step, WARMUP, COUNT), "ms/step", f"symgraph {mx.__version__}, SparseModule"


def mxnet():
    import mxnet as mx

    step = module_steps(mx, mx.mod.Module)
    return measure(step, 2, 12), "ms/step", f"mxnet {mx.__version__}, Module with KVStore"


def torch():
    import torch

    torch.set_num_threads(2)
    user = torch.nn.Embedding(USERS, K, sparse=True)
    item = torch.nn.Embedding(ITEMS, K, sparse=True)
    torch.nn.init.normal_(user.weight, 0, 0.1)
    torch.nn.init.normal_(item.weight, 0, 0.1)
    optimizer = torch.optim.SGD([*user.parameters(), *item.parameters()], lr=RATE)
    data = [tuple(map(torch.from_numpy, one)) for one in zip(*batches("int64"), strict=True)]
    turn = iter(range(10**9))

    def step():
        u, i, s = data[next(turn) % BATCHES]
        optimizer.zero_grad()
        loss = ((user(u) * item(i)).sum(1) - s).square().sum() / (2 * BATCH)
        loss.backward()
        optimizer.step()

    return measure(step, WARMUP, COUNT), "ms/step", f"torch {torch.__version__}, sparse gradients"


main({"symgraph": symgraph, "mxnet": mxnet, "torch": torch})
