"""Networks as values: ``mx.sym``.

``mx.sym.X`` is a function for every operator X, made from its declaration at first use; their
list for editors is ``functions.pyi``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from symgraph.symbol import _internal as _internal
    from symgraph.symbol import contrib as contrib
    from symgraph.symbol import image as image
    from symgraph.symbol import linalg as linalg
    from symgraph.symbol import op as op
    from symgraph.symbol import random as random
    from symgraph.symbol import sparse as sparse
    from symgraph.symbol.functions import *  # noqa: F403  every operator

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


def _find(name: str) -> Any:
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module(f"symgraph.symbol.{name}")
    if name.startswith("__"):
        raise AttributeError(name)
    found = functions.lookup("", name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # so that checkers and editors go by the stub
    __getattr__ = _find


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES, *functions.names_in("")})
