"""Symbols from files and strings."""

from __future__ import annotations

import os

from symgraph.graph import json
from symgraph.symbol.symbol import Symbol


def load(fname: str | os.PathLike[str]) -> Symbol:
    """The symbol that :meth:`Symbol.save`, or MXNet since 0.8, has written to a file.

    Operators that symgraph does not have are kept for inspection and drawing.

    Raises
    ------
    FormatError
        If the file cannot be read or holds no symbol; names the file.
    """
    return Symbol(json.load(fname).heads)


def load_json(json_str: str) -> Symbol:
    """The symbol that :meth:`Symbol.tojson`, or MXNet since 0.8, has written to a string.

    Raises
    ------
    FormatError
        If it holds no symbol.
    """
    if not isinstance(json_str, str):
        raise TypeError(f"load_json takes a string, but got {type(json_str).__name__}")
    return Symbol(json.loads(json_str).heads)
