"""Write the pages that are made from declarations and data: ``python docs/make.py``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from symgraph.ops.table import render_table

DOCS = Path(__file__).parent
DIVERGENCES = DOCS.parent / "tests" / "golden" / "divergences.toml"

HEADER = """# Where symgraph differs from MXNet 1.9.1 on purpose

Made by `python docs/make.py` from `tests/golden/divergences.toml`, which the tests read: a recorded
answer of MXNet that is not listed there must be met. One section for each set of recordings; `*`
stands for anything.
"""


def render_divergences() -> str:
    """All divergences with their reasons, in Markdown; equal reasons stand once."""
    sections = tomllib.loads(DIVERGENCES.read_text(encoding="utf-8"))
    return HEADER + "".join(_section(name, cases) for name, cases in sections.items())


def _section(name: str, cases: dict) -> str:
    reasons: dict[str, list[str]] = {}
    for case, reason in cases.items():
        text = reason if isinstance(reason, str) else reason["reason"]
        reasons.setdefault(text, []).append(case.replace("[[]", "["))
    rows = [
        f"- {reason[:1].upper()}{reason[1:]}.\n  " + ", ".join(f"`{_code(c)}`" for c in of)
        for reason, of in reasons.items()
    ]
    return f"\n## {name}\n\n" + "\n".join(rows) + "\n"


def _code(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ")


PAGES = {"operators.md": render_table, "divergences.md": render_divergences}

if __name__ == "__main__":
    for name, render in PAGES.items():
        (DOCS / name).write_text(render(), encoding="utf-8")
