"""Operators that cut, join, turn and repeat arrays."""

from __future__ import annotations

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.axes import one_axis
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.sparse_values import csr_concat, csr_slice
from symgraph.ops.steps import put
from symgraph.ops.views import copies_view
from symgraph.storage import Shape

# ---- turning ------------------------------------------------------------------------


@operator("transpose")
@copies_view(whole=True)
class Transpose(Op):
    """Axes in another order, by default reversed.

    Shapes
    ------
    data : any
    output : the lengths of data in the order of ``axes``
    """

    axes: tuple[int, ...] = attr(default=(), doc="Axis of data for each axis of the output.")

    def infer_shape(self, s: Shapes):
        data, out = s.get("data"), s.get("output")
        if data is not None:
            s["output"] = tuple(data[a] for a in self._order(len(data)))
        if out is not None:
            order = self._order(len(out))
            s["data"] = tuple(out[order.index(i)] for i in range(len(out)))

    def _order(self, ndim: int) -> tuple[int, ...]:
        order = tuple(one_axis(a, ndim) for a in self.axes) or tuple(range(ndim))[::-1]
        if sorted(order) != list(range(ndim)):
            raise ShapeError(f"axes is {self.axes}, but an order of {ndim} axes is required")
        return order

    def _view(self, ctx: Ctx, data):
        return data.transpose(self._order(data.ndim))


@operator("SwapAxis", aliases=("swapaxes",))
@copies_view(whole=True)
class SwapAxis(Op):
    """Two axes in each other's place.

    Shapes
    ------
    data : any
    output : that of data with the two lengths swapped
    """

    dim1: int = attr(default=0, doc="One axis.")
    dim2: int = attr(default=0, doc="The other axis.")

    def infer_shape(self, s: Shapes):
        for one, other in (("data", "output"), ("output", "data")):
            if s.get(one) is not None:
                shape = list(s[one])
                i, j = one_axis(self.dim1, len(shape)), one_axis(self.dim2, len(shape))
                shape[i], shape[j] = shape[j], shape[i]
                s[other] = tuple(shape)

    def _view(self, ctx: Ctx, data):
        return data.swapaxes(self.dim1, self.dim2)


@operator("reverse", aliases=("flip",))
@copies_view(whole=True)
class Reverse(Op):
    """Elements in reverse order along some axes.

    Shapes
    ------
    data, output : any
    """

    axis: tuple[int, ...] = attr(doc="Axes to reverse.")

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def _view(self, ctx: Ctx, data):
        back = {one_axis(a, data.ndim) for a in self.axis}
        return data[tuple(slice(None, None, -1 if i in back else 1) for i in range(data.ndim))]


# ---- cutting ------------------------------------------------------------------------

Bounds = tuple[int | None, ...]


@operator("slice", aliases=("crop", "_sparse_slice"))
@copies_view(whole=False)
class Slice(Op):
    """The part of ``data`` from ``begin`` to ``end``, as Python slices it.

    Shapes
    ------
    data : any
    output : as many axes as data, cut along the first ``len(begin)``
    """

    begin: Bounds = attr(doc="First index along each axis; None for the end it starts at.")
    end: Bounds = attr(doc="Index after the last along each axis; None for all.")
    step: Bounds = attr(default=(), doc="Distance along each axis; None for 1.")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        cuts = self._slices()
        if len(cuts) > len(data):
            raise ShapeError(f"begin has {len(cuts)} entries, but data has {len(data)} axes")
        lengths = [len(range(*cut.indices(n))) for cut, n in zip(cuts, data, strict=False)]
        if any(n and not m for n, m in zip(data, lengths, strict=False)):
            raise ShapeError(f"nothing of {data} lies from {self.begin} to {self.end}")
        s["output"] = (*lengths, *data[len(cuts) :])

    @stored("csr -> csr", when=lambda op: all(c.step in (None, 1) for c in op._slices()))
    def forward_csr(self, ctx: Ctx, data):
        cuts = (*self._slices(), slice(None))[:2]
        rows, columns = (range(*c.indices(n)) for c, n in zip(cuts, data.shape, strict=True))
        return csr_slice(ctx.xp, data, rows, columns)

    def _slices(self) -> tuple[slice, ...]:
        steps = self.step or (None,) * len(self.begin)
        if not len(self.begin) == len(self.end) == len(steps):
            raise ShapeError(
                f"begin {self.begin}, end {self.end}, step {self.step} differ in length"
            )
        return tuple(map(slice, self.begin, self.end, steps))

    def _view(self, ctx: Ctx, data):
        return data[self._slices()]


