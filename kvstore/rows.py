"""Row numbers, and the rows of a stored value that they choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symgraph.errors import DTypeError, KVStoreError
from symgraph.kernels.scatter import check_rows, take_rows
from symgraph.kernels.segment import unique_rows
from symgraph.kernels.sparse import row_positions
from symgraph.kvstore.arguments import Key, found, grouped, paired, require_outs
from symgraph.ndarray import convert
from symgraph.ndarray.ndarray import NDArray
from symgraph.storage import Array, RowSparse

_EXACT = {"float16": 2**11, "float32": 2**24, "float64": 2**53}
"""From here on a float type cannot tell all integers apart."""


Job = tuple[NDArray, NDArray, np.ndarray]
"""The stored array, the one to fill, and the numbers of the rows."""


def row_jobs(stored: Mapping[Key, NDArray], key: Any, out: Any, row_ids: Any) -> list[Job]:
    """The work of one ``row_sparse_pull``, checked.

    Raises
    ------
    KVStoreError, ShapeError, StorageError, DTypeError, TypeError
        If any part of it cannot be done.
    """
    what = "row_sparse_pull"
    if out is None or row_ids is None:
        missing = "out" if out is None else "row_ids"
        raise KVStoreError(f"{what}: {missing} is required for key {key!r}")
    jobs: list[Job] = []
    for (name, outs), (_, ids) in zip(
        paired(what, key, out), paired(what, key, row_ids), strict=True
    ):
        value = found(what, name, stored)
        ((_, targets),) = grouped(what, name, outs)
        require_outs(what, name, value, targets)
        given = list(ids) if isinstance(ids, list | tuple) else [ids]
        if len(given) not in (1, len(targets)):
            raise KVStoreError(
                f"{what}: {len(given)} arrays of row_ids came for key {name!r}, but 1 or one for "
                f"each of the {len(targets)} arrays of out are required"
            )
        rows = [wanted_rows(name, one, value.shape[0]) for one in given]
        rows *= len(targets) // len(rows)
        jobs += [(value, target, r) for target, r in zip(targets, rows, strict=True)]
    return jobs


def wanted_rows(key: Any, row_ids: Any, num_rows: int) -> np.ndarray:
    """The distinct row numbers in ``row_ids``, ascending. Shape: (k,), int64, in host memory.

    Parameters
    ----------
    row_ids : NDArray or numpy.ndarray
        Of any shape, in any order, repeated or not.

    Raises
    ------
    KVStoreError
        If a number is below 0, ``num_rows`` or more, or not whole.
    DTypeError
        If numbers are so large that their float type has rounded them.
    """
    if isinstance(row_ids, NDArray):
        value = convert.dense_of(row_ids.value, convert.backend_of(row_ids.context).xp)
        row_ids = convert.to_host(value, row_ids.context)
    if not isinstance(row_ids, np.ndarray):
        raise TypeError(
            f"row_sparse_pull: row_ids for key {key!r} must be an NDArray, "
            f"but {type(row_ids).__name__} came"
        )
    if row_ids.dtype.kind not in "iu":
        row_ids = _whole(key, row_ids)
    flat = row_ids.reshape(-1)
    try:
        if flat.size and (flat[1:] > flat[:-1]).all() and flat[0] >= 0 and flat[-1] < num_rows:
            # as they should be; all of them are not kept, so they need not be copied
            return flat if flat.size == num_rows else flat.astype(np.int64)
        return unique_rows(flat, num_rows)[0]
    except IndexError:
        bad = flat[check_rows(flat, num_rows)]
        raise KVStoreError(
            f"row_sparse_pull: row {bad} of key {key!r} is asked for, but it has the rows 0 to "
            f"{num_rows - 1}"
        ) from None


def _whole(key: Any, row_ids: np.ndarray) -> np.ndarray:
    limit = _EXACT.get(row_ids.dtype.name)
    if limit is None:
        raise DTypeError(
            f"row_sparse_pull: row_ids for key {key!r} are {row_ids.dtype.name}, but int64 is "
            "required"
        )
    fractional = row_ids != np.floor(row_ids)
    if fractional.any():
        bad = row_ids[fractional][0]
        raise KVStoreError(f"row_sparse_pull: row {bad} of key {key!r} is not a whole number")
    if row_ids.size and abs(row_ids).max() >= limit:
        raise DTypeError(
            f"row_sparse_pull: row_ids for key {key!r} are {row_ids.dtype.name}, which rounds row "
            f"numbers from {limit} on; make them with dtype='int64'"
        )
    return row_ids.astype(np.int64)


def give_rows(stored: NDArray, target: NDArray, rows: np.ndarray) -> None:
    """Let ``target`` hold some rows of ``stored``. Shape: rows (k,), ascending."""
    value = rows_of(stored, rows)
    if not convert.share_memory(stored.context, target.context):
        value = convert.copy_to(value, stored.context, target.context)
    target._set_value(value)


def rows_of(stored: NDArray, rows: np.ndarray) -> RowSparse:
    """Copies of some rows of ``stored``, on its device. Shape: rows (k,), ascending.

    Rows that a row_sparse value lacks are zeros.
    """
    backend = convert.backend_of(stored.context)
    with backend.on_device(stored.context.device_id):
        index = backend.from_host(rows)
        return RowSparse(*_gathered(stored.value, index, backend.xp), stored.shape)


def _gathered(value: Any, index: Array, xp: Any) -> tuple[Array, Array]:
    """(rows, their numbers)"""
    sparse = isinstance(value, RowSparse)
    table = value.data if sparse else value
    full = not sparse or value.is_full
    if full and index.shape[0] == value.shape[0]:
        return table.copy(), value.indices if sparse else xp.arange(len(table), dtype="int64")
    data = xp.empty((index.shape[0], *value.shape[1:]), table.dtype)
    if full:
        take_rows(table, index, data)
        return data, index
    place = row_positions(value.indices, index)
    data[...] = 0
    there = place >= 0
    data[there] = table[place[there]]
    return data, index
