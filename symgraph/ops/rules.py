"""Scalar rules: pure functions whose parameter names say what they read.

``lambda xp, g, data: g * xp.cos(data)`` reads the namespace, the head gradient and an input. A
rule serves twice: it is evaluated on arrays, and it is traced with symbols in their place, which
gives the steps ``(xp.cos, (data, out)), (xp.multiply, (g, out, out))`` of a bound program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from symgraph.kernels import special
from symgraph.ops.axes import broadcast
from symgraph.ops.op import Step
from symgraph.ops.steps import put
from symgraph.storage import Array, Shape

Rule = Callable[..., Any]

NAMESPACES = frozenset({"xp", "special"})

_WORDS = """
absolute add arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh divide exp expm1 floor
hypot log log10 log1p log2 maximum minimum mod multiply negative power reciprocal rint sign sin sinh
sqrt square subtract tan tanh trunc
"""
_BOOLEAN_WORDS = """
equal greater greater_equal less less_equal logical_and logical_not logical_or logical_xor not_equal
"""
_BOOLEAN = frozenset(_BOOLEAN_WORDS.split())
UFUNCS = _BOOLEAN | frozenset(_WORDS.split())
"""Elementwise functions that both NumPy and CuPy can write into a given output."""

_POWERS = {2.0: "square", 0.5: "sqrt", -1.0: "reciprocal", 1.0: ""}


class Untraceable(Exception):  # noqa: N818  a signal: the rule is evaluated instead
    """A rule uses a function that cannot write into a given output."""


@cache
def reads(rule: Rule) -> tuple[str, ...]:
    """The parameter names of ``rule``."""
    return tuple(inspect.signature(rule).parameters)


def rule_of(f: Rule | str, *inputs: str) -> Rule:
    """``f``, or the rule of the namespaces' function of that name."""
    if not isinstance(f, str):
        return f
    if f not in UFUNCS:
        raise TypeError(f"{f} is no function that can write into a given output")
    if len(inputs) == 1:
        return lambda xp, data: getattr(xp, f)(data)
    return lambda xp, lhs, rhs: getattr(xp, f)(lhs, rhs)


def evaluate(rule: Rule, xp: Any, values: Mapping[str, Any]) -> Array:
    """Apply ``rule`` to arrays and numbers."""
    spaces = {"xp": xp, "special": special}
    return rule(*[spaces[n] if n in NAMESPACES else values[n] for n in reads(rule)])


# ---- tracing ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expr:
    """What a traced rule computes: a function of expressions and numbers, or a tensor."""

    function: str
    args: tuple[Any, ...] = ()

    def __neg__(self) -> Expr:
        return Expr("negative", (self,))

    def __pow__(self, power: Any) -> Expr:
        if isinstance(power, int | float) and float(power) in _POWERS:
            name = _POWERS[float(power)]
            return Expr(name, (self,)) if name else self
        return Expr("power", (self, power))

    def __rpow__(self, base: Any) -> Expr:
        return Expr("power", (base, self))


def _operator(name: str, swapped: bool = False) -> Callable[[Expr, Any], Expr]:
    return lambda self, other: Expr(name, (other, self) if swapped else (self, other))


_OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "mod": "mod"}
_COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
for _short, _name in (_OPERATORS | _COMPARISONS).items():
    setattr(Expr, f"__{_short}__", _operator(_name))
for _short, _name in _OPERATORS.items():
    setattr(Expr, f"__r{_short}__", _operator(_name, swapped=True))


