"""Products of matrices."""

from __future__ import annotations

from symgraph.errors import ShapeError
from symgraph.kernels.sparse import csr_dot, csr_dot_transposed, csr_dot_transposed_dense
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.precision import can_step, narrow, wide
from symgraph.ops.sparse_values import matched
from symgraph.ops.typenames import StorageType
from symgraph.storage import CSR, RowSparse, Shape


@operator("dot", aliases=("_sparse_dot",))
class Dot(Op):
    """The sum over the last axis of ``lhs`` and the first of ``rhs``.

    With a ``csr`` lhs the product is dense and the gradient of rhs is ``row_sparse``; with
    ``transpose_a`` it is the other way round.

    Shapes
    ------
    lhs : (*M, K), or (K, *M) with transpose_a; (N, K) where it is csr
    rhs : (K, *N), or (*N, K) with transpose_b
    output : (*M, *N), or (1,) where both are vectors
    """

    transpose_a: bool = attr(default=False, doc="Sum over the first axis of lhs.")
    transpose_b: bool = attr(default=False, doc="Sum over the last axis of rhs.")
    forward_stype: StorageType | None = attr(default=None, doc="Storage type of a sparse product.")

    def infer_shape(self, s: Shapes):
        lhs, rhs = s["lhs"], s["rhs"]
        k = lhs[0 if self.transpose_a else -1] or rhs[-1 if self.transpose_b else 0]
        rows = lhs[1:] if self.transpose_a else lhs[:-1]
        columns = rhs[:-1] if self.transpose_b else rhs[1:]
        s["lhs"] = (k, *rows) if self.transpose_a else (*rows, k)
        s["rhs"] = (*columns, k) if self.transpose_b else (k, *columns)
        s["output"] = (*rows, *columns) or (1,)

    def forward(self, ctx: Ctx, lhs, rhs):
        out = ctx.xp.dot(self._left(wide(lhs)), self._right(wide(rhs)))
        return narrow(out, lhs).reshape(ctx.shapes["output"])

    def backward(self, ctx: Ctx, dout, *, lhs, rhs):
        left, right = self._left(wide(lhs)), self._right(wide(rhs))
        dout = wide(dout).reshape(left.shape[0], right.shape[1])
        grads = {}
        if ctx.wants("lhs"):
            grad = right @ dout.T if self.transpose_a else dout @ right.T
            grads["lhs"] = narrow(grad, lhs).reshape(lhs.shape)
        if ctx.wants("rhs"):
            grad = dout.T @ left if self.transpose_b else left.T @ dout
            grads["rhs"] = narrow(grad, rhs).reshape(rhs.shape)
        return grads

    def lower(self, ctx: Ctx, ins, outs):
        if not can_step(*ins, *outs):
            return None
        left, right = self._left(ins[0]), self._right(ins[1])
        out = outs[0].reshape(left.shape[0], right.shape[1])
        return [(ctx.xp.dot, (left, right, out))]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        if not can_step(*heads, *needs.values(), *grads.values()):
            return None
        left, right = self._left(needs["lhs"]), self._right(needs["rhs"])
        dout = heads[0].reshape(left.shape[0], right.shape[1])
        pairs = {
            "lhs": (right, dout.T) if self.transpose_a else (dout, right.T),
            "rhs": (dout.T, left) if self.transpose_b else (left.T, dout),
        }
        return [
            (ctx.xp.dot, (*pairs[n], grad.reshape(pairs[n][0].shape[0], pairs[n][1].shape[1])))
            for n, grad in grads.items()
        ]

    def _left(self, lhs):
        """lhs as (M, K)."""
        return (
            lhs.reshape(lhs.shape[0], -1).T if self.transpose_a else lhs.reshape(-1, lhs.shape[-1])
        )

    def _right(self, rhs):
        """rhs as (K, N)."""
        return (
            rhs.reshape(-1, rhs.shape[-1]).T if self.transpose_b else rhs.reshape(rhs.shape[0], -1)
        )

    # ---- sparse ---------------------------------------------------------------------

    @stored("csr, default -> default", when=lambda op: not op.transpose_a)
    @stored("csr, row_sparse -> default", when=lambda op: not op.transpose_a and not op.transpose_b)
    def forward_csr(self, ctx: Ctx, lhs, rhs):
        rhs = rhs if isinstance(rhs, RowSparse) else self._whole_right(rhs)
        return _times(ctx, lhs, rhs, ctx.shapes["output"])

    @stored("csr, default -> row_sparse", when=lambda op: op._gives_rows())
    @stored("csr, row_sparse -> row_sparse", when=lambda op: op._gives_rows())
    def forward_csr_transposed(self, ctx: Ctx, lhs, rhs):
        if isinstance(rhs, RowSparse):
            rhs = rhs.data if rhs.is_full else _dense_rows(ctx, rhs)
        return _transposed_times(lhs, rhs, ctx.shapes["output"])

    @stored("csr, default -> default", when=lambda op: op.transpose_a and not op._gives_rows())
    def forward_csr_transposed_dense(self, ctx: Ctx, lhs, rhs):
        out = ctx.xp.empty(ctx.shapes["output"], wide(rhs).dtype)
        right = self._whole_right(wide(rhs))
        csr_dot_transposed_dense(wide(lhs.data), lhs.indices, lhs.indptr, right, out)
        return narrow(out, rhs)

    @stored("default, csr, default -> -, row_sparse", when=lambda op: op._gives_row_gradient())
    @stored("default, csr, row_sparse -> -, row_sparse", when=lambda op: op._gives_row_gradient())
    def backward_csr(self, ctx: Ctx, dout, *, lhs, rhs):
        return {"rhs": _transposed_times(lhs, dout, ctx.shapes["rhs"])}

    @stored("default, csr, default -> -, default", when=lambda op: not op.transpose_a)
    def backward_csr_dense(self, ctx: Ctx, dout, *, lhs, rhs):
        grad = ctx.xp.empty((rhs.shape[-1], *rhs.shape[:-1]), wide(dout).dtype)
        csr_dot_transposed_dense(wide(lhs.data), lhs.indices, lhs.indptr, wide(dout), grad)
        return {"rhs": ctx.xp.moveaxis(narrow(grad, dout), 0, -1)}

    @stored("default, csr, default -> -, default", when=lambda op: op.transpose_a)
    @stored("default, csr, row_sparse -> -, default", when=lambda op: op.transpose_a)
    def backward_csr_transposed(self, ctx: Ctx, dout, *, lhs, rhs):
        rows = (lhs.shape[0], *dout.shape[1:])
        grad = _times(ctx, lhs, dout, rows)
        return {"rhs": ctx.xp.moveaxis(grad, 0, -1) if self.transpose_b else grad}

    @stored("default, csr -> default", when=lambda op: not op.transpose_a)
    def forward_dense_csr(self, ctx: Ctx, lhs, rhs):
        left = wide(lhs).reshape(-1, lhs.shape[-1]).T.copy()
        columns = rhs.shape[0 if self.transpose_b else 1]
        out = ctx.xp.empty((columns, left.shape[1]), left.dtype)
        multiply = csr_dot if self.transpose_b else csr_dot_transposed_dense
        multiply(wide(rhs.data), rhs.indices, rhs.indptr, left, out)
        return narrow(out, lhs).T.reshape(ctx.shapes["output"])

    def _gives_rows(self) -> bool:
        return self.transpose_a and not self.transpose_b and self.forward_stype != "default"

    def _gives_row_gradient(self) -> bool:
        return not self.transpose_a and not self.transpose_b

    def _whole_right(self, rhs):
        """rhs with the axis to sum over in front, contiguous."""
        if self.transpose_b and rhs.ndim > 1:
            return self._right(rhs).reshape(rhs.shape[-1], *rhs.shape[:-1]).copy()
        return rhs


