"""``mx.base``: the root error, the word for "not given" and a few names scripts import."""

from __future__ import annotations

from numbers import Integral, Number

from symgraph.errors import MXNetError, NotImplementedForSymbol, StorageError

__all__ = [
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "integer_types",
    "numeric_types",
    "py_str",
    "string_types",
]

NotSupportedForSparseNDArray = StorageError

string_types = (str,)
integer_types = (int, Integral)
numeric_types = (float, int, Number)


class _NullType:
    """The type of ``_Null``."""

    def __repr__(self) -> str:
        return "_Null"

    def __bool__(self) -> bool:
        return False


_Null = _NullType()
"""Default of operator attributes in signatures: the operator's own default holds, and the
attribute does not appear in JSON. None is a value of its own (``axis=None``)."""


def py_str(text: bytes | str) -> str:
    """``text`` as a string; bytes are UTF-8."""
    return text.decode("utf-8") if isinstance(text, bytes) else text
