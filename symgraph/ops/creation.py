"""Operators without inputs, and arrays like others."""

from __future__ import annotations

from math import ceil

from symgraph.errors import AttributeValueError
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.typenames import ElementType, NumberType
from symgraph.storage import CSR, RowSparse


def _declared_shape(self, s: Shapes) -> None:
    if self.shape:
        s["output"] = self.shape


def _declared_dtype(self, t: DTypes) -> None:
    t["output"] = self.dtype


def _constant(name: str, value: float, doc: str) -> None:
    """``_zeros`` and ``_ones``."""

    class Constant(Op):
        shape: tuple[int, ...] = attr(default=(), ge=0, doc="The shape; 0 is to be inferred.")
        ctx: str = attr(default="", doc="Device, where the operator is called by itself.")
        dtype: ElementType = attr(default="float32", doc="Element type.")

        family = "creation"
        infer_shape, infer_dtype = _declared_shape, _declared_dtype

        def forward(self, ctx: Ctx):
            return ctx.xp.full(ctx.shapes["output"], value, self.dtype)

        def lower(self, ctx: Ctx, ins, outs):
            return [(outs[0].fill, (value,))]

    Constant.__doc__ = f"{doc}\n\nShapes\n------\noutput : ``shape``\n"
    operator(name)(Constant)


_constant("_zeros", 0, "Zeros.")
_constant("_ones", 1, "Ones.")


@operator("_full")
class Full(Op):
    """One number everywhere.

    Shapes
    ------
    output : ``shape``
    """

    shape: tuple[int, ...] = attr(default=(), ge=0, doc="The shape; 0 is to be inferred.")
    ctx: str = attr(default="", doc="Device, where the operator is called by itself.")
    dtype: ElementType = attr(default="float32", doc="Element type.")
    value: float = attr(doc="The number.")

    infer_shape, infer_dtype = _declared_shape, _declared_dtype

    def forward(self, ctx: Ctx):
        return ctx.xp.full(ctx.shapes["output"], self.value, self.dtype)


@operator("_arange")
class Arange(Op):
    """Numbers from ``start`` up to but not including ``stop``.

    Shapes
    ------
    output : (ceil((stop - start) / step) * repeat,), or to be inferred when ``infer_range``
    """

    start: float = attr(doc="First number; with stop None the end, from 0.")
    stop: float | None = attr(default=None, doc="The end.")
    step: float = attr(default=1.0, doc="Distance of two numbers.")
    repeat: int = attr(default=1, ge=1, doc="How often each number occurs.")
    infer_range: bool = attr(default=False, doc="Take the length from what reads the output.")
    ctx: str = attr(default="", doc="Device, where the operator is called by itself.")
    dtype: NumberType = attr(default="float32", doc="Element type.")

    infer_dtype = _declared_dtype

    def infer_shape(self, s: Shapes):
        if self.infer_range and self.stop is None:
            s["output"] = (0,)
            return
        start, stop = (self.start, self.stop) if self.stop is not None else (0.0, self.start)
        count = ceil((stop - start) / self.step) if self.step else 0
        if count <= 0:
            raise AttributeValueError(f"no number lies from {start} to {stop} in steps {self.step}")
        s["output"] = (count * self.repeat,)

    def forward(self, ctx: Ctx):
        xp, (length,) = ctx.xp, ctx.shapes["output"]
        start = self.start if self.stop is not None or self.infer_range else 0.0
        numbers = start + self.step * xp.arange(length // self.repeat, dtype="float64")
        return xp.repeat(numbers, self.repeat).astype(self.dtype)


def _like(name: str, value: int, doc: str, aliases: tuple[str, ...] = ()) -> None:
    """``zeros_like`` and ``ones_like``."""

    class Like(Op):
        family = "creation"

        def infer_shape(self, s: Shapes):
            s.unify("data", "output")

        def forward(self, ctx: Ctx, data):
            return ctx.xp.full(ctx.shapes["output"], value, ctx.dtypes["output"])

        def lower(self, ctx: Ctx, ins, outs):
            return [(outs[0].fill, (value,))]

        if not value:

            @stored("row_sparse -> row_sparse")
            def forward_rows(self, ctx: Ctx, data):
                return RowSparse(data.data[:0], data.indices[:0], data.shape)

            @stored("csr -> csr")
            def forward_csr(self, ctx: Ctx, data):
                pointers = ctx.xp.zeros(data.indptr.shape, "int64")
                return CSR(data.data[:0], data.indices[:0], pointers, data.shape)

    Like.__doc__ = f"{doc}\n\nShapes\n------\ndata, output : any\n"
    operator(name, aliases=aliases)(Like)


_like("zeros_like", 0, "Zeros in the shape and type of ``data``.", ("_sparse_zeros_like",))
_like("ones_like", 1, "Ones in the shape and type of ``data``.")
