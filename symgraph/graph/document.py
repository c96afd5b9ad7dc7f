"""Text that claims to be JSON, read with every claim checked before memory is taken."""

from __future__ import annotations

import json
import os
import re
from itertools import accumulate
from typing import Any, NoReturn

from symgraph.errors import FormatError
from symgraph.files import open_input

MAX_BYTES = 1 << 30
"""A network of a million nodes has a tenth of this."""

MAX_DEPTH = 256
"""Brackets inside brackets. A symbol has four levels, and four more for each nested subgraph."""

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[\]}])', re.DOTALL)
_NOT_A_BRACKET = re.compile(r"[^][{}]+")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file.

    Raises
    ------
    FormatError
        If it is missing, too large or no text; names it.
    """
    name = os.fspath(path)
    try:
        with open_input(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise FormatError(f"{name}: {size} bytes are too much for a symbol")
            data = file.read()
    except OSError as error:
        raise FormatError(f"{name}: cannot be read ({error.strerror or error})") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}: is not JSON text ({_start_of(repr(data[:40]))})") from error


def parse(text: str, source: str) -> dict[str, Any]:
    """The object that ``text`` holds; commas before a closing bracket are forgiven.

    Parameters
    ----------
    source : str
        The file's name for messages, ``""`` for a string.

    Raises
    ------
    FormatError
    """
    where = source or "the string"
    text = text.removeprefix("\ufeff")
    _check_start(text, source)
    if _depth_exceeds(text, MAX_DEPTH):
        raise FormatError(f"{where}: brackets are nested more than {MAX_DEPTH} deep")
    try:
        document = _decode(text)
    except json.JSONDecodeError as first:
        try:
            document = _decode(_COMMA.sub(r"\1", text))
        except json.JSONDecodeError:
            raise FormatError(f"{where} is not JSON: {first}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: {error}") from None
    if not isinstance(document, dict):
        raise FormatError(f"{where}: an object is required, but a {_kind(document)} came")
    return document


def _check_start(text: str, source: str) -> None:
    """Say what it is instead where it cannot be JSON."""
    where = source or "the string"
    start = text.lstrip()
    if not start:
        raise FormatError(f"{where} is empty, but JSON of a symbol is required")
    if start[0] in "{[":
        return
    if not source and len(text) < 4096 and "\n" not in text and _looks_like_path(text):
        raise FormatError(
            f"the string {text!r} looks like the path of a file; use mx.sym.load for that"
        )
    raise FormatError(f"{where} is not JSON: it starts with {_start_of(start)!r}")


def _looks_like_path(text: str) -> bool:
    if text.startswith("<"):
        return False
    return text.endswith((".json", ".params")) or "/" in text or "\\" in text


def _start_of(text: str) -> str:
    return text[:40]


def _depth_exceeds(text: str, limit: int) -> bool:
    """Whether brackets nest deeper, found without following them down."""
    brackets = _NOT_A_BRACKET.sub("", _STRING.sub("", text))
    # Where they are not balanced, the decoder stops at the first that does not fit.
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > limit


def _decode(text: str) -> Any:
    return json.loads(text, strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {twice!r} comes twice in one object")
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _kind(value: object) -> str:
    kinds = {list: "list", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds.get(type(value), type(value).__name__)
