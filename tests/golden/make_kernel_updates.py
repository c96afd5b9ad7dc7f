"""Record what MXNet 1.9.1's update operators do: ``kernel_updates.npz`` beside this file.

Run with a Python that has the ``mxnet==1.9.1`` wheel::

    MXNET_SUBGRAPH_BACKEND=NONE python tests/golden/make_kernel_updates.py

Keys: ``NAME/OPTIONS/before:I`` and ``after:I`` for table and states, ``NAME/OPTIONS/grad``,
``NAME/OPTIONS/values`` (scalars in the order of the kernel's parameters,
clip -1 for none), ``rows``.
"""

from pathlib import Path

import mxnet as mx
import numpy as np

ROWS = np.array([0, 2, 3, 6])
COMMON = {"plain": (0.0, 1.0, -1.0), "decay": (0.3, 1.0, -1.0), "clip": (0.0, 2.0, 0.5)}
COMMON["all"] = (0.3, 2.0, 0.5)
LR = 0.1
# kernel -> operator, number of states, its own scalars in the order of the kernel
OPERATORS = {
    "sgd": ("sgd_update", 0, {}),
    "sgd_mom": ("sgd_mom_update", 1, {"momentum": 0.9}),
    "adam": ("adam_update", 2, {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3}),
    "adagrad": ("adagrad_update", 1, {"epsilon": 1e-3}),
    "ftrl": ("ftrl_update", 2, {"lamda1": 0.05, "beta": 1.3}),
}


def record(name, rng):
    operator, states, own = OPERATORS[name]
    for label, (wd, rescale, clip) in COMMON.items():
        if name == "adagrad" and wd:
            continue  # refused by the operator
        before = [rng.randn(7, 5).astype("f")] + [rng.rand(7, 5).astype("f") for _ in range(states)]
        grad = rng.randn(4, 5).astype("f")
        tables = [mx.nd.array(b).tostype("row_sparse") for b in before]
        sparse = mx.nd.sparse.row_sparse_array((grad, ROWS), shape=(7, 5))
        lazy = {} if name in ("adagrad", "ftrl") else {"lazy_update": True}
        function = getattr(mx.nd.sparse, operator)
        options = {"lr": LR, "wd": wd, "rescale_grad": rescale, "clip_gradient": clip}
        function(tables[0], sparse, *tables[1:], out=tables[0], **options, **own, **lazy)
        key = f"{name}/{label}"
        for i, (b, table) in enumerate(zip(before, tables, strict=True)):
            yield f"{key}/before:{i}", b
            yield f"{key}/after:{i}", table.asnumpy()
        yield f"{key}/grad", grad
        yield f"{key}/values", np.array([LR, wd, *own.values(), rescale, clip])


if __name__ == "__main__":
    rng = np.random.RandomState(11)
    arrays = dict(item for name in OPERATORS for item in record(name, rng))
    np.savez_compressed(Path(__file__).with_name("kernel_updates.npz"), rows=ROWS, **arrays)
