"""Networks as values: ``mx.sym``.

``mx.sym.X`` is a function for every operator X, made from its declaration at first use; their
list for editors is ``functions.pyi``.
"""

from __future__ import annotations

from typing import Any

from symgraph.symbol import functions
from symgraph.symbol.creation import (
    Group,
    Variable,
    arange,
    eye,
    full,
    histogram,
    hypot,
    linspace,
    maximum,
    minimum,
    ones,
    pow,
    power,
    split_v2,
    var,
    zeros,
)
from symgraph.symbol.loading import load, load_json
from symgraph.symbol.symbol import Symbol

_SUBMODULES = ("_internal", "contrib", "image", "linalg", "op", "random", "sparse")

__all__ = [
    "Group",
    "Symbol",
    "Variable",
    "arange",
    "eye",
    "full",
    "histogram",
    "hypot",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "ones",
    "pow",
    "power",
    "split_v2",
    "var",
    "zeros",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module(f"symgraph.symbol.{name}")
    if name.startswith("__"):
        raise AttributeError(name)
    found = functions.lookup("", name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES, *functions.names_in("")})
