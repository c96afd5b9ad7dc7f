"""Families of operators: one function each, one row per operator.

A row gives scalar rules (see :mod:`symgraph.ops.rules`); everything else follows from them: shapes,
gradients with broadcasting undone, sparse bodies, and the steps of a bound program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from symgraph.dtypes import is_float
from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, Step, operator, stored
from symgraph.ops.rules import (
    NAMESPACES,
    Rule,
    Untraceable,
    broadcast,
    evaluate,
    lower_rule,
    reads,
    rule_of,
)
from symgraph.ops.sparse_values import combine, on_data
from symgraph.storage import Array, Shape

Attributes = Mapping[str, Any]


# ---- families -----------------------------------------------------------------------


def unary(
    name: str,
    f: Rule | str,
    d: Rule | None = None,
    *,
    doc: str,
    keeps_zero: bool = False,
    exact: bool = False,
    sparse_alias: bool = True,
    aliases: tuple[str, ...] = (),
    attributes: Attributes | None = None,
) -> type[Op]:
    """``output = f(data)``, elementwise.

    Parameters
    ----------
    f : rule or str
        A string is the name of the namespaces' own function.
    d : rule
        The gradient; without one it is zero.
    keeps_zero : bool
        ``f(0) == 0``: a sparse input gives a sparse output.
    exact : bool
        Integers are computed as such; by default as float64, the result cut off.
    attributes : mapping
        Number attributes that the rules read.
    """
    f = rule_of(f, "data")

    class Unary(Op):
        family = "elemwise"
        in_place = True
        infer_shape = _same_shape
        forward = _forward(f, {}, exact)
        lower = _lower(f, {}, exact)
        if d is not None:
            backward = gradient(data=d)
            lower_backward = _lower_gradient({"data": d}, {})
        if keeps_zero:
            forward_stored = _stored(on_data(f), "{0} -> {0}")

    more = (f"_sparse_{name}",) if sparse_alias else ()
    return _finish(Unary, name, aliases + more, doc, "data, output : any", attributes)


def binary(
    name: str,
    f: Rule | str,
    d_lhs: Rule | None = None,
    d_rhs: Rule | None = None,
    *,
    doc: str,
    word: str = "",
    exact: bool = True,
    reverse: bool = False,
    arithmetic: bool = False,
    sparse: str = "",
) -> None:
    """``f(lhs, rhs)`` in all its forms: same shapes, broadcast, with a number on either side.

    Parameters
    ----------
    word : str
        The other word for it: ``plus`` for ``add``; legacy names use it.
    reverse : bool
        ``f(number, data)`` is an operator of its own, as f does not commute.
    arithmetic : bool
        The form for same shapes is called ``elemwise_X`` instead of ``_X``.
    sparse : str
        Which sparse inputs give sparse outputs: ``"union"`` where ``f(0, 0) == 0``,
        ``"product"`` where also ``f(x, 0) == f(0, x) == 0``, ``"scale"`` where
        ``f(0, number) == 0``.
    """
    f, word = rule_of(f, "lhs", "rhs"), word or name
    rules = {n: r for n, r in (("lhs", d_lhs), ("rhs", d_rhs)) if r is not None}
    names = _Names(name, word, arithmetic)
    _elementwise(names, f, rules, exact, sparse, doc)
    _broadcasting(names, f, rules, exact, doc)
    _with_number(names, f, rules, exact, sparse, doc, ("data", "scalar"))
    if reverse:
        _with_number(names, f, rules, exact, "", doc, ("scalar", "data"))


def reduction(
    name: str,
    f: Callable[..., Array],
    d: Rule | None = None,
    *,
    doc: str,
    aliases: tuple[str, ...] = (),
    axis_of_sparse: Callable[..., Any] | None = None,
) -> type[Op]:
    """``f`` of ``data`` over some axes: ``f(xp, data, axes)`` keeps them with length one.

    The gradient rule reads ``g`` and ``output`` with the same axes kept.
    """

    class Reduction(Op):
        axis: tuple[int, ...] | None = attr(default=None, doc="Axes to reduce, all by default.")
        keepdims: bool = attr(default=False, doc="Keep the reduced axes with length one.")
        exclude: bool = attr(default=False, doc="Reduce all axes but the given ones.")

        family = "reduce"

        def infer_shape(self, s: Shapes):
            data = s["data"]
            s["output"] = reduced_shape(data, self._axes(len(data)), self.keepdims)

        def forward(self, ctx: Ctx, data):
            out = f(ctx.xp, data, self._axes(data.ndim))
            return out.reshape(ctx.shapes["output"]).astype(data.dtype, copy=False)

        if d is not None:
            backward = _reduction_gradient(d)
        if axis_of_sparse is not None:
            forward_csr = stored("csr -> default")(axis_of_sparse)

        def _axes(self, ndim: int) -> tuple[int, ...]:
            return reduced_axes(self.axis, self.exclude, ndim)

    shapes = "data : any\noutput : data without ``axis``, or with length one there"
    return _finish(Reduction, name, aliases, doc, shapes, None)


# ---- the forms of a binary rule -----------------------------------------------------


class _Names:
    """How MXNet spells the forms of one binary function."""

    def __init__(self, name: str, word: str, arithmetic: bool) -> None:
        title = word.title()  # greater_equal -> Greater_Equal
        self.elementwise = f"elemwise_{name}" if arithmetic else f"_{name}"
        short = (f"_{name}", f"_{word}") if arithmetic else ()
        sparse = (f"_sparse_elemwise_{name}",) if arithmetic else ()
        self.elementwise_aliases = tuple(dict.fromkeys((f"_{title}", *short))) + sparse
        forms = dict.fromkeys((f"broadcast_{name}", f"broadcast_{word}"))
        self.broadcast, *others = forms if arithmetic else [f"broadcast_{name}"]
        more = [f"_sparse_{n}" for n in forms] if arithmetic else []
        self.broadcast_aliases = tuple(others + more)
        self.word, self.camel = word, title.replace("_", "")


def _elementwise(names: _Names, f: Rule, rules, exact: bool, sparse: str, doc: str) -> None:
    class Elementwise(Op):
        family = "elemwise"
        in_place = True

        def infer_shape(self, s: Shapes):
            s.unify("lhs", "rhs", "output")

        forward = _forward(f, {}, exact)
        lower = _lower(f, {}, exact)
        if rules:
            backward = gradient(**rules)
            lower_backward = _lower_gradient(rules, {})
        if sparse in ("union", "product"):
            forward_stored = _stored(combine(f), "{0}, {0} -> {0}")

    shapes = "lhs, rhs, output : any, the same"
    _finish(Elementwise, names.elementwise, names.elementwise_aliases, doc, shapes, None)


def _broadcasting(names: _Names, f: Rule, rules, exact: bool, doc: str) -> None:
    class Broadcasting(Op):
        family = "elemwise"
        in_place = True

        def infer_shape(self, s: Shapes):
            s["output"] = broadcast(s["lhs"], s["rhs"])

        forward = _forward(f, {}, exact)
        lower = _lower(f, {}, exact)
        if rules:
            backward = gradient(**rules)
            lower_backward = _lower_gradient(rules, {})

    doc = f"{doc[:-1]}, with axes of length one stretched."
    shapes = "lhs, rhs : shapes that broadcast\noutput : what they broadcast to"
    _finish(Broadcasting, names.broadcast, names.broadcast_aliases, doc, shapes, None)


def _with_number(
    names: _Names, f: Rule, rules, exact: bool, sparse: str, doc: str, sides: tuple[str, str]
) -> None:
    roles = dict(zip(("lhs", "rhs"), sides, strict=True))
    rule = rules.get("lhs" if sides[0] == "data" else "rhs")

    class WithNumber(Op):
        scalar: float = attr(default=1.0, doc="The number.")
        is_int: bool = attr(default=True, doc="Whether it was an integer; without effect.")

        family = "elemwise"
        in_place = True
        infer_shape = _same_shape
        forward = _forward(f, roles, exact)
        lower = _lower(f, roles, exact)
        if rule is not None:
            backward = gradient(roles, data=rule)
            lower_backward = _lower_gradient({"data": rule}, roles)
        if sparse in ("scale", "product"):
            forward_stored = _stored(on_data(f, roles), "{0} -> {0}")

    reverse = sides[0] == "scalar"
    name = f"_{'r' * reverse}{names.word}_scalar"
    aliases = (f"_{'R' * reverse}{names.camel}Scalar",)
    doc = f"{doc[:-1]}, with a number on the {'left' if reverse else 'right'}."
    _finish(WithNumber, name, aliases, doc, "data, output : any", None)


def _finish(
    cls: type[Op],
    name: str,
    aliases: tuple[str, ...],
    doc: str,
    shapes: str,
    attributes: Attributes | None,
) -> type[Op]:
    """Give the class its names, its documentation and its attributes; register it."""
    cls.__name__ = cls.__qualname__ = name
    cls.__doc__ = f"{doc}\n\nShapes\n------\n{shapes}\n"
    if attributes:
        cls.__annotations__ = dict.fromkeys(attributes, float)
        for key, value in attributes.items():
            setattr(cls, key, value)
    return operator(name, aliases=aliases)(cls)


# ---- parts of an operator that follow from its rules --------------------------------


def _stored(body: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """One body for row_sparse and for csr."""
    body.__name__ = "forward_stored"
    for stype in ("row_sparse", "csr"):
        stored(signature.format(stype))(body)
    return body


def _same_shape(self, s: Shapes) -> None:
    s.unify("data", "output")


def _roles(rules, roles: Mapping[str, str]) -> list[str]:
    """The tensors that rules read, ``roles`` being what ``lhs`` and ``rhs`` are called."""
    named = {roles.get(n, n) for rule in rules for n in reads(rule)}
    return sorted(named & {"data", "lhs", "rhs", "output"})


def _signature(*names: str, kept: list[str] | None = None) -> inspect.Signature:
    first = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    keep = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in kept or ()]
    return inspect.Signature(first + keep)


def _values(op: Op, rule: Rule, roles, tensors: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """What ``rule`` reads: tensors, and attributes as numbers of the tensors' type."""
    values = {}
    for name in reads(rule):
        if name not in NAMESPACES:
            key = roles.get(name, name)
            values[name] = tensors[key] if key in tensors else number(getattr(op, key), dtype)
    return values


