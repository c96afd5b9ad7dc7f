"""Elementwise operators, a row each; those that are no row are at the end."""

from __future__ import annotations

import math

from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.families import binary, unary
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.sparse_values import spread, union
from symgraph.ops.steps import put
from symgraph.ops.typenames import ElementType
from symgraph.storage import RowSparse

# fmt: off
# ---- signs and roundings ------------------------------------------------------------

unary("abs", "absolute", lambda xp, g, data: g * xp.sign(data),
      keeps_zero=True, exact=True, doc="Absolute value; its gradient at zero is zero.")
unary("sign", "sign", keeps_zero=True, exact=True, doc="-1, 0 or 1.")
unary("negative", "negative", lambda xp, g: xp.negative(g),
      keeps_zero=True, exact=True, doc="The opposite.")
unary("floor", "floor", keeps_zero=True, doc="The next integer below.")
unary("ceil", "ceil", keeps_zero=True, doc="The next integer above.")
unary("trunc", "trunc", keeps_zero=True, doc="The next integer towards zero.")
unary("fix", "trunc", keeps_zero=True, doc="The next integer towards zero.")
# x - floor(x) is exact, where x + 0.5 may round
unary("rint", lambda xp, data: xp.floor(data) + (data - xp.floor(data) > 0.5),
      keeps_zero=True, doc="The nearest integer; halves go down.")
unary("round",
      lambda xp, data: xp.sign(data) * (
          xp.floor(xp.absolute(data))
          + (xp.absolute(data) - xp.floor(xp.absolute(data)) >= 0.5)),
      keeps_zero=True, doc="The nearest integer; halves go away from zero.")

# ---- powers, exponentials, logarithms -----------------------------------------------

unary("square", "square", lambda g, data: 2 * data * g,
      keeps_zero=True, exact=True, doc="The square.")
unary("sqrt", "sqrt", lambda g, output: 0.5 * g / output, keeps_zero=True, doc="The square root.")
unary("rsqrt", lambda xp, data: 1 / xp.sqrt(data), lambda g, data, output: -0.5 * g * output / data,
      doc="One over the square root.")
unary("cbrt", "cbrt", lambda xp, g, output: g / (3 * xp.square(output)),
      keeps_zero=True, doc="The cube root.")
unary("rcbrt", lambda xp, data: 1 / xp.cbrt(data), lambda g, data, output: g * output / (-3 * data),
      sparse_alias=False, doc="One over the cube root.")
unary("reciprocal", lambda data: 1 / data, lambda xp, g, output: -g * xp.square(output),
      sparse_alias=False, doc="One over.")
unary("exp", "exp", lambda g, output: g * output, doc="The exponential function.")
unary("expm1", "expm1", lambda g, output: g * (output + 1),
      keeps_zero=True, doc="``exp(x) - 1``, exact for small x.")
unary("log", "log", lambda g, data: g / data, doc="The natural logarithm.")
unary("log2", "log2", lambda g, data: g / (data * math.log(2)), doc="The logarithm to base 2.")
unary("log10", "log10", lambda g, data: g / (data * math.log(10)), doc="The logarithm to base 10.")
unary("log1p", "log1p", lambda g, data: g / (1 + data),
      keeps_zero=True, doc="``log(1 + x)``, exact for small x.")

# ---- trigonometric and hyperbolic ---------------------------------------------------

unary("sin", "sin", lambda xp, g, data: g * xp.cos(data), keeps_zero=True, doc="The sine.")
unary("cos", "cos", lambda xp, g, data: -g * xp.sin(data), doc="The cosine.")
unary("tan", "tan", lambda xp, g, output: g * (1 + xp.square(output)),
      keeps_zero=True, doc="The tangent.")
unary("arcsin", "arcsin", lambda xp, g, data: g / xp.sqrt(1 - xp.square(data)),
      keeps_zero=True, doc="The inverse sine.")
unary("arccos", "arccos", lambda xp, g, data: -g / xp.sqrt(1 - xp.square(data)),
      doc="The inverse cosine.")
