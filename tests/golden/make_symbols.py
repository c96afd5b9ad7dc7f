"""Condense the recorded symbol answers of MXNet 1.9.1 into ``symbols.zip``.

    python tests/golden/make_symbols.py FOLDER

FOLDER holds what real MXNet 1.9.1 gave: ``symbols/*.json`` (networks as ``Symbol.save`` wrote
them), ``symbols/legacy`` (files of older versions, and what loading and saving makes of them),
``infer/*.json`` (lists, attributes, shapes, types, internals), ``snippets/snippets.json``
(API calls with their result or exception) and ``operators.json`` (signatures in ``mx.sym``).
Texts are kept byte for byte.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

TOPICS = {
    "attr_scope",
    "attr_strings",
    "auto_names",
    "auto_names_no_input",
    "construction_errors",
    "infer_shape",
    "infer_type",
    "names",
    "optional_inputs",
    "structure",
    "variable_attributes",
}
DROPPED = {"built_from", "save_equals_tojson", "internals_out_shapes"}


def main(folder: Path) -> None:
    target = Path(__file__).with_name("symbols.zip")
    with zipfile.ZipFile(target, "w") as archive:

        def put(name: str, text: str) -> None:
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            archive.writestr(info, text, zipfile.ZIP_DEFLATED, compresslevel=9)

        for path in sorted((folder / "symbols").glob("*.json")):
            put(f"symbols/{path.name}", path.read_text("utf-8"))
        for path in sorted((folder / "symbols" / "legacy").glob("*.json")):
            put(f"legacy/{path.name}", path.read_text("utf-8"))
        for path in sorted((folder / "infer").glob("*.json")):
            facts = json.loads(path.read_text("utf-8"))
            kept = {key: value for key, value in facts.items() if key not in DROPPED}
            put(f"infer/{path.name}", json.dumps(kept, separators=(",", ":")))
        snippets = json.loads((folder / "snippets" / "snippets.json").read_text("utf-8"))
        kept = [s for s in snippets["snippets"] if s["topic"] in TOPICS]
        put("snippets.json", json.dumps(kept, separators=(",", ":")))
        operators = json.loads((folder / "operators.json").read_text("utf-8"))["operators"]
        if isinstance(operators, dict):
            operators = list(operators.values())
        signatures = {
            place: text
            for operator in operators
            for place, text in operator["python_signatures"].items()
            if place.startswith("mx.sym.")
        }
        put("signatures.json", json.dumps(signatures, separators=(",", ":")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
