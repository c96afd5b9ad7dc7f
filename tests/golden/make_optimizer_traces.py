"""Condense recorded MXNet 1.9.1 optimizer trajectories into optimizer_traces.{json,npz}.

    python make_optimizer_traces.py FOLDER

FOLDER holds manifest.json and arrays.npz: for each trace the weights before the first and after
each step (``NAME/w``) and the gradients (``NAME/g``), as MXNet 1.9.1 on a CPU computed them. Here
all arrays lie end to end in one float32 vector, equal ones once; halves are exact in it.
"""

import json
import sys
from pathlib import Path

import numpy as np

KEPT = [
    "key", "optimizer", "kwargs", "scheduler", "learning_rate_after_each_step", "num_update",
    "weight_dtype", "weight_stype", "rows_each_step", "param_idx2name", "symbol_attrs",
    "set_lr_mult", "set_wd_mult", "lr_mult_after", "wd_mult_after",
]  # fmt: skip


def main(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    arrays = np.load(folder / "arrays.npz")
    places: dict[bytes, int] = {}
    parts: list[np.ndarray] = []

    def place(name: str) -> list:
        array = arrays[name].astype(np.float32)
        content = array.tobytes()
        if content not in places:
            places[content] = sum(part.size for part in parts)
            parts.append(array.ravel())
        return [places[content], list(array.shape)]

    traces = []
    for trace in manifest["traces"]:
        if "key" in trace and "missing_from_registry" not in trace:
            kept = {name: trace[name] for name in KEPT if trace.get(name) not in (None, [])}
            if f"{trace['key']}/w" in arrays:
                kept |= {"w": place(f"{trace['key']}/w"), "g": place(f"{trace['key']}/g")}
                traces.append(kept)
    here = Path(__file__).parent
    rows = ",\n".join(json.dumps(trace) for trace in traces)
    schedulers = ",\n".join(json.dumps(s) for s in manifest["schedulers"])
    text = f'{{"traces": [\n{rows}\n],\n"schedulers": [\n{schedulers}\n]}}\n'
    (here / "optimizer_traces.json").write_text(text, encoding="utf-8")
    np.savez_compressed(here / "optimizer_traces.npz", values=np.concatenate(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
