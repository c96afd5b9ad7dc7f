"""Operators that only the fusion pass makes; they stand for several operators at once."""

from __future__ import annotations

from symgraph.kernels.pairs import row_dot, row_dot_gradients
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.indexing import rows_steps, to_rows
from symgraph.ops.op import Ctx, Op, operator, stored


@operator("_row_dot", internal=True)
class RowDot(Op):
    """``sum(Embedding(lhs) * Embedding(rhs), axis=-1)`` with sparse gradients.

    The embedded rows are read where they stand in their tables; no copy of them is made.

    Shapes
    ------
    lhs, rhs, lhs_rows, rhs_rows : (*N)
    lhs_table : (lhs_dim, K)
    rhs_table : (rhs_dim, K)
    output : (*N), or (*N, 1) when ``keepdims``
    """

    hidden = ("lhs_rows", "rhs_rows")
    family = "sparse"

    lhs_dim: int = attr(ge=1, doc="Rows of the first table.")
    rhs_dim: int = attr(ge=1, doc="Rows of the second table.")
    keepdims: bool = attr(default=False, doc="Keep the summed axis with length one.")

    def infer_shape(self, s: Shapes):
        ids = s["lhs"]
        s["rhs"] = s["lhs_rows"] = s["rhs_rows"] = ids
        s["output"] = (*ids, 1) if self.keepdims else ids

    def infer_dtype(self, t: DTypes):
        t["lhs_rows"] = t["rhs_rows"] = "int64"
        t.unify("lhs_table", "rhs_table", "output")

    def forward(self, ctx: Ctx, lhs, lhs_table, rhs, rhs_table):
        lhs_rows = to_rows(ctx.xp, lhs, self.lhs_dim)
        rhs_rows = to_rows(ctx.xp, rhs, self.rhs_dim)
        out = ctx.xp.empty(lhs.size, lhs_table.dtype)
        row_dot(lhs_table, lhs_rows.reshape(-1), rhs_table, rhs_rows.reshape(-1), out)
        return out.reshape(ctx.shapes["output"]), lhs_rows, rhs_rows

    def lower(self, ctx: Ctx, ins, outs):
        lhs, lhs_table, rhs, rhs_table = ins
        out, lhs_rows, rhs_rows = (buffer.reshape(-1) for buffer in outs)
        dot = (row_dot.body_for(lhs_table), (lhs_table, lhs_rows, rhs_table, rhs_rows, out))
        return [
            *rows_steps(ctx.xp, lhs, outs[1], self.lhs_dim),
            *rows_steps(ctx.xp, rhs, outs[2], self.rhs_dim),
            dot,
        ]

    def backward(self, ctx: Ctx, dout, *, lhs_table, rhs_table, lhs_rows, rhs_rows):
        wanted = ctx.wants("lhs_table"), ctx.wants("rhs_table")
        lhs_rows, rhs_rows, scale = (a.reshape(-1) for a in (lhs_rows, rhs_rows, dout))
        both = row_dot_gradients(scale, lhs_table, lhs_rows, rhs_table, rhs_rows, wanted)
        return {"lhs_table": both[0], "rhs_table": both[1]}

    @stored("default, default, default, default, default -> -, row_sparse, -, row_sparse")
    def backward_rows(self, ctx: Ctx, dout, *, lhs_table, rhs_table, lhs_rows, rhs_rows):
        return self.backward(
            ctx,
            dout,
            lhs_table=lhs_table,
            rhs_table=rhs_table,
            lhs_rows=lhs_rows,
            rhs_rows=rhs_rows,
        )