def number(value: float, dtype: str) -> float:
    """``value`` as the element type ``dtype`` holds it: cut off and wrapped for integers."""
    if is_float(dtype):
        return value
    if dtype == "bool":
        return bool(value)
    bits = int(dtype.removeprefix("u").removeprefix("int"))
    low = 0 if dtype.startswith("u") else -(1 << bits - 1)
    return (int(value) - low) % (1 << bits) + low


def _forward(f: Rule, roles: Mapping[str, str], exact: bool) -> Callable[..., Any]:
    """``forward`` that evaluates ``f`` and keeps the type of the input."""
    inputs = _roles([f], roles)

    def forward(self, ctx: Ctx, *tensors):
        dtype = ctx.dtypes["output"]
        if not exact and not is_float(dtype):
            tensors = tuple(t.astype("float64") for t in tensors)
        values = _values(self, f, roles, dict(zip(inputs, tensors, strict=True)), dtype)
        return ctx.xp.asarray(evaluate(f, ctx.xp, values)).astype(dtype, copy=False)

    forward.__dict__["__signature__"] = _signature("self", "ctx", *inputs)
    return forward


def _lower(f: Rule, roles: Mapping[str, str], exact: bool) -> Callable[..., Any]:
    """``lower`` that traces ``f``."""
    inputs = _roles([f], roles)

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        dtype = ctx.dtypes["output"]
        if not is_float(dtype):
            return None
        values = _values(self, f, roles, dict(zip(inputs, ins, strict=True)), dtype)
        try:
            return lower_rule(f, ctx.xp, values, outs[0])
        except Untraceable:
            return None

    return lower


