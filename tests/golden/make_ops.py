"""Condense recorded answers of MXNet 1.9.1 about single operators into ``tests/golden/ops``.

    python tests/golden/make_ops.py GOLDEN

GOLDEN is the folder of recorded answers, with ``operators.json`` and ``forward_backward/ops``.
``cases.npz`` holds all arrays end to end, one blob for each element type; ``cases.json`` says where
each begins.
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent / "ops"


def condense_cases(golden: Path) -> None:
    folder = golden / "forward_backward" / "ops"
    recorded = json.loads((folder / "cases.json").read_text(encoding="utf-8"))["cases"]
    arrays = np.load(folder / "arrays.npz")
    blobs: dict[str, list[np.ndarray]] = {}
    ends: dict[str, int] = {}
    cases = []
    for case in recorded:
        node = next(n for n in case["symbol"]["nodes"] if n["op"] != "null")
        places = {}
        for key in (k for k in arrays if k.startswith(case["id"] + "/")):
            array = arrays[key]
            dtype = array.dtype.name
            start = ends.get(dtype, 0)
            ends[dtype] = start + array.size
            blobs.setdefault(dtype, []).append(array.reshape(-1))
            places[key.partition("/")[2]] = [dtype, start, list(array.shape)]
        cases.append(
            {
                "id": case["id"],
                "op": case["op"],
                "attrs": node.get("attrs", {}),
                "arguments": case["arguments"] + case["aux"],
                "grad_req": case["grad_req"],
                "arrays": places,
            }
        )
    np.savez_compressed(HERE / "cases.npz", **{k: np.concatenate(v) for k, v in blobs.items()})
    (HERE / "cases.json").write_text(_lines(cases), encoding="utf-8")


def condense_declarations(golden: Path) -> None:
    recorded = json.loads((golden / "operators.json").read_text(encoding="utf-8"))["operators"]
    found = {}
    for name, op in sorted(recorded.items()):
        if name == op["canonical"] and not name.startswith("_np"):  # those are mx.np
            found[name] = {
                "aliases": op["aliases"],
                "inputs": [i["name"] for i in op["inputs"]],
                "attrs": [[a["name"], a.get("default"), a.get("enum")] for a in op["attrs"]],
                "count": op["key_var_num_args"],
                "default": _instance(op.get("default_instance") or {}),
            }
    (HERE / "declarations.json").write_text(_lines(found), encoding="utf-8")


def _instance(made: dict) -> dict:
    """Names and attributes of a node made with as few attributes as possible."""
    keys = "attrs_given list_arguments list_outputs list_auxiliary_states input_variable_attrs"
    return {k: made[k] for k in keys.split() if k in made}


def _lines(value: list | dict) -> str:
    """JSON with one line for each entry, so that changes can be read."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(v, separators=(",", ":")) for v in value) + "\n]\n"
    rows = (f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in value.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    condense_cases(Path(sys.argv[1]))
    condense_declarations(Path(sys.argv[1]))
