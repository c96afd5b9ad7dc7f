"""Arrays by name, as iterators take them, and the rows of a batch out of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symgraph.errors import ShapeError, StorageError
from symgraph.ndarray import NDArray, array

Named = list[tuple[str, NDArray]]

EXACT_IN_FLOAT32 = 2**24


def named_arrays(given: Any, default_name: str, *, required: bool) -> Named:
    """``(name, NDArray)`` pairs of an array, a list (names are numbered) or a dict (sorted).

    NumPy arrays become float32 as in MXNet, but for integers beyond 2**24, which float32 cannot
    hold exactly and which therefore stay integers. What the caller gave is left as it is.

    Raises
    ------
    TypeError
        If something is no array.
    ShapeError
        If an array has no rows' axis, or the arrays have different numbers of rows.
    """
    pairs = _pairs_of(given, default_name)
    if required and not pairs:
        raise AssertionError(f"{default_name}: at least one array is required, none came")
    found = [(name, _as_ndarray(name, value)) for name, value in pairs]
    for name, value in found:
        if not value.shape:
            raise ShapeError(
                f"{name} has shape (), but an axis of samples is required "
                "(a list is one of arrays: give numbers as np.array)"
            )
        if value.shape[0] != found[0][1].shape[0]:
            raise ShapeError(
                f"{name} has {value.shape[0]} rows, but {found[0][0]} has {found[0][1].shape[0]}"
            )
    return found


def _pairs_of(given: Any, default_name: str) -> list[tuple[str, Any]]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return sorted(given.items())
    if not isinstance(given, list | tuple):
        return [(default_name, given)]
    if len(given) == 1:
        return [(default_name, given[0])]
    return [(f"_{i}_{default_name}", value) for i, value in enumerate(given)]


def _as_ndarray(name: str, value: Any) -> NDArray:
    if isinstance(value, NDArray):
        if value.stype == "row_sparse":
            raise StorageError(f"{name} is row_sparse; batches are cut from dense and csr arrays")
        return value
    if hasattr(value, "tocsr"):
        from symgraph.ndarray.sparse import array as sparse_array

        return sparse_array(value.tocsr())
    host = np.asarray(value)
    if host.dtype.kind not in "biuf":
        raise TypeError(
            f"Invalid type '{type(value)}' for {name}, should be NDArray, numpy.ndarray, "
            "a scipy.sparse matrix or what NumPy makes a numeric array of"
        )
    return array(host, dtype=_batch_dtype(host))


def _batch_dtype(host: np.ndarray) -> str:
    if host.dtype.kind in "iu" and host.size:
        largest = max(abs(int(host.max())), abs(int(host.min())))
        if largest > EXACT_IN_FLOAT32:
            return "int64"
    return "float32"


def take_rows(source: NDArray, rows: np.ndarray) -> NDArray:
    """The given rows, in this order, stored as ``source`` is.

    Neighbours in ascending order of a dense array are a view.
    """
    first, count = int(rows[0]), len(rows)
    is_run = int(rows[-1]) - first == count - 1 and bool((np.diff(rows) == 1).all())
    return source[first : first + count] if is_run else source[rows]


def check_same_rows(groups: Sequence[Named]) -> int:
    """The number of rows of all arrays.

    Raises
    ------
    ShapeError
        If two groups, such as data and labels, differ.
    """
    first = groups[0]
    for group in groups[1:]:
        if group and group[0][1].shape[0] != first[0][1].shape[0]:
            raise ShapeError(
                f"{first[0][0]} has {first[0][1].shape[0]} rows, "
                f"but {group[0][0]} has {group[0][1].shape[0]}"
            )
    return first[0][1].shape[0]
