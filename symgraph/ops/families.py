"""Families of operators: one function each, one row per operator.

A row gives scalar rules (see :mod:`symgraph.ops.rules`); everything else follows from them: shapes,
gradients with broadcasting undone, sparse bodies, and the steps of a bound program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from symgraph.backend import get_backend
from symgraph.ops.attrs import attr
from symgraph.ops.axes import broadcast, reduced_axes, reduced_shape
from symgraph.ops.derive import (
    forward_of,
    gradient_of,
    lower_gradient_of,
    lower_of,
    lower_reduce_gradient_of,
    lower_reduce_of,
    reduce_gradient_of,
    reduce_of,
)
from symgraph.ops.facts import Shapes
from symgraph.ops.op import Ctx, Op, operator, stored
from symgraph.ops.rules import Rule, evaluate, rule_of
from symgraph.ops.sparse_values import on_csr_left, on_either, on_sparse_side, on_stored
from symgraph.storage import Shape

Attributes = Mapping[str, Any]
When = Callable[[Any], bool]


# ---- families -----------------------------------------------------------------------


def unary(
    name: str,
    f: Rule | str,
    d: Rule | None = None,
    *,
    doc: str,
    keeps_zero: bool | When = False,
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
    keeps_zero : bool or function of the operator
        Whether ``f(0) == 0``: a sparse input gives a sparse output.
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
        forward = forward_of(f, {}, exact)
        lower = lower_of(f, {})
        if d is not None:
            backward = gradient_of(data=d)
            lower_backward = lower_gradient_of({"data": d}, {})
        if keeps_zero:
            when = keeps_zero if callable(keeps_zero) else _always
            forward_stored = _stored(on_stored, "{0} -> {0}", when)

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
    sparse: tuple[Literal["union", "product", "left", "number"], ...] = (),
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
    sparse : tuple of str
        Which sparse inputs give sparse outputs: two, ``"union"``, as ``f(0, 0) == 0``; one and a
        dense one, ``"product"``, as ``f(x, 0) == f(0, x) == 0``; csr on the ``"left"`` and a dense
        one that stretches to it; one and a ``"number"``, if ``f(0, number) == 0`` for this one.
    """
    f, word = rule_of(f, "lhs", "rhs"), word or name
    rules = {n: r for n, r in (("lhs", d_lhs), ("rhs", d_rhs)) if r is not None}
    names = _Names(name, word, arithmetic)
    _elementwise(names, f, rules, exact, sparse, doc)
    _broadcasting(names, f, rules, exact, sparse, doc)
    _with_number(names, f, rules, exact, sparse, doc, ("data", "scalar"))
    if reverse:
        _with_number(names, f, rules, exact, (), doc, ("scalar", "data"))


def reduction(
    name: str,
    f: Rule | str,
    d: Rule | None = None,
    *,
    doc: str,
    aliases: tuple[str, ...] = (),
    of_sparse: Rule | None = None,
) -> type[Op]:
    """``output = f(data)`` over some axes; rules may read ``axes`` and ``count`` too.

    Parameters
    ----------
    f : rule or str
        Keeps the axes, with length one. A string is the name of the arrays' own method.
    d : rule
        The gradient, from ``g`` and ``output`` with the axes kept; without one it is zero.
    of_sparse : rule
        What f is of a sparse value.
    """

    class Reduction(Op):
        axis: tuple[int, ...] | None = attr(default=None, doc="Axes to reduce, all by default.")
        keepdims: bool = attr(default=False, doc="Keep the reduced axes with length one.")
        exclude: bool = attr(default=False, doc="Reduce all axes but the given ones.")

        family = "reduce"

        def infer_shape(self, s: Shapes):
            data = s["data"]
            s["output"] = reduced_shape(data, self._axes(data), self.keepdims)

        def _axes(self, shape: Shape) -> tuple[int, ...]:
            return reduced_axes(self.axis, self.exclude, len(shape))

        forward = reduce_of(f)
        lower = lower_reduce_of(f)
        if d is not None:
            backward = reduce_gradient_of(d)
            lower_backward = lower_reduce_gradient_of(d)
        if of_sparse is not None:
            forward_stored = _stored(reduce_of(of_sparse), "{0} -> default")

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


