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
        On the CPU, if a row lies outside its table; nothing is written then.
    """
    products = lhs[lhs_rows] * rhs[rhs_rows]
    out[...] = products.sum(1, dtype=xp.float32 if out.dtype == xp.float16 else out.dtype)


@kernel
def row_dot_gradient(
    xp, rows: Array, scale: Array, other: Array, other_rows: Array, num_rows: int
) -> RowSparse:
    """The gradient of :func:`row_dot` in one table: the rows of the other, scaled and summed.

    ``gradient[rows[n]] += scale[n] * other[other_rows[n]]``

    Shapes: rows and other_rows (N,), int64, scale (N,), other (W, K).

    Raises
    ------
    IndexError
        On the CPU, if a row lies outside its table; nothing is written then.
    """
    return row_gradient(rows, scale[:, None] * other[other_rows], num_rows)
