"""Scopes that name symbols and give them attributes: NameManager, Prefix, AttrScope."""

from __future__ import annotations

import threading
from typing import Any, Self

from symgraph.errors import AttributeValueError

_local = threading.local()

HIDDEN_KEYS = (
    "ctx_group",
    "lr_mult",
    "wd_mult",
    "force_mirroring",
    "mirror_stage",
)
"""Attributes that MXNet stores as ``__key__`` and reads back under both spellings."""


class _Current:
    """``NameManager.current``: the innermost scope of this thread."""

    def __get__(self, scope: Any, owner: type[_Scope]) -> Any:
        return _stack(owner._kind)[-1]


class _Scope:
    """A stack per thread; the innermost instance is current."""

    _kind = ""
    current = _Current()

    def __enter__(self) -> Self:
        stack = _stack(self._kind)
        self._enter(stack[-1])
        stack.append(self)
        return self

    def __exit__(self, *exc: Any) -> None:
        _stack(self._kind).pop()

    def _enter(self, outer: Any) -> None:
        """Take over what the surrounding scope has."""


class NameManager(_Scope):
    """Numbers operators without a name: ``fullyconnected0``, ``fullyconnected1``, ..."""

    _kind = "name"

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}

    def get(self, name: str | None, hint: str) -> str:
        """``name`` if there is one, else ``hint`` and the next number of it."""
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"


class Prefix(NameManager):
    """A name manager that puts ``prefix`` before every name, given ones too."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The name that :class:`NameManager` gives, prefixed."""
        return self._prefix + super().get(name, hint)


class AttrScope(_Scope):
    """Gives its attributes to all symbols made inside; values are strings.

    Raises
    ------
    AttributeValueError
        If a value is not a string.
    """

    _kind = "attr"

    def __init__(self, **kwargs: str) -> None:
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise AttributeValueError(
                    f"AttrScope: {key} is {value!r}, but attributes need to be strings"
                )
        self._own = {hide(key): value for key, value in kwargs.items()}
        self._attr = dict(self._own)

    def _enter(self, outer: AttrScope) -> None:
        self._attr = {**outer._attr, **self._own}

    def get(self, attr: dict[str, str] | None = None) -> dict[str, str]:
        """The scope's attributes with ``attr`` on top."""
        return {**self._attr, **(attr or {})}


def hide(key: str) -> str:
    """``lr_mult`` -> ``__lr_mult__``; other keys as they are."""
    return f"__{key}__" if key in HIDDEN_KEYS else key


def _stack(kind: str) -> list[Any]:
    if not hasattr(_local, kind):
        setattr(_local, kind, [NameManager() if kind == "name" else AttrScope()])
    return getattr(_local, kind)


def current_names() -> NameManager:
    """The name manager of this thread."""
    return _stack("name")[-1]


def current_attrs() -> AttrScope:
    """The attribute scope of this thread."""
    return _stack("attr")[-1]