def _elementwise(names: _Names, f: Rule, rules, exact: bool, sparse, doc: str) -> None:
    class Elementwise(Op):
        family = "elemwise"
        in_place = True

        def infer_shape(self, s: Shapes):
            s.unify("lhs", "rhs", "output")

        forward = forward_of(f, {}, exact)
        lower = lower_of(f, {})
        if rules:
            backward = gradient_of(**rules)
            lower_backward = lower_gradient_of(rules, {})
        if "union" in sparse:
            forward_stored_stored = _stored(on_either, "{0}, {0} -> {0}")
        if "product" in sparse:
            forward_stored_default = _stored(on_sparse_side, "{0}, default -> {0}")
            forward_default_stored = _stored(on_sparse_side, "default, {0} -> {0}")

    shapes = "lhs, rhs, output : any, the same"
    _finish(Elementwise, names.elementwise, names.elementwise_aliases, doc, shapes, None)


def _broadcasting(names: _Names, f: Rule, rules, exact: bool, sparse, doc: str) -> None:
    class Broadcasting(Op):
        family = "elemwise"
        in_place = True

        def infer_shape(self, s: Shapes):
            s["output"] = broadcast(s["lhs"], s["rhs"])

        forward = forward_of(f, {}, exact)
        lower = lower_of(f, {})
        if rules:
            backward = gradient_of(**rules)
            lower_backward = lower_gradient_of(rules, {})

        if "left" in sparse:

            @stored("csr, default -> csr")
            def forward_csr(self, ctx: Ctx, lhs, rhs):
                return on_csr_left(self, ctx, lhs, rhs)

    doc = f"{doc[:-1]}, with axes of length one stretched."
    shapes = "lhs, rhs : shapes that broadcast\noutput : what they broadcast to"
    _finish(Broadcasting, names.broadcast, names.broadcast_aliases, doc, shapes, None)


def _with_number(
    names: _Names, f: Rule, rules, exact: bool, sparse, doc: str, sides: tuple[str, str]
) -> None:
    roles: dict[str, str] = {"lhs": sides[0], "rhs": sides[1]}
    rule = rules.get("lhs" if sides[0] == "data" else "rhs")

    class WithNumber(Op):
        scalar: float = attr(default=1.0, doc="The number.")
        is_int: bool = attr(default=True, doc="Whether it was an integer; without effect.")

        family = "elemwise"
        in_place = True
        infer_shape = _same_shape
        forward = forward_of(f, roles, exact)
        lower = lower_of(f, roles)
        if rule is not None:
            backward = gradient_of(roles, data=rule)
            lower_backward = lower_gradient_of({"data": rule}, roles)
        if "number" in sparse:
            forward_stored = _stored(on_stored, "{0} -> {0}", partial(_maps_zero, f))

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


def _stored(body: Callable[..., Any], signature: str, when: When | None = None):
    """A method that runs ``body`` for row_sparse and for csr."""

    def method(self, *args):
        return body(self, *args)

    method.__name__ = "forward_" + signature.partition(" ->")[0].format("stored").replace(", ", "_")
    for stype in ("row_sparse", "csr"):
        stored(signature.format(stype), when=when or _always)(method)
    return method


def _always(op: Op) -> bool:
    return True


def _maps_zero(f: Rule, op: Any) -> bool:
    """Whether ``f(0, scalar)`` is zero."""
    xp = get_backend("cpu").xp
    with xp.errstate(all="ignore"):
        return bool(evaluate(f, xp, {"lhs": xp.float64(0), "rhs": op.scalar}) == 0)


def _same_shape(self, s: Shapes) -> None:
    s.unify("data", "output")