@operator("slice_axis")
@copies_view(whole=False)
class SliceAxis(Op):
    """The part of ``data`` from ``begin`` to ``end`` along one axis.

    Shapes
    ------
    data : any
    output : that of data but for ``axis``
    """

    axis: int = attr(doc="Axis to cut.")
    begin: int = attr(doc="First index; from the end where negative.")
    end: int | None = attr(doc="Index after the last; None for all.")

    def infer_shape(self, s: Shapes):
        data = s["data"]
        axis = one_axis(self.axis, len(data))
        n = data[axis]
        begin = self.begin + n * (self.begin < 0)
        end = n if self.end is None else self.end + n * (self.end < 0)
        if n and not 0 <= begin < end <= n:
            raise ShapeError(
                f"begin is {self.begin} and end is {self.end}, which cut nothing of length {n}"
            )
        s["output"] = (*data[:axis], end - begin if n else 0, *data[axis + 1 :])

    def _view(self, ctx: Ctx, data):
        return data[(slice(None),) * (self.axis % data.ndim) + (slice(self.begin, self.end),)]


@operator("slice_like")
class SliceLike(Op):
    """The part of ``data`` that is as long as another array.

    Shapes
    ------
    data : any
    shape_like : as many axes where ``axes`` is not given
    output : that of data with the lengths of shape_like along ``axes``
    """

    axes: tuple[int, ...] = attr(default=(), doc="Axes to cut, all by default.")

    def infer_shape(self, s: Shapes):
        data, like = s["data"], s["shape_like"]
        axes = [one_axis(a, len(data)) for a in self.axes or range(len(data))]
        out = list(data)
        for a in axes:
            out[a] = like[a]
            if data[a] and like[a] > data[a]:
                raise ShapeError(f"shape_like has shape {like}, which is longer than data, {data}")
        s["output"] = tuple(out)

    def infer_dtype(self, t: DTypes):
        t.unify("data", "output")

    def forward(self, ctx: Ctx, data, shape_like):
        return data[self._slices(ctx)]

    def backward(self, ctx: Ctx, dout):
        grad = ctx.xp.zeros(ctx.shapes["data"], dout.dtype)
        grad[self._slices(ctx)] = dout
        return {"data": grad}

    def _slices(self, ctx: Ctx):
        return tuple(map(slice, ctx.shapes["output"]))


@operator("SliceChannel", aliases=("split",))
class SliceChannel(Op):
    """Cut ``data`` into ``num_outputs`` equal pieces along ``axis``.

    Shapes
    ------
    data : (..., num_outputs * n, ...)
    output0, output1, ... : (..., n, ...), without that axis when ``squeeze_axis``
    """

    num_outputs: int = attr(ge=1, doc="Number of pieces.")
    axis: int = attr(default=1, doc="Axis to cut.")
    squeeze_axis: bool = attr(default=False, doc="Drop the axis; its pieces must have length one.")

    def list_outputs(self):
        return tuple(f"output{i}" for i in range(self.num_outputs))

    def infer_shape(self, s: Shapes):
        s.unify(*self.list_outputs())
        data = s["data"]
        axis = one_axis(self.axis, len(data))
        length, rest = divmod(data[axis], self.num_outputs)
        if rest:
            raise ShapeError(
                f"data has shape {data}, whose axis {self.axis} does not split into "
                f"{self.num_outputs} equal pieces"
            )
        if self.squeeze_axis and length > 1:
            raise ShapeError(f"squeeze_axis needs pieces of length 1, but they have {length}")
        piece = () if self.squeeze_axis else (length,)
        for name in self.list_outputs():
            s[name] = (*data[:axis], *piece, *data[axis + 1 :])
        s["data"] = self._whole(s[self.list_outputs()[0]], axis)

    def _whole(self, piece: Shape, axis: int) -> Shape:
        length = 1 if self.squeeze_axis else piece[axis]
        rest = piece[axis:] if self.squeeze_axis else piece[axis + 1 :]
        return (*piece[:axis], length * self.num_outputs, *rest)

    def forward(self, ctx: Ctx, data):
        return self._pieces(data)

    def backward(self, ctx: Ctx, *douts):
        grad = ctx.xp.empty(ctx.shapes["data"], douts[0].dtype)
        for piece, dout in zip(self._pieces(grad), douts, strict=True):
            piece[...] = dout
        return {"data": grad}

    def lower(self, ctx: Ctx, ins, outs):
        return [put(*pair) for pair in zip(outs, self._pieces(ins[0]), strict=True)]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        pieces = self._pieces(grads["data"])
        return [put(*pair) for pair in zip(pieces, heads, strict=True)]

    def _pieces(self, data):
        axis = self.axis % data.ndim
        n = data.shape[axis] // self.num_outputs
        at = (slice(None),) * axis
        if self.squeeze_axis:
            return [data[(*at, i)] for i in range(self.num_outputs)]
        return [data[(*at, slice(i * n, (i + 1) * n))] for i in range(self.num_outputs)]


