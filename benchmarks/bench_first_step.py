"""Seconds to the first training step of the demo network, with numba's cache cold and warm."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from harness import main

STEP = """
import time; start = time.perf_counter()
import numpy as np, symgraph as mx
from symgraph.gallery import matrix_factorization as model
r = model.Ratings(np.arange(2000) % 600, np.arange(2000) % 1900, np.ones(2000, "float32"))
it = model.batches(r, 1024, False)
net = model.get_symbol(600, 1900)
m = mx.mod.SparseModule(net, ["user", "item"], ["score"], update_on_kvstore=True)
m.bind(it.provide_data, it.provide_label)
m.init_params()
m.init_optimizer(kvstore="local", optimizer="adam", optimizer_params={"lazy_update": True})
batch = next(it)
m.prepare(batch)
m.forward_backward(batch)
m.update()
print(time.perf_counter() - start)
"""


def seconds(cache):
    env = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", STEP], env=env, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def cold():
    values = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as cache:
            values.append(seconds(cache))
    return values, "s", "nothing compiled before"


def warm():
    with tempfile.TemporaryDirectory() as cache:
        seconds(cache)
        return [seconds(cache) for _ in range(3)], "s", "numba's cache warm"


main({"symgraph": warm, "symgraph, cold": cold})