class _Recorder:
    """Stands for a namespace while a rule is traced."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not self._prefix and name not in UFUNCS:
            raise Untraceable(name)
        return lambda *args: Expr(self._prefix + name, args)


_RECORDERS = {"xp": _Recorder(), "special": _Recorder("special.")}


def trace(rule: Rule, values: Mapping[str, Any]) -> Any:
    """The expression that ``rule`` stands for; a name maps to an :class:`Expr` or a number.

    Raises
    ------
    Untraceable
    """
    return rule(*[_RECORDERS[n] if n in NAMESPACES else values[n] for n in reads(rule)])


# ---- steps --------------------------------------------------------------------------


def lower_rule(
    rule: Rule,
    xp: Any,
    values: Mapping[str, Any],
    out: Array,
    later: tuple[Array, ...] = (),
) -> list[Step]:
    """Steps that write ``rule`` of ``values``, arrays and numbers, into ``out``.

    Parameters
    ----------
    later : tuple of arrays
        Still needed after these steps, so that ``out`` must not overlap them.

    Raises
    ------
    Untraceable
        If the rule has to be evaluated instead.
    """
    if any(xp.may_share_memory(out, other) for other in later):
        raise Untraceable("the output would overwrite what is still needed")
    leaves = {n: Expr("") if hasattr(v, "shape") else v for n, v in values.items()}
    arrays = {leaves[n]: v for n, v in values.items() if isinstance(leaves[n], Expr)}
    result = trace(rule, leaves)
    if not isinstance(result, Expr):
        return [(out.fill, (result,))]
    if result in arrays:
        return [put(out, arrays[result])]
    return _Lowering(xp, arrays, out).run(_in_order(result))


def _in_order(result: Expr) -> list[Expr]:
    """Every computed expression once, arguments first. Rules are a line long: recursion is fine."""
    found: dict[Expr, None] = {}

    def visit(expr: Any) -> None:
        if isinstance(expr, Expr) and expr.function and expr not in found:
            for arg in expr.args:
                visit(arg)
            found[expr] = None

    visit(result)
    return list(found)


class _Lowering:
    """Gives each value a buffer: ``out`` while nothing else needs that, else scratch."""

    def __init__(self, xp: Any, arrays: Mapping[Expr, Array], out: Array) -> None:
        self.xp = xp
        self.out = out
        self.buffers = dict(arrays)
        self.inputs = frozenset(arrays)
        self.shared = [e for e, a in arrays.items() if xp.may_share_memory(a, out)]

    def run(self, order: list[Expr]) -> list[Step]:
        last = {arg: i for i, expr in enumerate(order) for arg in expr.args}
        free: list[Array] = []
        holder: Expr | None = None  # the value that lies in out
        steps: list[Step] = []
        for i, expr in enumerate(order):
            args = tuple(self._argument(a) for a in expr.args)
            if holder is not None and last[holder] <= i:
                holder = None
            free += self._spent(expr, last, i)
            final = i == len(order) - 1
            is_free = holder is None and all(last.get(e, -1) <= i for e in self.shared)
            shape = self._shape(args)
            boolean = expr.function in _BOOLEAN
            if shape == self.out.shape and (final or (is_free and not boolean)):
                buffer, holder = self.out, expr
            else:
                buffer = self._scratch(free, shape, "bool" if boolean else self.out.dtype)
            self.buffers[expr] = buffer
            steps.append(self._step(expr.function, args, buffer))
            if final and buffer is not self.out:
                steps.append(put(self.out, buffer))
        return steps

    def _spent(self, expr: Expr, last: Mapping[Any, int], i: int) -> list[Array]:
        """Scratch that this step reads for the last time; it may write there."""
        args = [a for a in dict.fromkeys(expr.args) if isinstance(a, Expr) and last[a] == i]
        return [
            self.buffers[a]
            for a in args
            if a not in self.inputs and self.buffers[a] is not self.out
        ]

    def _argument(self, arg: Any) -> Array:
        if isinstance(arg, Expr):
            return self.buffers[arg]
        return self.xp.asarray(arg, dtype=self.out.dtype)

    def _step(self, name: str, args: tuple[Array, ...], out: Array) -> Step:
        if name in ("maximum", "minimum"):  # NumPy deprecates their positional out
            return partial(getattr(self.xp, name), out=out), args
        space, _, short = name.rpartition(".")
        return getattr(special if space else self.xp, short), (*args, out)

    def _scratch(self, free: list[Array], shape: Shape, dtype: Any) -> Array:
        for i, array in enumerate(free):
            if array.shape == shape and array.dtype == dtype:
                return free.pop(i)
        return self.xp.empty(shape, dtype)

    def _shape(self, args: tuple[Array, ...]) -> Shape:
        return broadcast(*(a.shape for a in args))
