"""Parts of an operator that follow from its scalar rules."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from symgraph.dtypes import is_float
from symgraph.kernels.reduce import sum_rows
from symgraph.ops.axes import accumulator, reduced_shape, stretched_axes, unbroadcast
from symgraph.ops.op import Ctx, Op, Step
from symgraph.ops.rules import NAMESPACES, Rule, Untraceable, evaluate, lower_rule, reads
from symgraph.storage import Array, Shape

TENSORS = frozenset({"data", "lhs", "rhs", "output"})


def tensors_read(rules, roles: Mapping[str, str]) -> list[str]:
    """The tensors that rules read, ``roles`` being what ``lhs`` and ``rhs`` are called."""
    named = {roles.get(n, n) for rule in rules for n in reads(rule)}
    return sorted(named & TENSORS)


def signature_of(*names: str, kept: list[str] | None = None) -> inspect.Signature:
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


def forward_of(f: Rule, roles: Mapping[str, str], exact: bool) -> Callable[..., Any]:
    """``forward`` that evaluates ``f`` and keeps the type of the input."""
    inputs = tensors_read([f], roles)

    def forward(self, ctx: Ctx, *tensors):
        dtype = ctx.dtypes["output"]
        numbers = dtype
        if not exact and not is_float(dtype):
            tensors = tuple(t.astype("float64") for t in tensors)
            numbers = dtype if roles else "float64"  # MXNet cuts off the number in i / 1.5
        values = _values(self, f, roles, dict(zip(inputs, tensors, strict=True)), numbers)
        return ctx.xp.asarray(evaluate(f, ctx.xp, values)).astype(dtype, copy=False)

    forward.__dict__["__signature__"] = signature_of("self", "ctx", *inputs)
    return forward


def lower_of(f: Rule, roles: Mapping[str, str]) -> Callable[..., Any]:
    """``lower`` that traces ``f``."""
    inputs = tensors_read([f], roles)

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


def gradient_of(roles: Mapping[str, str] | None = None, **rules: Rule) -> Callable[..., Any]:
    """``backward`` from one rule per input; undoes broadcasting by summing."""
    roles = roles or {}

    def backward(self, ctx: Ctx, dout, **tensors):
        tensors["g"] = dout
        if not is_float(dout.dtype.name):  # integers cannot be raised to negative powers
            tensors = {n: t.astype("float64") for n, t in tensors.items()}
        grads = {}
        for name, rule in rules.items():
            if ctx.wants(name):
                values = _values(self, rule, roles, tensors, ctx.dtypes[name])
                full = ctx.xp.asarray(evaluate(rule, ctx.xp, values))
                full = full.astype(ctx.dtypes[name], copy=False)
                grads[name] = unbroadcast(ctx.xp, full, ctx.shapes[name])
        return grads

    kept = tensors_read(rules.values(), roles)
    backward.__dict__["__signature__"] = signature_of("self", "ctx", "dout", kept=kept)
    return backward


def lower_gradient_of(rules: Mapping[str, Rule], roles: Mapping[str, str]) -> Callable[..., Any]:
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
    total = partial(full.sum, axis=axes, dtype=dtype, out=into, keepdims=True)
    return [*lower_rule(rule, xp, values, full), (total, ())]


# ---- reductions ---------------------------------------------------------------------


def _kept(shape: Shape, axes: tuple[int, ...]) -> Shape:
    return reduced_shape(shape, axes, keepdims=True)


def reduce_of(f: Rule | str) -> Callable[..., Any]:
    """``forward`` that evaluates ``f`` and drops the axes."""

    def forward(self, ctx: Ctx, data):
        axes = self._axes(data.shape)
        if isinstance(f, str):
            out = _reducer(data, f, axes)()
        else:
            values = {"data": data, "axes": axes, "count": _count(data.shape, axes)}
            out = evaluate(f, ctx.xp, values)
        return out.reshape(ctx.shapes["output"]).astype(ctx.dtypes["output"], copy=False)

    return forward


def _reducer(data: Array, name: str, axes: tuple[int, ...], **out: Any) -> Callable[[], Array]:
    """The method of ``data`` over ``axes``, accumulating in a type that is wide enough."""
    if name in ("sum", "prod", "mean"):
        dtype = data.dtype.name
        wide = dtype if name != "mean" or is_float(dtype) else "float64"
        out["dtype"] = accumulator(wide)
    return partial(getattr(data, name), axis=axes, keepdims=True, **out)


def _count(shape: Shape, axes: tuple[int, ...]) -> int:
    """Number of elements that each element of the result is made of."""
    return math.prod(shape[i] for i in axes)


def _ends(axes: tuple[int, ...], ndim: int) -> bool:
    """Whether ``axes`` are the last ones."""
    return sorted(axes) == list(range(ndim - len(axes), ndim))


def lower_reduce_of(f: Rule | str) -> Callable[..., Any]:
    """``lower`` where ``f`` is a method of arrays."""

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        (data,), dtype = ins, ctx.dtypes["output"]
        if not isinstance(f, str) or not is_float(dtype):
            return None
        axes = self._axes(data.shape)
        if f == "sum" and data.size and data.flags.c_contiguous and _ends(axes, data.ndim):
            rows = data.reshape(-1, _count(data.shape, axes))
            return [(sum_rows.body_for(data), (rows, outs[0].reshape(-1)))]
        into = outs[0].reshape(_kept(data.shape, axes))
        return [(_reducer(data, f, axes, out=into), ())]

    return lower


def _gradient_values(op: Any, ctx: Ctx, rule: Rule, tensors: Mapping[str, Array]) -> dict:
    """What the gradient rule of a reduction reads."""
    shape = ctx.shapes["data"]
    axes = op._axes(shape)
    values: dict[str, Any] = {"axes": axes, "count": float(_count(shape, axes))}
    for name, array in tensors.items():
        values[name] = array if name == "data" else array.reshape(_kept(shape, axes))
    return {n: values[n] for n in reads(rule) if n not in NAMESPACES}


def reduce_gradient_of(rule: Rule) -> Callable[..., Any]:
    """``backward`` that hands ``rule`` the head gradient with the reduced axes kept."""

    def backward(self, ctx: Ctx, dout, **tensors):
        values = _gradient_values(self, ctx, rule, {**tensors, "g": dout})
        full = ctx.xp.broadcast_to(evaluate(rule, ctx.xp, values), ctx.shapes["data"])
        return {"data": full.astype(ctx.dtypes["data"], copy=False)}

    kept = tensors_read([rule], {})
    backward.__dict__["__signature__"] = signature_of("self", "ctx", "dout", kept=kept)
    return backward


def lower_reduce_gradient_of(rule: Rule) -> Callable[..., Any]:
    """``lower_backward`` that traces ``rule``."""

    def lower_backward(self, ctx: Ctx, heads, needs, grads) -> list[Step] | None:
        if not is_float(ctx.dtypes["data"]):
            return None
        values = _gradient_values(self, ctx, rule, {**needs, "g": heads[0]})
        try:
            return lower_rule(rule, ctx.xp, values, grads["data"])
        except Untraceable:
            return None

    return lower_backward