unary("arctan", "arctan", lambda xp, g, data: g / (1 + xp.square(data)),
      keeps_zero=True, doc="The inverse tangent.")
unary("sinh", "sinh", lambda xp, g, data: g * xp.cosh(data),
      keeps_zero=True, doc="The hyperbolic sine.")
unary("cosh", "cosh", lambda xp, g, data: g * xp.sinh(data), doc="The hyperbolic cosine.")
unary("tanh", "tanh", lambda xp, g, output: g * (1 - xp.square(output)),
      keeps_zero=True, doc="The hyperbolic tangent.")
unary("arcsinh", "arcsinh", lambda xp, g, data: g / xp.sqrt(xp.square(data) + 1),
      keeps_zero=True, doc="The inverse hyperbolic sine.")
unary("arccosh", "arccosh", lambda xp, g, data: g / xp.sqrt(xp.square(data) - 1),
      doc="The inverse hyperbolic cosine.")
unary("arctanh", "arctanh", lambda xp, g, data: g / (1 - xp.square(data)),
      keeps_zero=True, doc="The inverse hyperbolic tangent.")
unary("degrees", lambda data: data * (180 / math.pi), lambda g: g * (180 / math.pi),
      keeps_zero=True, doc="Radians to degrees.")
unary("radians", lambda data: data * (math.pi / 180), lambda g: g * (math.pi / 180),
      keeps_zero=True, doc="Degrees to radians.")

# ---- special functions --------------------------------------------------------------

unary("erf", lambda special, data: special.erf(data),
      lambda xp, g, data: g * (2 / math.sqrt(math.pi)) * xp.exp(-xp.square(data)),
      sparse_alias=False, doc="The error function.")
unary("erfinv", lambda special, data: special.erfinv(data),
      lambda xp, g, output: g * (math.sqrt(math.pi) / 2) * xp.exp(xp.square(output)),
      sparse_alias=False, doc="The inverse of the error function.")
unary("gamma", lambda special, data: special.gamma(data),
      lambda special, g, data, output: g * output * special.digamma(data),
      doc="The gamma function.")
unary("gammaln", lambda special, data: special.gammaln(data),
      lambda special, g, data: g * special.digamma(data),
      doc="The logarithm of the absolute value of the gamma function.")

# ---- activations --------------------------------------------------------------------

unary("relu", lambda xp, data: xp.maximum(data, 0), lambda g, output: g * (output > 0),
      keeps_zero=True, exact=True, doc="``max(x, 0)``.")
unary("sigmoid", lambda xp, data: 1 / (1 + xp.exp(-data)),
      lambda g, output: g * output * (1 - output), doc="``1 / (1 + exp(-x))``.")
unary("softsign", lambda xp, data: data / (1 + xp.absolute(data)),
      lambda xp, g, data: g / xp.square(1 + xp.absolute(data)),
      sparse_alias=False, doc="``x / (1 + |x|)``.")
unary("hard_sigmoid",
      lambda xp, data, alpha, beta: xp.minimum(xp.maximum(alpha * data + beta, 0), 1),
      lambda g, output, alpha: g * alpha * (output > 0) * (output < 1), sparse_alias=False,
      attributes={"alpha": attr(default=0.2, doc="Slope."),
                  "beta": attr(default=0.5, doc="Value at zero.")},
      doc="``alpha * x + beta``, cut to [0, 1].")
unary("clip", lambda xp, data, a_min, a_max: xp.minimum(xp.maximum(data, a_min), a_max),
      lambda g, data, a_min, a_max: g * (data >= a_min) * (data <= a_max), exact=True,
      keeps_zero=lambda op: op.a_min <= 0 <= op.a_max,
      attributes={"a_min": attr(doc="Lowest value."), "a_max": attr(doc="Highest value.")},
      doc="Cut to ``[a_min, a_max]``.")
