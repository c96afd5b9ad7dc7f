"""How long ``import`` takes, each time in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import time

from harness import main


def importing(name):
    """An implementation that measures ``import name``."""

    def run():
        values = []
        for _ in range(7):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            empty = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            values.append((time.perf_counter() - empty - (empty - start)) * 1e3)
        return values, "ms", f"import {name}"

    return run


main({name: importing(name) for name in ("symgraph", "numpy", "mxnet", "torch")})
