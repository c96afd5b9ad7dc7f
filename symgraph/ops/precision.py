"""Half precision is a storage type: sums and products of it are made in single precision."""

from __future__ import annotations

from symgraph.dtypes import is_float
from symgraph.errors import DTypeError
from symgraph.ops.facts import DTypes
from symgraph.storage import Array


def wide(array: Array) -> Array:
    """``array`` in the type to accumulate it in: float32 for float16, else its own."""
    return array.astype("float32") if array.dtype == "float16" else array


def narrow(array: Array, like: Array) -> Array:
    """``array`` in the type of ``like``; without a copy where it has that type."""
    return array.astype(like.dtype, copy=False)


def require_float(t: DTypes, name: str) -> None:
    """Raise a DTypeError unless the type of ``name`` is a floating point one."""
    if not is_float(t[name]):
        raise DTypeError(f"{name} has type {t[name]}, but a floating point type is required")


def can_step(*arrays: Array) -> bool:
    """Whether steps can read and write these: contiguous, so that reshaping makes views, and
    of types that accumulate in themselves."""
    return all(a.flags.c_contiguous and a.dtype != "float16" for a in arrays)