unary("smooth_l1",
      lambda xp, data, scalar: xp.where(xp.absolute(data) < 1 / scalar**2,
                                        0.5 * scalar**2 * xp.square(data),
                                        xp.absolute(data) - 0.5 / scalar**2),
      lambda xp, g, data, scalar: g * xp.minimum(xp.maximum(scalar**2 * data, -1), 1),
      sparse_alias=False,
      attributes={"scalar": attr(default=1.0, doc="The square of it is the curvature at zero.")},
      doc="Absolute value, rounded off near zero: ``(scalar * x)**2 / 2`` for small x.")
unary("logical_not", "logical_not", exact=True, sparse_alias=False, doc="1 where x is 0, else 0.")

# ---- binary -------------------------------------------------------------------------

binary("add", "add", lambda g: g, lambda g: g, word="plus", arithmetic=True,
       sparse=("union", "number"), doc="The sum.")
binary("sub", "subtract", lambda g: g, lambda xp, g: xp.negative(g), word="minus", reverse=True,
       arithmetic=True, sparse=("union", "number"), doc="The difference.")
binary("mul", "multiply", lambda g, rhs: g * rhs, lambda g, lhs: g * lhs,
       arithmetic=True, sparse=("union", "product", "left", "number"),
       doc="The product.")
binary("div", "divide", lambda g, rhs: g / rhs, lambda xp, g, lhs, rhs: -g * lhs / xp.square(rhs),
       reverse=True, arithmetic=True, exact=False, sparse=("left", "number"),
       doc="The quotient; integers are cut off.")
binary("mod", lambda xp, lhs, rhs: xp.where(xp.equal(rhs, 0), 0, xp.mod(lhs, rhs)),
       lambda g: g, lambda xp, g, lhs, rhs: -g * xp.floor(lhs / rhs), reverse=True,
       doc="The remainder, which has the sign of the divisor; 0 where that is 0.")
binary("power", lambda lhs, rhs: lhs**rhs, lambda g, lhs, rhs: g * rhs * lhs ** (rhs - 1),
       lambda xp, g, lhs, output: g * output * xp.log(lhs), reverse=True, exact=False,
       doc="The power.")
binary("maximum", "maximum", lambda g, lhs, rhs: g * (lhs >= rhs),
       lambda g, lhs, rhs: g * (lhs < rhs), sparse=("union",),
       doc="The larger; ties give the left the gradient.")
binary("minimum", "minimum", lambda g, lhs, rhs: g * (lhs <= rhs),
       lambda g, lhs, rhs: g * (lhs > rhs), sparse=("union",),
       doc="The smaller; ties give the left the gradient.")
binary("hypot", "hypot", lambda g, lhs, output: g * lhs / output,
       lambda g, rhs, output: g * rhs / output, exact=False, doc="``sqrt(lhs**2 + rhs**2)``.")

binary("equal", "equal", sparse=("number",), doc="1 where the sides are equal, else 0.")
binary("not_equal", "not_equal", sparse=("number",), doc="1 where the sides differ, else 0.")
binary("greater", "greater", sparse=("number",), doc="1 where the left is larger, else 0.")
binary("greater_equal", "greater_equal", sparse=("number",),
       doc="1 where the left is not smaller, else 0.")
binary("lesser", "less", sparse=("number",), doc="1 where the left is smaller, else 0.")
binary("lesser_equal", "less_equal", sparse=("number",),
       doc="1 where the left is not larger, else 0.")
binary("logical_and", "logical_and", doc="1 where both sides are not 0, else 0.")
binary("logical_or", "logical_or", doc="1 where a side is not 0, else 0.")
binary("logical_xor", "logical_xor", doc="1 where exactly one side is not 0, else 0.")
# fmt: on


# ---- no rows ------------------------------------------------------------------------


@operator("_copy", aliases=("identity",))
class Copy(Op):
    """The input itself.

    Shapes
    ------
    data, output : any
    """

    alias = True
    family = "elemwise"

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    @stored("row_sparse -> row_sparse")
    @stored("csr -> csr")
    def forward_stored(self, ctx: Ctx, data):
        return data

    def forward(self, ctx: Ctx, data):
        return data

    def backward(self, ctx: Ctx, dout):
        return {"data": dout}


