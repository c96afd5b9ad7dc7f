"""Kernels against plain NumPy and torch, on one machine in one run.

Run::

    python benchmarks/kernels.py                       # torch too, if this Python has it
    python benchmarks/kernels.py --torch-python PATH   # torch of another environment
    python benchmarks/kernels.py --compile             # first calls, cache empty and full

A batch of 8192 ids, drawn from Zipf's law over a million rows of 64 single precision numbers;
the peers take turns, and medians of all turns are shown.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROWS, WIDTH, BATCH, BATCHES = 1_000_000, 64, 8192, 16
TURNS = 6
NAMES = ("take_rows", "scatter_add", "unique_rows_sum", "sgd_rows", "adam_rows")
SGD = (0.1, 0.0, 1.0, None)
ADAM = (0.1, 0.0, 0.9, 0.999, 1e-8, 1.0, None)


def zipf_ids(rng: np.random.Generator, rows: int, count: int) -> np.ndarray:
    """Ids whose popularity falls as one over rank; which ids are popular is random."""
    ranks = np.exp(rng.random(count) * np.log(rows)).astype(np.int64) - 1
    scattered = ranks * 7_368_787 % rows  # a prime: one id per rank
    return np.ascontiguousarray(scattered)


def make_data() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    ids = [zipf_ids(rng, ROWS, BATCH) for _ in range(BATCHES)]
    unique = [np.unique(i) for i in ids]
    tables = [np.full((ROWS, WIDTH), 0.5, np.float32) for _ in range(3)]
    grads = rng.standard_normal((BATCH, WIDTH)).astype(np.float32)
    return {"ids": ids, "rows": unique, "tables": tables, "grads": grads}


def measure(step: Callable[[int], Any]) -> float:
    """Median seconds of ``step(i)`` over the batches."""
    times = []
    for i in range(BATCHES):
        start = time.perf_counter()
        step(i)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# ---- the peers: name of a kernel -> step over batch i -----------------------------------------


def ours(data: dict[str, Any]) -> dict[str, Callable[[int], Any]]:
    from symgraph.kernels import scatter, segment, update

    ids, rows, grads = data["ids"], data["rows"], data["grads"]
    table, mean, var = data["tables"]
    out = np.empty_like(grads)
    return {
        "take_rows": lambda i: scatter.take_rows(table, ids[i], out),
        "scatter_add": lambda i: scatter.scatter_add(table, ids[i], grads),
        "unique_rows_sum": lambda i: segment.unique_rows_sum(ids[i], grads, ROWS),
        "sgd_rows": lambda i: update.sgd_rows(table, rows[i], grads[: rows[i].size], *SGD),
        "adam_rows": lambda i: update.adam_rows(
            table, mean, var, rows[i], grads[: rows[i].size], *ADAM
        ),
    }


def plain_numpy(data: dict[str, Any]) -> dict[str, Callable[[int], Any]]:
    from symgraph.kernels import use_reference

    def referring(step: Callable[[int], Any]) -> Callable[[int], Any]:
        def call(i: int) -> Any:
            with use_reference():
                return step(i)

        return call

    return {name: referring(step) for name, step in ours(data).items()}


def torch_sparse(data: dict[str, Any]) -> dict[str, Callable[[int], Any]]:
    import torch

    ids = [torch.from_numpy(i) for i in data["ids"]]
    table, mean, var = (torch.from_numpy(t) for t in data["tables"])
    grads = torch.from_numpy(data["grads"])
    out = torch.empty_like(grads)
    weight = torch.nn.Parameter(table)
    rows = [torch.from_numpy(r) for r in data["rows"]]
    shape = (ROWS, WIDTH)
    merged = [
        torch.sparse_coo_tensor(
            r[None], grads[: r.numel()], shape, is_coalesced=True, check_invariants=False
        )
        for r in rows
    ]
    sgd = torch.optim.SGD([weight], lr=0.1)
    adam = torch.optim.SparseAdam([weight], lr=0.1)
    adam.state[weight].update(step=0, exp_avg=mean, exp_avg_sq=var)

    def step(optimizer: Any, i: int) -> None:
        weight.grad = merged[i]
        optimizer.step()

    def coalesce(i: int) -> Any:
        merged = torch.sparse_coo_tensor(ids[i][None], grads, shape, check_invariants=False)
        return merged.coalesce()

    return {
        "take_rows": lambda i: torch.index_select(table, 0, ids[i], out=out),
        "scatter_add": lambda i: table.index_add_(0, ids[i], grads),
        "unique_rows_sum": coalesce,
        "sgd_rows": lambda i: step(sgd, i),
        "adam_rows": lambda i: step(adam, i),
    }


# ---- turns --------------------------------------------------------------------------------------


def serve(make: Callable[[dict[str, Any]], dict[str, Callable[[int], Any]]]) -> None:
    """Measure the kernel named on each line of the input; for a peer in a process of its own."""
    steps = make(make_data())
    for step in steps.values():
        step(0)
    for line in sys.stdin:
        print(json.dumps(measure(steps[line.strip()])), flush=True)


def start(python: str, peer: str) -> Callable[[str], float]:
    """A function that lets ``peer`` measure a kernel in a process of its own."""
    # settings of one machine's OpenBLAS that would favour or hinder a peer
    unset = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    process = subprocess.Popen(
        [python, __file__, "--serve", peer],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    ask, answer = process.stdin, process.stdout

    def take_turn(name: str) -> float:
        print(name, file=ask, flush=True)
        return json.loads(answer.readline())

    return take_turn


PEERS = {"symgraph": ours, "numpy": plain_numpy, "torch": torch_sparse}


def compare(torch_python: str | None) -> None:
    pythons = {"symgraph": sys.executable, "numpy": sys.executable}
    if torch_python:
        pythons["torch"] = torch_python
    peers = {peer: start(python, peer) for peer, python in pythons.items()}
    print(describe(pythons))
    print(f"\nmedian us over {BATCHES} batches, {TURNS} turns; ids {BATCH}, rows {ROWS} x {WIDTH}")
    print(f"{'':18}" + "".join(f"{peer:>12}" for peer in peers) + "   ratios to symgraph")
    for name in NAMES:
        turns = {peer: [] for peer in peers}
        for _ in range(TURNS):
            for peer, take_turn in peers.items():
                turns[peer].append(take_turn(name))
        medians = {peer: statistics.median(times) * 1e6 for peer, times in turns.items()}
        ratios = ", ".join(f"{medians[p] / medians['symgraph']:.1f}" for p in list(peers)[1:])
        print(f"{name:18}" + "".join(f"{m:12.0f}" for m in medians.values()) + f"   {ratios}")


def describe(pythons: dict[str, str]) -> str:
    import numba

    versions = f"numpy {np.__version__}, numba {numba.__version__}"
    if "torch" in pythons:
        command = [pythons["torch"], "-c", "import torch; print('torch', torch.__version__)"]
        versions += ", " + subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return (
        f"{platform.machine()}, {os.cpu_count()} cores; Python {sys.version.split()[0]}, {versions}"
    )


# ---- first calls --------------------------------------------------------------------------------


def first_calls() -> None:
    """Print how long the first call of each kernel takes, on arrays of a small batch."""
    start = time.perf_counter()
    from symgraph.kernels import scatter, segment, sparse, update

    print(f"  {'import of kernels':24}{time.perf_counter() - start:6.2f} s")
    ids, rows = np.arange(64) % 7, np.arange(7)
    table, mean, var = (np.ones((7, 8), np.float32) for _ in range(3))
    grads = np.ones((64, 8), np.float32)
    csr = np.ones(64, np.float32), ids, np.array([0, 32, 64])
    calls: dict[str, Callable[[], Any]] = {
        "take_rows": lambda: scatter.take_rows(table, ids, grads),
        "scatter_add": lambda: scatter.scatter_add(table, ids, grads),
        "unique_rows_sum": lambda: segment.unique_rows_sum(ids, grads, 7),
        "sgd_rows": lambda: update.sgd_rows(table, rows, grads[:7], *SGD),
        "adam_rows": lambda: update.adam_rows(table, mean, var, rows, grads[:7], *ADAM),
        "csr_dot": lambda: sparse.csr_dot(*csr, table, grads[:2]),
        "csr_dot_transposed": lambda: sparse.csr_dot_transposed(*csr, grads[:2], 7),
        "row_positions": lambda: sparse.row_positions(rows, ids),
    }
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        print(f"  {name:24}{time.perf_counter() - start:6.2f} s")


def compile_times() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for cache in ("empty", "full"):
            print(f"first calls, numba's cache {cache}:", flush=True)
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, __file__, "--first-calls"]
            subprocess.run(command, env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    here = sys.executable if importlib.util.find_spec("torch") else None
    parser.add_argument(
        "--torch-python", metavar="PATH", default=here, help="a Python that has torch"
    )
    parser.add_argument("--compile", action="store_true", help="time first calls instead")
    parser.add_argument("--first-calls", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(PEERS[options.serve])
    elif options.first_calls:
        first_calls()
    elif options.compile:
        compile_times()
    else:
        compare(options.torch_python)


if __name__ == "__main__":
    main()
