"""Operators about storage types."""

from __future__ import annotations

from symgraph.errors import StorageError
from symgraph.kernels.sparse import row_positions
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.sparse_values import csr_rows
from symgraph.ops.typenames import StorageType
from symgraph.storage import CSR, RowSparse


@operator("cast_storage", aliases=("_sparse_cast_storage",))
class CastStorage(Op):
    """``data`` in another storage type. A sparse result waits for the device to count.

    Shapes
    ------
    data, output : any; (N, C) for csr
    """

    stype: StorageType = attr(doc="Storage type of the output.")

    family = "sparse"

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        if self.stype == "csr" and len(s["data"]) != 2:
            raise StorageError(f"data has shape {s['data']}, but a matrix is required for csr")

    def forward(self, ctx: Ctx, data):
        return data

    @stored("default -> csr", when=lambda op: op.stype == "csr")
    def forward_to_csr(self, ctx: Ctx, data):
        xp = ctx.xp
        rows, columns = xp.nonzero(data)
        indptr = xp.searchsorted(rows, xp.arange(data.shape[0] + 1)).astype("int64")
        return CSR(data[rows, columns], columns.astype("int64"), indptr, data.shape)

    @stored("default -> row_sparse", when=lambda op: op.stype == "row_sparse")
    def forward_to_rows(self, ctx: Ctx, data):
        (rows,) = ctx.xp.nonzero((data != 0).reshape(data.shape[0], -1).any(1))
        return RowSparse(data[rows], rows.astype("int64"), data.shape)

    @stored("csr -> csr", when=lambda op: op.stype == "csr")
    @stored("row_sparse -> row_sparse", when=lambda op: op.stype == "row_sparse")
    def forward_same(self, ctx: Ctx, data):
        return data

    @stored("csr -> default", when=lambda op: op.stype == "default")
    def forward_from_csr(self, ctx: Ctx, data):
        out = ctx.xp.zeros(data.shape, data.dtype)
        out[csr_rows(ctx.xp, data), data.indices] = data.data
        return out

    @stored("row_sparse -> default", when=lambda op: op.stype == "default")
    def forward_from_rows(self, ctx: Ctx, data):
        out = ctx.xp.zeros(data.shape, data.dtype)
        out[data.indices] = data.data
        return out

    @stored("csr -> row_sparse", when=lambda op: op.stype == "row_sparse")
    @stored("row_sparse -> csr", when=lambda op: op.stype == "csr")
    def forward_between(self, ctx: Ctx, data):
        dense = self.forward_from_csr if isinstance(data, CSR) else self.forward_from_rows
        to = self.forward_to_rows if isinstance(data, CSR) else self.forward_to_csr
        return to(ctx, dense(ctx, data))

    def backward(self, ctx: Ctx, dout):
        return {"data": dout}


@operator("_sparse_retain")
class SparseRetain(Op):
    """Some rows of a ``row_sparse`` array; of a dense one, zero elsewhere.

    Shapes
    ------
    data, output : (N, ...)
    indices : (K,), row numbers
    """

    family = "sparse"

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def infer_dtype(self, t: DTypes):
        t.unify("data", "output")

    def forward(self, ctx: Ctx, data, indices):
        rows = indices.astype("int64")
        out = ctx.xp.zeros_like(data)
        out[rows] = data[rows]
        return out

    @stored("row_sparse, default -> row_sparse")
    def forward_rows(self, ctx: Ctx, data, indices):
        xp = ctx.xp
        wanted = xp.unique(indices.astype("int64"))
        place = row_positions(data.indices, wanted)
        kept = place[place >= 0]
        return RowSparse(data.data[kept], data.indices[kept], data.shape)

    def backward(self, ctx: Ctx, dout, *, indices):
        rows = indices.astype("int64")
        grad = ctx.xp.zeros(ctx.shapes["data"], dout.dtype)
        grad[rows] = dout[rows]
        return {"data": grad}

    @stored("default, default -> row_sparse", when=lambda op: True)
    def backward_rows(self, ctx: Ctx, dout, *, indices):
        rows = ctx.xp.unique(indices.astype("int64"))
        return {"data": RowSparse(dout[rows], rows, ctx.shapes["data"])}
