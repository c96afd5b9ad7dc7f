"""The arrays that a store holds: told apart, remembered and given out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symgraph.ndarray import convert
from symgraph.ndarray.ndarray import NDArray
from symgraph.storage import RowSparse


def give(stored: NDArray, outs: Iterable[NDArray]) -> None:
    """Copy into arrays of the same shape, but not into one that lies in the store's own memory."""
    for out in outs:
        if out.value is not stored.value:
            stored.copyto(out)


def alike(one: NDArray, other: NDArray) -> bool:
    """Whether an array can take the other's content and stay what it is."""
    return (one.shape, one.stype, one.value.dtype, one.context) == (
        other.shape,
        other.stype,
        other.value.dtype,
        other.context,
    )


def snapshot(stored: NDArray) -> Any:
    """What to set to come back to the present; a sparse record does not change."""
    if isinstance(stored.value, RowSparse):
        return stored.value
    return convert.copy_to(stored.value, stored.context, stored.context)
