"""Run benchmarks against the peers and print one table.

    python -m benchmarks [NAME ...] [--mxnet-python PATH] [--torch-python PATH] [--rounds N]

MXNet's wheel needs NumPy below 1.24, so a peer may live in another virtual environment; without
a path this interpreter is tried. Implementations take turns for several rounds, and medians over
all rounds are compared, since a busy machine drifts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FASTER = {"matrix_factorization": {"mxnet": 10, "torch": 2.5}}
"""By benchmark and peer, how many times faster symgraph is to be."""
LIMITS = {
    "chain": {"symgraph": 0.6},
    "big_graph": {"symgraph": 3},
    "first_step": {"symgraph": 1, "symgraph, cold": 3},
}
"""By benchmark and implementation, the most that its median may be."""
NAMES = ("matrix_factorization", "chain", "import", "big_graph", "first_step")
THREADS = "2"


def main() -> int:
    """Parse the command line, run, print."""
    ap = argparse.ArgumentParser(prog="benchmarks", description=__doc__.partition("\n")[0])
    ap.add_argument("names", nargs="*", help=f"of {', '.join(NAMES)}; by default all")
    ap.add_argument("--mxnet-python", default=sys.executable)
    ap.add_argument("--torch-python", default=sys.executable)
    ap.add_argument("--rounds", type=int, default=3)
    args = ap.parse_args()
    pythons = {"mxnet": args.mxnet_python, "torch": args.torch_python}
    for name in args.names or NAMES:
        report(name, pythons, args.rounds)
    return 0


def report(name: str, pythons: dict[str, str], rounds: int) -> None:
    """Run one benchmark and print its part of the table."""
    script = HERE / f"bench_{name}.py"
    impls = run(script, "--list", sys.executable)["implementations"]
    times: dict[str, list[float]] = {}
    about: dict[str, str] = {}
    for _ in range(rounds):
        for impl in impls:
            result = run(script, impl, pythons.get(impl, sys.executable))
            if "error" in result:
                about[impl] = result["error"]
                continue
            about[impl] = result["about"]
            times.setdefault(impl, []).extend(result["values"])
            unit = result["unit"]
    medians = {impl: statistics.median(values) for impl, values in times.items()}
    ours = medians.get("symgraph")
    print(f"\n{name}")
    for impl in impls:
        if impl not in medians:
            print(f"  {impl:<24} did not run: {about[impl]}")
            continue
        ratio = f"{medians[impl] / ours:8.2f}x" if ours else ""
        wanted, most = FASTER.get(name, {}).get(impl), LIMITS.get(name, {}).get(impl)
        goal = f" (wanted: {wanted}x)" if wanted else f" (at most {most})" if most else ""
        print(f"  {impl:<24} {medians[impl]:8.4g} {unit} {ratio}{goal}  {about[impl]}")


def run(script: Path, impl: str, python: str) -> dict:
    """One implementation in a process of its own."""
    env = {**os.environ, "OMP_NUM_THREADS": THREADS, "NUMBA_NUM_THREADS": THREADS}
    env["MXNET_SUBGRAPH_BACKEND"] = "NONE"
    # What some machines set and no user has: old BLAS kernels, modules compiled at every start.
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE"):
        env.pop(name, None)
    done = subprocess.run(
        [python, str(script), impl], capture_output=True, text=True, env=env, timeout=900
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {"error": last}
    return json.loads(lines[-1])


if __name__ == "__main__":
    sys.exit(main())
