"""Every error symgraph raises on purpose.

All derive from :class:`MXNetError`, as users of MXNet catch that one; the children also derive
from the built-in class that says what kind of mistake it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MXNetError(RuntimeError):
    """Base of all errors of this library."""


class ShapeError(MXNetError, ValueError):
    """Shapes contradict each other or cannot be found."""


class DTypeError(MXNetError, TypeError):
    """Element types contradict each other or are not supported."""


class StorageError(MXNetError, TypeError):
    """A storage type (default, row_sparse, csr) does not fit."""


class AttributeValueError(MXNetError, ValueError):
    """An operator attribute is unknown, missing, of another type or out of range."""


class UnknownOperatorError(MXNetError, LookupError):
    """An operator name that is not registered."""


class FormatError(MXNetError, ValueError):
    """A file or string is not what it claims to be."""


class KVStoreError(MXNetError):
    """A key-value store refuses a request."""


class NotImplementedForSymbol(MXNetError, TypeError):  # noqa: N818  MXNet's public name
    """An NDArray method that a Symbol cannot have, such as ``asnumpy``."""

    def __init__(self, function: object, alias: str | None = None, *args: object) -> None:
        name = getattr(function, "__name__", str(function))
        also = f" (also called {alias})" if alias else ""
        super().__init__(f"{name}{also} is not available for Symbol: a symbol holds no data")


def close_names(word: str, known: Iterable[str]) -> str:
    """The end of an error message: ``"; did you mean 'x'?"``, or nothing."""
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_lower, n=3, cutoff=0.6)
    names = [repr(by_lower[name]) for name in close]
    return f"; did you mean {' or '.join(names)}?" if names else ""
