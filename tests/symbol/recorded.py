"""What MXNet 1.9.1 answers, from ``tests/golden/symbols.zip``, and where symgraph differs."""

from __future__ import annotations

import json
import tomllib
import zipfile
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from symgraph.graph.opaque import Opaque

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def archive() -> dict[str, str]:
    """Every recorded text by its path."""
    with zipfile.ZipFile(GOLDEN / "symbols.zip") as file:
        return {name: file.read(name).decode("utf-8") for name in file.namelist()}


def names(folder: str, suffix: str = ".json") -> list[str]:
    """The recorded files in a folder, without folder and suffix."""
    return [
        name.removeprefix(f"{folder}/").removesuffix(suffix)
        for name in archive()
        if name.startswith(f"{folder}/") and name.endswith(suffix)
    ]


def text(path: str) -> str:
    return archive()[path]


def facts(path: str) -> Any:
    return json.loads(archive()[path])


@cache
def divergences(area: str) -> dict[str, str]:
    """Case, or pattern of cases, and reason."""
    return tomllib.loads((GOLDEN / "divergences.toml").read_text("utf-8")).get(area, {})


def diverges(area: str, case: str) -> bool:
    return any(fnmatchcase(case, pattern) for pattern in divergences(area))


def unknown_operators(symbol: Any) -> list[str]:
    """Operators of a loaded symbol that symgraph does not have yet."""
    order = symbol._graph.order
    return sorted({n.op.name for n in order if isinstance(n.op, Opaque)})
