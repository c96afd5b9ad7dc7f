"""Half precision is a storage type: sums and products of it are made in single precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.dtypes import is_float
from symgraph.errors import DTypeError
from symgraph.ops.facts import DTypes
from symgraph.ops.op import Step
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


def evaluate(steps_of: Callable[..., list[Step]], xp: Any, *arrays: Array) -> Array:
    """What steps write, for arrays of any layout and type.

    ``steps_of(xp, *arrays, out)`` gives the steps; ``out`` is like the first array. With it an
    operator's ``forward`` means what its ``lower`` does.
    """
    inputs = [wide(a) for a in arrays]
    out = xp.empty_like(inputs[0])
    for function, arguments in steps_of(xp, *inputs, out):
        function(*arguments)
    return narrow(out, arrays[0])
