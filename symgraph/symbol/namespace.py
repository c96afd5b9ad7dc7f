"""A module whose attributes are operator functions, made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.symbol import functions


def namespace(name: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of the submodule ``name``."""

    def find(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return functions.lookup(name, attribute)

    def names() -> list[str]:
        return functions.names_in(name)

    return find, names
