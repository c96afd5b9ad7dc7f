"""Products with compressed sparse rows, and lookups in row_sparse arrays."""

from __future__ import annotations

from typing import Any

from symgraph.kernels import kernel
from symgraph.kernels.scatter import require_rows, scatter_add
from symgraph.kernels.segment import unique_rows
from symgraph.storage import Array


@kernel
def check_indptr(xp, indptr: Array, nnz: int) -> bool:
    """Whether ``indptr`` ascends from 0 to ``nnz``. One on a device is not looked at and passes.

    Shapes: indptr (m + 1,).
    """
    return bool(
        indptr.size and indptr[0] == 0 and indptr[-1] == nnz and (indptr[1:] >= indptr[:-1]).all()
    )


@kernel
def csr_dot(xp, data: Array, indices: Array, indptr: Array, dense: Array, out: Array) -> None:
    """``out[...] = csr @ dense``.

    Shapes: data and indices (nnz,), indptr (m + 1,), dense (n, *row), out (m, *row).

    Raises
    ------
    IndexError
        On the CPU, if a column number lies outside ``[0, n)`` or ``indptr`` does not ascend
        from 0 to nnz.
    """
    require_rows("csr_dot", indices, dense.shape[0])
    require_indptr("csr_dot", indptr, data.shape[0])
    out[...] = 0
    scatter_add(out, _row_of_each(xp, indptr, data.shape[0]), _scaled(data, dense[indices]))


@kernel
def csr_dot_transposed(
    xp, data: Array, indices: Array, indptr: Array, dense: Array, num_cols: int
) -> tuple[Array, Array]:
    """The rows of ``csr.T @ dense`` that are not empty.

    Shapes: data and indices (nnz,), indptr (m + 1,), dense (m, *row).

    Returns
    -------
    rows : (k,), int64, ascending, without repetition: the columns that occur
    sums : (k, *row), of the type of ``dense``

    Raises
    ------
    IndexError
        On the CPU, if a column number lies outside ``[0, num_cols)`` or ``indptr`` does not
        ascend from 0 to nnz.
    """
    require_indptr("csr_dot_transposed", indptr, data.shape[0])
    rows, slot = unique_rows(indices, num_cols)
    sums = xp.zeros((rows.shape[0], *dense.shape[1:]), dense.dtype)
    row = _row_of_each(xp, indptr, data.shape[0])
    scatter_add(sums, slot, _scaled(data, dense[row]))
    return rows, sums


@kernel
def csr_dot_transposed_dense(
    xp, data: Array, indices: Array, indptr: Array, dense: Array, out: Array
) -> None:
    """``out[...] = csr.T @ dense``.

    Shapes: data and indices (nnz,), indptr (m + 1,), dense (m, *row), out (n, *row).

    Raises
    ------
    IndexError
        As :func:`csr_dot_transposed`, n in the place of ``num_cols``.
    """
    require_rows("csr_dot_transposed_dense", indices, out.shape[0])
    require_indptr("csr_dot_transposed_dense", indptr, data.shape[0])
    out[...] = 0
    row = _row_of_each(xp, indptr, data.shape[0])
    scatter_add(out, indices, _scaled(data, dense[row]))


@kernel
def row_positions(xp, rows: Array, wanted: Array) -> Array:
    """Where each wanted row number stands in ``rows``, -1 where it does not.

    Shapes: rows (k,), ascending; wanted (*n,); result (*n,), int64.
    """
    if not rows.shape[0]:
        return xp.full(wanted.shape, -1, xp.int64)
    place = xp.minimum(xp.searchsorted(rows, wanted), rows.shape[0] - 1)
    return xp.where(rows[place] == wanted, place, -1).astype(xp.int64)


def require_indptr(name: str, indptr: Array, nnz: int) -> None:
    """Raise IndexError unless ``indptr`` ascends from 0 to ``nnz``; see :func:`check_indptr`."""
    if not check_indptr(indptr, nnz):
        raise IndexError(f"{name}: indptr does not ascend from 0 to {nnz}, the number of elements")


def _row_of_each(xp: Any, indptr: Array, nnz: int) -> Array:
    return xp.searchsorted(indptr, xp.arange(nnz), side="right") - 1


def _scaled(data: Array, rows: Array) -> Array:
    return data.reshape(-1, *(1,) * (rows.ndim - 1)) * rows
