"""Condense what MXNet 1.9.1 draws and prints of 66 networks into viz.json.xz.

    python make_viz.py FOLDER

FOLDER holds ``symbols/NAME.json``, ``infer/NAME.json`` (lists and shapes of arguments and
internals) and ``viz/NAME/`` (DOT of plot_network and text of print_summary for several options),
recorded from the MXNet 1.9.1 wheel. Here they are one dictionary by network.
"""

import json
import lzma
import sys
from pathlib import Path

PLOTS = [
    "default", "shape", "hide_weights_False", "node_attrs", "title",
    "shape_hide_weights_False_node_attrs", "dtype_float16",
]  # fmt: skip
SUMMARIES = ["shape", "line_length_160", "positions"]


def main(folder: Path) -> None:
    networks = {}
    for place in sorted((folder / "viz").iterdir()):
        index = json.loads((place / "index.json").read_text("utf-8"))
        infer = json.loads((folder / "infer" / f"{place.name}.json").read_text("utf-8"))
        networks[place.name] = {
            "json": (folder / "symbols" / f"{place.name}.json").read_text("utf-8"),
            "inputs": index["input_shapes"],
            "arguments": list(
                zip(infer["list_arguments"], infer["infer_shape"]["arg"] or [], strict=False)
            ),
            "plots": _texts(place, index["plots"], PLOTS),
            "summaries": _texts(place, index["summaries"], SUMMARIES),
        }
    packed = lzma.compress(json.dumps(networks, ensure_ascii=False).encode(), preset=9)
    Path(__file__).with_name("viz.json.xz").write_bytes(packed)


def _texts(place: Path, entries: dict, names: list[str]) -> dict[str, str]:
    """The recorded texts by name; those where MXNet raised are left out."""
    return {
        name: (place / entries[name]["file"]).read_text("utf-8")
        for name in names
        if "file" in entries.get(name, {})
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
