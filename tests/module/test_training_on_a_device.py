"""A training step of the demo network on the stand-in device: no host synchronization."""

from __future__ import annotations

import numpy as np
import pytest
from strict.device import no_syncs

import symgraph as mx
from symgraph.gallery import matrix_factorization as model


def trained(ctx: mx.Context, optimizer: str, store: str, steps: int = 3):
    """The demo network after a few steps, and its module."""
    rng = np.random.RandomState(0)
    net = model.get_symbol(30, 50, k=4, mean=3.5)
    module = mx.mod.SparseModule(
        net, ["user", "item"], ["score"], context=ctx, update_on_kvstore=True
    )
    module.bind([("user", (16,)), ("item", (16,))], [("score", (16, 1))])
    mx.random.seed(1)
    np.random.seed(1)
    module.init_params(mx.init.Normal(0.1))
    module.init_optimizer(
        kvstore=store,
        optimizer=optimizer,
        optimizer_params={"learning_rate": 0.1, "lazy_update": True},
    )
    batches = [
        mx.io.DataBatch(
            [
                mx.nd.array(rng.randint(30, size=16), ctx),
                mx.nd.array(rng.randint(50, size=16), ctx),
            ],
            [mx.nd.array(rng.rand(16, 1), ctx)],
        )
        for _ in range(steps)
    ]
    return module, batches


def step(module, batch) -> None:
    module.prepare(batch)
    module.forward_backward(batch)
    module.update()


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("store", ["local", "device"])
def test_a_step_never_waits_for_the_device(strict_device, optimizer: str, store: str) -> None:
    module, batches = trained(mx.gpu(0), optimizer, store)
    step(module, batches[0])
    with no_syncs():
        for batch in batches[1:]:
            step(module, batch)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_the_device_trains_as_the_cpu_does(strict_device, optimizer: str) -> None:
    weights = []
    for ctx in (mx.cpu(), mx.gpu(0)):
        module, batches = trained(ctx, optimizer, "local")
        for batch in batches:
            step(module, batch)
        weights.append({k: v.asnumpy() for k, v in module.get_params()[0].items()})
    for name, value in weights[0].items():
        np.testing.assert_allclose(weights[1][name], value, rtol=1e-5, atol=1e-7, err_msg=name)
