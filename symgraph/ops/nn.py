"""Layers: fully connected and dropout."""

from __future__ import annotations

from math import prod
from typing import Literal

from symgraph.errors import ShapeError
from symgraph.kernels.sparse import csr_dot, csr_dot_transposed_dense
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator, stored
from symgraph.ops.precision import can_step, narrow, wide
from symgraph.storage import Array, Shape


@operator(aliases=("_npx_fully_connected", "_sparse_FullyConnected"))
class FullyConnected(Op):
    """Affine map ``output = data @ weight.T + bias``.

    Shapes, with K the product of the trailing axes of ``data``
    ------
    data : (N, ...), or (..., K) when not ``flatten``
    weight : (num_hidden, K)
    bias : (num_hidden,), absent when ``no_bias``
    output : (N, num_hidden), or (..., num_hidden) when not ``flatten``
    """

    num_hidden: int = attr(ge=1, doc="Number of output features.")
    no_bias: bool = attr(default=False, doc="Leave the bias out.")
    flatten: bool = attr(default=True, doc="Collapse all axes of data but the first.")

    def list_inputs(self):
        return ("data", "weight") if self.no_bias else ("data", "weight", "bias")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        head = len(data[:1] if self.flatten else data[:-1])
        s["weight"] = (self.num_hidden, prod(data[head:]))
        s["bias"] = (self.num_hidden,)
        s["output"] = (*data[:head], self.num_hidden)
        rows, features = s["output"][:head], s["weight"][1]
        known = prod(n for n in data[head:] if n)
        if data[head:].count(0) == 1 and features and features % known == 0:
            data = (*data[:head], *(n or features // known for n in data[head:]))
        s["data"] = (*rows, *data[head:])

    def forward(self, ctx: Ctx, data, weight, bias=None):
        out = self._rows(wide(data)) @ wide(weight).T
        if bias is not None:
            out += bias
        return narrow(out, data).reshape(ctx.shapes["output"])

    def backward(self, ctx: Ctx, dout, *, data, weight):
        rows = wide(dout).reshape(-1, self.num_hidden)
        grads = {}
        if ctx.wants("data"):
            grads["data"] = narrow(rows @ wide(weight), data).reshape(data.shape)
        if ctx.wants("weight"):
            grads["weight"] = narrow(rows.T @ self._rows(wide(data)), weight)
        if ctx.wants("bias"):
            grads["bias"] = narrow(rows.sum(0), weight)
        return grads

    @stored("csr, default -> default")
    @stored("csr, default, default -> default")
    def forward_csr(self, ctx: Ctx, data, weight, bias=None):
        out = ctx.xp.empty(ctx.shapes["output"], wide(weight).dtype)
        csr_dot(wide(data.data), data.indices, data.indptr, wide(weight).T.copy(), out)
        if bias is not None:
            out += bias
        return narrow(out, weight)

    @stored("default, csr, default -> default, default, default")
    def backward_csr(self, ctx: Ctx, dout, *, data, weight):
        rows = wide(dout)
        grads = {}
        if ctx.wants("data"):
            grads["data"] = narrow(rows @ wide(weight), weight)
        if ctx.wants("weight"):
            grad = ctx.xp.empty(weight.shape[::-1], rows.dtype)
            csr_dot_transposed_dense(wide(data.data), data.indices, data.indptr, rows, grad)
            grads["weight"] = narrow(grad.T, weight)
        if ctx.wants("bias"):
            grads["bias"] = narrow(rows.sum(0), weight)
        return grads

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        if not can_step(*ins, *outs):
            return None
        data, weight, *bias = ins
        rows, out = self._rows(data), outs[0].reshape(-1, self.num_hidden)
        steps: list[Step] = [(ctx.xp.matmul, (rows, weight.T, out))]
        return steps + [(ctx.xp.add, (out, b, out)) for b in bias]

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        if not can_step(*heads, *needs.values(), *grads.values()):
            return None
        xp, rows = ctx.xp, heads[0].reshape(-1, self.num_hidden)
        steps: list[Step] = []
        if "data" in grads:
            out = grads["data"].reshape(rows.shape[0], -1)
            steps.append((xp.matmul, (rows, needs["weight"], out)))
        if "weight" in grads:
            steps.append((xp.matmul, (rows.T, self._rows(needs["data"]), grads["weight"])))
        if "bias" in grads:
            # a product with ones is several times faster than a sum over a short first axis
            ones = xp.ones(rows.shape[0], rows.dtype)
            steps.append((xp.matmul, (ones, rows, grads["bias"])))
        return steps

    def _rows(self, data):
        """(N, ...) -> (N, K), a view of a contiguous array."""
        return data.reshape(data.shape[0], -1) if self.flatten else data.reshape(-1, data.shape[-1])


@operator(aliases=("_npx_dropout",))
class Dropout(Op):
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)``.

    Shapes
    ------
    data, output : any
    mask : the shape of data, with length one along ``axes``
    """

    hidden = ("mask",)
    in_place = True

    p: float = attr(default=0.5, ge=0, le=1, doc="Probability of zeroing an element.")
    mode: Literal["always", "training"] = attr(default="training", doc="When to drop.")
    axes: Shape = attr(default=(), ge=0, doc="Axes along which one decision is shared.")
    cudnn_off: bool | None = attr(default=False, doc="Accepted and ignored.")

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        data = s["data"]
        if any(axis >= len(data) for axis in self.axes):
            raise ShapeError(f"axes is {self.axes}, but data has {len(data)} axes")
        s["mask"] = tuple(1 if i in self.axes else n for i, n in enumerate(data))

    def forward(self, ctx: Ctx, data):
        xp, shape = ctx.xp, ctx.shapes["mask"]
        if not self._drops(ctx):
            return data, xp.broadcast_to(xp.ones((), data.dtype), shape)
        keep = ctx.rng().random(shape, dtype="float32") >= self.p
        mask = keep * xp.asarray(1 / (1 - self.p) if self.p < 1 else 0, data.dtype)
        return data * mask, mask

    def backward(self, ctx: Ctx, dout, *, mask):
        return {"data": dout * mask}

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        if self._drops(ctx):
            return None
        return [(ctx.xp.copyto, (outs[0], ins[0])), *((mask.fill, (1,)) for mask in outs[1:])]

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        return [(ctx.xp.multiply, (heads[0], needs["mask"], grads["data"]))]

    def _drops(self, ctx: Ctx):
        return self.p > 0 and (self.mode == "always" or ctx.is_train)
