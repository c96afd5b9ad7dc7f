"""Condense recorded calls of MXNet 1.9.1's KVStore into kvstore_traces.json.

    python make_kvstore_traces.py FOLDER

FOLDER holds traces.json (scenarios of calls, each from a fresh store) and arrays.npz. Here every
array stands where it is used: ``{"v": elements, "d": type, "s": storage type, "c": device}``,
row_sparse ones with their row numbers ``"i"``; float32, default and cpu(0) are left out.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    recorded = json.loads((folder / "traces.json").read_text(encoding="utf-8"))
    arrays = np.load(folder / "arrays.npz")

    def condensed(item):
        if isinstance(item, list):
            return [condensed(part) for part in item]
        if not isinstance(item, dict):
            return item
        if "npz" not in item or "stype" not in item:
            return {key: condensed(part) for key, part in item.items() if key != "bases"}
        array = arrays[item["npz"]]
        short = {"v": array.tolist()}
        if array.dtype == np.float32:  # as few digits as tell a float32 from all others
            short["v"] = json.loads(re.sub(r"\s+", " ", _digits(array)))
        if item["dtype"] != "float32":
            short["d"] = item["dtype"]
        if item["stype"] != "default":
            short |= {"s": item["stype"], "i": arrays[f"{item['npz']}.indices"].tolist()}
        if item["ctx"] != "cpu(0)":
            short["c"] = item["ctx"]
        return short

    scenarios = []
    for scenario in recorded["scenarios"]:
        ops = ",\n  ".join(json.dumps(condensed(op)) for op in scenario["ops"])
        head = f'"name": {json.dumps(scenario["name"])}, "store": {json.dumps(scenario["store"])}'
        scenarios.append(f'{{{head}, "ops": [\n  {ops}]}}')
    text = "[\n" + ",\n".join(scenarios) + "\n]\n"
    (Path(__file__).parent / "kvstore_traces.json").write_text(text, encoding="utf-8")


def _digits(array: np.ndarray) -> str:
    """JSON of nested lists."""
    if not array.ndim:
        return repr(float(str(array)))
    return "[" + ", ".join(_digits(part) for part in array) + "]"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