def _times(ctx: Ctx, lhs: CSR, rhs, shape: Shape):
    """``lhs @ rhs``, dense."""
    data, indices = lhs.data, lhs.indices
    if isinstance(rhs, RowSparse):
        if not rhs.data.shape[0]:
            return ctx.xp.zeros(shape, rhs.dtype)
        if not rhs.is_full:
            data, indices = matched(ctx.xp, data, indices, rhs.indices)
        rhs = rhs.data
    out = ctx.xp.empty(shape, wide(rhs).dtype)
    csr_dot(wide(data), indices, lhs.indptr, wide(rhs), out)
    return narrow(out, rhs)


def _transposed_times(lhs: CSR, rhs, shape: Shape) -> RowSparse:
    """``lhs.T @ rhs``, the columns of lhs that hold anything."""
    rows, sums = csr_dot_transposed(
        wide(lhs.data), lhs.indices, lhs.indptr, wide(rhs), lhs.shape[1]
    )
    return RowSparse(narrow(sums, rhs), rows, shape)


def _dense_rows(ctx: Ctx, value: RowSparse):
    out = ctx.xp.zeros(value.shape, value.dtype)
    out[value.indices] = value.data
    return out


@operator("batch_dot")
class BatchDot(Op):
    """A matrix product for each leading index.

    Shapes
    ------
    lhs : (*B, M, K), or (*B, K, M) with transpose_a
    rhs : (*B, K, N), or (*B, N, K) with transpose_b
    output : (*B, M, N)
    """

    transpose_a: bool = attr(default=False, doc="Exchange the last two axes of lhs.")
    transpose_b: bool = attr(default=False, doc="Exchange the last two axes of rhs.")
    forward_stype: StorageType | None = attr(default=None, doc="Without effect.")

    def infer_shape(self, s: Shapes):
        lhs, rhs = s["lhs"], s["rhs"]
        if len(lhs) < 3 or len(rhs) != len(lhs):
            raise ShapeError(f"lhs has shape {lhs} and rhs {rhs}; equally many, at least 3 axes")
        *batch, m, k = _swapped(lhs, self.transpose_a)
        *other, k2, n = _swapped(rhs, self.transpose_b)
        batch = [a or b for a, b in zip(batch, other, strict=True)]
        k = k or k2
        s["lhs"] = _swapped((*batch, m, k), self.transpose_a)
        s["rhs"] = _swapped((*batch, k, n), self.transpose_b)
        s["output"] = (*batch, m, n)
        s["lhs"] = _swapped((*s["output"][:-1], k), self.transpose_a)

    def forward(self, ctx: Ctx, lhs, rhs):
        left, right = self._sides(wide(lhs), wide(rhs))
        return narrow(ctx.xp.matmul(left, right), lhs)

    def backward(self, ctx: Ctx, dout, *, lhs, rhs):
        left, right = self._sides(wide(lhs), wide(rhs))
        dout = wide(dout)
        grads = {}
        if ctx.wants("lhs"):
            grad = ctx.xp.matmul(dout, right.swapaxes(-1, -2))
            grads["lhs"] = narrow(grad.swapaxes(-1, -2) if self.transpose_a else grad, lhs)
        if ctx.wants("rhs"):
            grad = ctx.xp.matmul(left.swapaxes(-1, -2), dout)
            grads["rhs"] = narrow(grad.swapaxes(-1, -2) if self.transpose_b else grad, rhs)
        return grads

    def lower(self, ctx: Ctx, ins, outs):
        if not can_step(*ins, *outs):
            return None
        return [(ctx.xp.matmul, (*self._sides(*ins), outs[0]))]

    def _sides(self, lhs, rhs):
        left = lhs.swapaxes(-1, -2) if self.transpose_a else lhs
        return left, rhs.swapaxes(-1, -2) if self.transpose_b else rhs


def _swapped(shape: Shape, swap: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if swap else tuple(shape)
