"""What the stand-in device counts, and the names that it knows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
_OWN = (
    str(Path(np.__file__).parent),
    *(str(HERE / f"{n}.py") for n in ("array", "namespace", "rules")),
)


class UnexpectedSyncError(AssertionError):
    """The host waited for the device where :func:`no_syncs` forbids it."""


_seen: dict[str, int] = {}
_forbidden = 0


def sync_count() -> int:
    """How often the host has waited for the device so far."""
    return sum(_seen.values())


def sync_places() -> dict[str, int]:
    """``"file:line in function: what"`` -> how often it waited so far."""
    return dict(_seen)


@contextmanager
def no_syncs() -> Iterator[None]:
    """Raise :class:`UnexpectedSyncError` at the statement that waits for the device."""
    global _forbidden
    _forbidden += 1
    try:
        yield
    finally:
        _forbidden -= 1


def synchronize(what: str) -> None:
    """Count that the host waits, at the place outside of here and NumPy that makes it wait."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}: {what}"
    _seen[place] = _seen.get(place, 0) + 1
    if _forbidden:
        raise UnexpectedSyncError(f"{place} waits for the device")


def _read_names() -> dict[str, frozenset[str] | None]:
    """Qualified name -> its parameters, None where they are not known."""
    known: dict[str, frozenset[str] | None] = {}
    for line in (HERE / "cupy_names.txt").read_text(encoding="utf-8").splitlines():
        name, colon, parameters = line.partition(":")
        if not name.startswith("#"):
            known[name] = frozenset(parameters.split()) if colon else None
    return known


NAMES = _read_names()
UFUNC_KEYWORDS = frozenset({"out", "dtype", "casting"})


def check_keywords(name: str, kwargs: dict[str, Any], known: frozenset[str] | None) -> None:
    """Raise TypeError for a keyword that is not ``known``; None means that all are."""
    if known is not None and not known.issuperset(kwargs):
        unknown = ", ".join(sorted(set(kwargs) - known))
        raise TypeError(f"{name}() got an unexpected keyword argument: {unknown}")