def gradient(roles: Mapping[str, str] | None = None, **rules: Rule) -> Callable[..., Any]:
    """``backward`` from one rule per input; undoes broadcasting by summing."""
    roles = roles or {}

    def backward(self, ctx: Ctx, dout, **tensors):
        tensors["g"] = dout
        grads = {}
        for name, rule in rules.items():
            if ctx.wants(name):
                values = _values(self, rule, roles, tensors, ctx.dtypes[name])
                full = ctx.xp.asarray(evaluate(rule, ctx.xp, values))
                full = full.astype(ctx.dtypes[name], copy=False)
                grads[name] = unbroadcast(ctx.xp, full, ctx.shapes[name])
        return grads

    kept = _roles(rules.values(), roles)
    backward.__dict__["__signature__"] = _signature("self", "ctx", "dout", kept=kept)
    return backward


def _lower_gradient(rules: Mapping[str, Rule], roles: Mapping[str, str]) -> Callable[..., Any]:
    """``lower_backward`` that traces the rules, one after the other."""

    def lower_backward(self, ctx: Ctx, heads, needs, grads) -> list[Step] | None:
        steps: list[Step] = []
        tensors = {**needs, "g": heads[0]}
        wanted = [n for n in rules if n in grads]
        try:
            for i, name in enumerate(wanted):
                dtype = ctx.dtypes[name]
                if not is_float(dtype):
                    return None
                values = [_values(self, rules[n], roles, tensors, dtype) for n in wanted[i:]]
                later = tuple(a for v in values[1:] for a in v.values() if hasattr(a, "shape"))
                steps += _lower_summed(ctx.xp, rules[name], values[0], grads[name], later)
        except Untraceable:
            return None
        return steps

    return lower_backward