@operator("BlockGrad", aliases=("stop_gradient", "_sparse_stop_gradient"))
class BlockGrad(Op):
    """The input itself, through which no gradient passes.

    Shapes
    ------
    data, output : any
    """

    alias = True
    family = "elemwise"

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    @stored("row_sparse -> row_sparse")
    @stored("csr -> csr")
    def forward_stored(self, ctx: Ctx, data):
        return data

    def forward(self, ctx: Ctx, data):
        return data


@operator("Cast", aliases=("cast",))
class Cast(Op):
    """``data`` in another element type; fractions are cut off for integers.

    Shapes
    ------
    data, output : any
    """

    dtype: ElementType = attr(doc="Element type of the output.")

    family = "elemwise"

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")

    def infer_dtype(self, t: DTypes):
        t["output"] = self.dtype

    def forward(self, ctx: Ctx, data):
        return data.astype(self.dtype)

    def backward(self, ctx: Ctx, dout):
        return {"data": dout.astype(ctx.dtypes["data"])}

    def lower(self, ctx: Ctx, ins, outs):
        return [put(outs[0], ins[0])]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        return [put(grads["data"], heads[0])]


@operator("add_n", aliases=("ElementWiseSum", "_sparse_add_n", "_sparse_ElementWiseSum"))
class AddN(Op):
    """The sum of all inputs, which may all be ``row_sparse``.

    Shapes
    ------
    arg0, arg1, ..., output : any, the same
    """

    num_args: int = attr(ge=1, doc="Number of inputs.")

    count_attr = "num_args"
    family = "elemwise"
    in_place = True

    def implementation(self, stage, stypes):
        if stage == "forward" and set(stypes) == {"row_sparse"}:
            return next(i for i in self.impls if i.method == "forward_row_sparse")
        return super().implementation(stage, stypes)

    def infer_shape(self, s: Shapes):
        s.unify(*self.list_inputs(), "output")

    def forward(self, ctx: Ctx, *args):
        total = args[0].copy()
        for arg in args[1:]:
            total += arg
        return total

    @stored("row_sparse -> row_sparse")
    def forward_row_sparse(self, ctx: Ctx, *args):
        xp = ctx.xp
        rows = union(xp, *(a.indices for a in args))
        total = sum(spread(xp, a.indices, a.data, rows) for a in args)
        return RowSparse(total, rows, args[0].shape)

    def backward(self, ctx: Ctx, dout):
        return dict.fromkeys(self.list_inputs(), dout)

    def lower(self, ctx: Ctx, ins, outs):
        xp, out = ctx.xp, outs[0]
        if len(ins) == 1:
            return [put(out, ins[0])]
        if any(xp.may_share_memory(out, a) for a in ins[2:]):
            return None
        return [(xp.add, (*ins[:2], out)), *((xp.add, (out, a, out)) for a in ins[2:])]

    def lower_backward(self, ctx: Ctx, heads, needs, grads):
        return [put(grad, heads[0]) for grad in grads.values()]


@operator("where", aliases=("_sparse_where",))
class Where(Op):
    """Elements of ``x`` where ``condition`` is not zero, of ``y`` elsewhere.

    Shapes
    ------
    condition : that of x, or (N,) to choose among rows
    x, y, output : (N, ...), the same
    """

    family = "elemwise"

    def infer_shape(self, s: Shapes):
        s.unify("x", "y", "output")
        if len(s["condition"]) != 1:
            s.unify("condition", "x")

    def infer_dtype(self, t: DTypes):
        t.unify("x", "y", "output")

    def forward(self, ctx: Ctx, condition, x, y):
        return ctx.xp.where(self._mask(ctx, condition), x, y)

    def backward(self, ctx: Ctx, dout, *, condition):
        mask = self._mask(ctx, condition)
        return {"x": dout * mask, "y": dout * ~mask}

    def _mask(self, ctx: Ctx, condition):
        ndim = len(ctx.shapes["x"])
        shape = condition.shape + (1,) * (ndim - condition.ndim)
        return condition.reshape(shape) != 0
