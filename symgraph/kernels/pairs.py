"""Inner products of rows of two tables, without copies of the rows."""

from __future__ import annotations

from symgraph.kernels import kernel
from symgraph.kernels.segment import row_gradient
from symgraph.storage import Array, RowSparse


@kernel
def row_dot(xp, lhs: Array, lhs_rows: Array, rhs: Array, rhs_rows: Array, out: Array) -> None:
    """``out[n] = <lhs[lhs_rows[n]], rhs[rhs_rows[n]]>``.

    Shapes: lhs (V, K), rhs (W, K), lhs_rows and rhs_rows (N,), int64, out (N,).

    Raises
    ------
    IndexError
        On the CPU, if a row lies outside its table; nothing is read there.
    """
    products = lhs[lhs_rows] * rhs[rhs_rows]
    out[...] = products.sum(1, dtype=xp.float32 if out.dtype == xp.float16 else out.dtype)


@kernel
def row_dot_gradients(
    xp,
    scale: Array,
    lhs: Array,
    lhs_rows: Array,
    rhs: Array,
    rhs_rows: Array,
    wanted: tuple[bool, bool],
) -> tuple[RowSparse | None, RowSparse | None]:
    """The gradients of :func:`row_dot` in its tables, given that in its output, ``scale``.

    In ``lhs`` it is the sum over n of ``scale[n] * rhs[rhs_rows[n]]`` in row ``lhs_rows[n]``, and
    so the other way round. One that is not ``wanted`` is None.

    Shapes: scale (N,), the others as of :func:`row_dot`.

    Raises
    ------
    IndexError
        On the CPU, if a row lies outside its table.
    """

    def of(table, rows, other, other_rows):
        return row_gradient(rows, scale[:, None] * other[other_rows], table.shape[0])

    return (
        of(lhs, lhs_rows, rhs, rhs_rows) if wanted[0] else None,
        of(rhs, rhs_rows, lhs, lhs_rows) if wanted[1] else None,
    )