def _lower_summed(xp, rule: Rule, values, out: Array, later: tuple[Array, ...]) -> list[Step]:
    """Steps that write a gradient, through a buffer where broadcasting has to be undone."""
    shape = values["g"].shape if "g" in values else out.shape
    if shape == out.shape:
        return lower_rule(rule, xp, values, out, later)
    full = xp.empty(shape, out.dtype)
    axes = stretched_axes(shape, out.shape)
    into = out.reshape((1,) * (len(shape) - out.ndim) + out.shape)
    dtype = accumulator(out.dtype.name)
    total = partial(xp.sum, axis=axes, dtype=dtype, out=into, keepdims=True)
    return [*lower_rule(rule, xp, values, full), (total, (full,))]


# ---- helpers ------------------------------------------------------------------------


def accumulator(dtype: str) -> str:
    """The type to sum ``dtype`` in: thousands of halves do not add up in a half."""
    return "float32" if dtype == "float16" else dtype


def stretched_axes(shape: Shape, small: Shape) -> tuple[int, ...]:
    """Axes of ``shape`` along which an array of shape ``small`` was stretched."""
    small = (1,) * (len(shape) - len(small)) + small
    return tuple(i for i, (n, m) in enumerate(zip(shape, small, strict=True)) if n != m)


def unbroadcast(xp, array: Array, shape: Shape) -> Array:
    """Sum ``array`` over the axes along which ``shape`` was stretched to its shape."""
    if array.shape == shape:
        return array
    axes = stretched_axes(array.shape, shape)
    total = array.sum(axes, dtype=accumulator(array.dtype.name), keepdims=True)
    return xp.broadcast_to(total.reshape(shape), shape).astype(array.dtype, copy=False)


def reduced_axes(axis: tuple[int, ...] | None, exclude: bool, ndim: int) -> tuple[int, ...]:
    """Axes to reduce, ascending; none given means all.

    Raises
    ------
    ShapeError
        If an axis does not exist or is given twice.
    """
    if not axis:
        return tuple(range(ndim))
    if any(not -ndim <= a < ndim for a in axis):
        raise ShapeError(f"axis is {axis}, but data has {ndim} axes")
    given = {a % ndim for a in axis}
    if len(given) < len(axis):
        raise ShapeError(f"axis is {axis}, but an axis may be given only once")
    return tuple(a for a in range(ndim) if (a in given) != exclude)


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """``shape`` without ``axes``; (1,) where none would remain."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes) or (1,)


def _reduction_gradient(rule: Rule) -> Callable[..., Any]:
    """``backward`` that hands ``rule`` the head gradient with the reduced axes kept."""
    kept = _roles([rule], {})

    def backward(self, ctx: Ctx, dout, **tensors):
        shape = ctx.shapes["data"]
        axes = self._axes(len(shape))
        values = {n: tensors[n] for n in kept}
        kept_shape = reduced_shape(shape, axes, keepdims=True)
        for name, value in (("g", dout), ("output", tensors.get("output"))):
            if value is not None:
                values[name] = value.reshape(kept_shape)
        values["count"] = 1
        for i in axes:
            values["count"] *= shape[i]
        values["axes"] = axes
        full = evaluate(rule, ctx.xp, values)
        return {"data": ctx.xp.broadcast_to(full, shape).astype(ctx.dtypes["data"], copy=False)}

    backward.__dict__["__signature__"] = _signature("self", "ctx", "dout", kept=kept)
    return backward
