"""Tables of what is known about one node's tensors. Assigning is unifying."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Generic, TypeVar

from symgraph.errors import DTypeError, ShapeError
from symgraph.storage import Shape

Fact = TypeVar("Fact")


class Unknown(Exception):  # noqa: N818  a signal, not an error: the rule waits for more facts
    """A rule has read what nobody knows yet."""


class _Facts(Generic[Fact]):
    """Facts by tensor name. Names the node does not have, such as ``bias`` under ``no_bias``,
    may be assigned and are ignored."""

    __slots__ = ("_known",)

    def __init__(self, known: dict[str, Fact | None]) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Fact:
        """The fact; ends the rule, to be run again later, where it is unknown."""
        fact = self._known.get(name)
        if fact is None:
            raise Unknown(name)
        return fact

    def get(self, name: str) -> Fact | None:
        """The fact, or None where it is unknown."""
        return self._known.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __setitem__(self, name: str, fact: Fact | None) -> None:
        if fact is not None and name in self._known:
            self._known[name] = self._merge(name, self._known[name], fact)

    def unify(self, *names: str) -> None:
        """All these tensors have one and the same fact."""
        for _ in range(2):
            for one, other in itertools.pairwise(names):
                self[other] = self.get(one)
            names = names[::-1]

    def _merge(self, name: str, old: Fact | None, new: Fact) -> Fact:
        raise NotImplementedError

    @property
    def known(self) -> Mapping[str, Fact | None]:
        return self._known


class Shapes(_Facts[Shape]):
    """Shapes: None is unknown altogether, a length of 0 is unknown along that axis."""

    __slots__ = ()

    def _merge(self, name: str, old: Shape | None, new: Shape) -> Shape:
        new = tuple(new)
        if old is None or old == new:
            return new
        if len(old) != len(new) or any(a != b and a and b for a, b in zip(old, new, strict=True)):
            raise ShapeError(f"{name} has shape {old}, but {_with_open(new)} is required")
        return tuple(a or b for a, b in zip(old, new, strict=True))


class DTypes(_Facts[str]):
    """Element types by their NumPy names."""

    __slots__ = ()

    def _merge(self, name: str, old: str | None, new: str) -> str:
        if old is not None and old != new:
            raise DTypeError(f"{name} has type {old}, but {new} is required")
        return new


def _with_open(shape: Shape) -> str:
    """``(0, 5)`` -> ``(?, 5)``."""
    inner = ", ".join(str(n) if n else "?" for n in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"