# ---- joining ------------------------------------------------------------------------


@operator("Concat", aliases=("concat", "_sparse_concat"))
class Concat(Op):
    """The inputs one after the other along an axis.

    Shapes
    ------
    arg0, arg1, ... : the same but for axis ``dim``; csr matrices along their rows
    output : that of the inputs, with their lengths along ``dim`` added
    """

    num_args: int = attr(ge=1, doc="Number of inputs.")
    dim: int = attr(default=1, doc="Axis along which they lie.")

    count_attr = "num_args"

    def implementation(self, stage, stypes):
        if stage == "forward" and set(stypes) == {"csr"} and self.dim == 0:
            return next(i for i in self.impls if i.method == "forward_csr")
        return super().implementation(stage, stypes)

    def infer_shape(self, s: Shapes):
        names = [*self.list_inputs(), "output"]
        known = [shape for n in names if (shape := s.get(n)) is not None]
        axis = one_axis(self.dim, len(known[0])) if known else 0
        for shape in known:
            for name in names:
                s[name] = (*shape[:axis], 0, *shape[axis + 1 :])
        *lengths, total = [s[n][axis] for n in names]
        frame = s["output"]
        if all(lengths):
            s["output"] = (*frame[:axis], sum(lengths), *frame[axis + 1 :])
        elif total and lengths.count(0) == 1:
            last = total - sum(lengths)
            s[names[lengths.index(0)]] = (*frame[:axis], last, *frame[axis + 1 :])

    def forward(self, ctx: Ctx, *args):
        return ctx.xp.concatenate(args, self.dim)

    @stored("csr -> csr")
    def forward_csr(self, ctx: Ctx, *args):
        return csr_concat(ctx.xp, args)

    def backward(self, ctx: Ctx, dout):
        return self._parts(ctx, dout)

    def lower(self, ctx: Ctx, ins, outs):
        parts = self._parts(ctx, outs[0]).values()
        return [put(*pair) for pair in zip(parts, ins, strict=True)]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        parts = self._parts(ctx, heads[0])
        return [put(grad, parts[name]) for name, grad in grads.items()]

    def _parts(self, ctx: Ctx, joined):
        """Views of the inputs' places in the output."""
        axis, parts, end = self.dim % joined.ndim, {}, 0
        for name in self.list_inputs():
            begin, end = end, end + ctx.shapes[name][axis]
            parts[name] = joined[(slice(None),) * axis + (slice(begin, end),)]
        return parts


@operator("stack")
class Stack(Op):
    """The inputs one after the other along a new axis.

    Shapes
    ------
    arg0, arg1, ... : any, the same
    output : that of the inputs with ``num_args`` inserted at ``axis``
    """

    axis: int = attr(default=0, doc="Where the new axis is in the output.")
    num_args: int = attr(ge=1, doc="Number of inputs.")

    count_attr = "num_args"

    def infer_shape(self, s: Shapes):
        s.unify(*self.list_inputs())
        if s.get("output") is not None:
            out = s["output"]
            at = one_axis(self.axis, len(out))
            s["arg0"] = out[:at] + out[at + 1 :]
        one = s["arg0"]
        at = one_axis(self.axis, len(one) + 1)
        s["output"] = (*one[:at], self.num_args, *one[at:])

    def forward(self, ctx: Ctx, *args):
        return ctx.xp.stack(args, self.axis)

    def backward(self, ctx: Ctx, dout):
        return self._parts(dout)

    def lower(self, ctx: Ctx, ins, outs):
        parts = self._parts(outs[0]).values()
        return [put(*pair) for pair in zip(parts, ins, strict=True)]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        parts = self._parts(heads[0])
        return [put(grad, parts[name]) for name, grad in grads.items()]

    def _parts(self, joined):
        at = (slice(None),) * (self.axis % joined.ndim)
        return {name: joined[(*at, i)] for i, name in enumerate(self.list_inputs())}
