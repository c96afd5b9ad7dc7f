"""What every benchmark script shares; it must run under old Pythons of the peers too."""

from __future__ import annotations

import json
import sys
import time


def measure(step, warmup, count):
    """Milliseconds of ``count`` calls after ``warmup`` calls."""
    for _ in range(warmup):
        step()
    values = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        values.append((time.perf_counter() - start) * 1e3)
    return values


def main(implementations):
    """Run the implementation named on the command line and print a JSON line."""
    wanted = sys.argv[1]
    if wanted == "--list":
        print(json.dumps({"implementations": list(implementations)}))
        return
    values, unit, about = implementations[wanted]()
    print(json.dumps({"values": values, "unit": unit, "about": about}))
