"""Operators between arrays and numbers.

Dense floating point arrays of one device and type go straight to the array library, which takes a
tenth of the time of running an operator and gives the same values. Everything else runs the
operator that MXNet would run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Number
from typing import TYPE_CHECKING, Any

from symgraph.context import Context
from symgraph.errors import ShapeError
from symgraph.storage import Shape

if TYPE_CHECKING:
    from symgraph.ndarray.ndarray import NDArray

Function = Callable[[Any, Any], Any]
Function1 = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The names of one binary function.

    Attributes
    ----------
    same : str
        Operator for arrays of one shape; it has the sparse bodies.
    stretching : str
        Operator for shapes that broadcast.
    number, reflected : str
        Operators of an array and a number, and of a number and an array.
    plain : callable
        The function of two numbers.
    """

    same: str
    stretching: str
    number: str
    reflected: str
    plain: Function


def _row(name: str, word: str, plain: Function, *, commutes: bool = False) -> Arithmetic:
    elementwise = f"elemwise_{name}" if name in ("add", "sub", "mul", "div") else f"_{name}"
    reflected = f"_{word}_scalar" if commutes else f"_r{word}_scalar"
    return Arithmetic(elementwise, f"broadcast_{name}", f"_{word}_scalar", reflected, plain)


def _compare(name: str, mirrored: str, plain: Function) -> Arithmetic:
    """A comparison; its reflection is another comparison."""
    return Arithmetic(
        f"_{name}", f"broadcast_{name}", f"_{name}_scalar", f"_{mirrored}_scalar", plain
    )


def _truth(name: str, plain: Function) -> Arithmetic:
    return _compare(name, name, lambda a, b: float(plain(bool(a), bool(b))))


ADD = _row("add", "plus", operator.add, commutes=True)
SUB = _row("sub", "minus", operator.sub)
MUL = _row("mul", "mul", operator.mul, commutes=True)
DIV = _row("div", "div", operator.truediv)
MOD = _row("mod", "mod", operator.mod)
POWER = _row("power", "power", operator.pow)
MAXIMUM = _row("maximum", "maximum", max, commutes=True)
MINIMUM = _row("minimum", "minimum", min, commutes=True)
EQUAL = _compare("equal", "equal", operator.eq)
NOT_EQUAL = _compare("not_equal", "not_equal", operator.ne)
GREATER = _compare("greater", "lesser", operator.gt)
GREATER_EQUAL = _compare("greater_equal", "lesser_equal", operator.ge)
LESSER = _compare("lesser", "greater", operator.lt)
LESSER_EQUAL = _compare("lesser_equal", "greater_equal", operator.le)
LOGICAL_AND = _truth("logical_and", operator.and_)
LOGICAL_OR = _truth("logical_or", operator.or_)
LOGICAL_XOR = _truth("logical_xor", operator.xor)


def apply(row: Arithmetic, lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """The function of two arrays, of an array and a number, or of two numbers.

    Raises
    ------
    TypeError
        If one is neither an NDArray nor a number.
    MXNetError
        If shapes, types or devices do not fit.
    """
    from symgraph.ndarray.invoke import call
    from symgraph.ndarray.ndarray import NDArray

    left, right = isinstance(lhs, NDArray), isinstance(rhs, NDArray)
    for operand, is_array in ((lhs, left), (rhs, right)):
        if not is_array and (not isinstance(operand, Number) or isinstance(operand, complex)):
            raise TypeError(f"type {type(operand)} not supported: NDArrays and numbers are")
    if left and right:
        name = row.same if lhs.shape == rhs.shape else row.stretching
        return call(name, (lhs, rhs), {}, out)
    if left:
        return call(row.number, (_not_bool(lhs),), {"scalar": repr(float(rhs))}, out)
    if right:
        return call(row.reflected, (_not_bool(rhs),), {"scalar": repr(float(lhs))}, out)
    return row.plain(lhs, rhs)


def _not_bool(array: NDArray) -> NDArray:
    """MXNet counts truth values in int64 once a number is involved."""
    return array.astype("int64") if array.dtype.__name__.startswith("bool") else array


def method(row: Arithmetic, quick: Function | None = None, *, reflected: bool = False) -> Any:
    """The method of NDArray for ``row``.

    ``quick`` computes the same from arrays, or an array and a number, of one floating point type;
    it is given the array itself first even where ``reflected``.
    """

    def run(self: NDArray, other: Any) -> Any:
        value = self.value
        if quick is not None and _is_quick(value, self.context):
            kind = type(other)
            if kind is float or kind is int:
                found = quick(value, other)
                if found.dtype is value.dtype:  # NumPy 1 widens for a number out of range
                    return type(self)(found, self.context)
            elif kind is type(self) and _match(self, other):
                try:
                    return kind(quick(value, other.value), self.context)
                except ValueError:
                    raise _no_broadcast(value.shape, other.shape) from None
        return apply(row, other, self) if reflected else apply(row, self, other)

    return run


def in_place(row: Arithmetic, quick: Function | None = None) -> Any:
    """The method of NDArray that stores the result in the array itself.

    ``quick`` does so for arrays, or an array and a number, of one floating point type.
    """

    def run(self: NDArray, other: Any) -> NDArray:
        value = self.value
        if quick is not None and _is_quick(value, self.context):
            kind = type(other)
            if kind is float or kind is int:
                quick(value, other)
                return self
            if kind is type(self) and _match(self, other):
                try:
                    quick(value, other.value)
                except ValueError:
                    raise _no_broadcast(value.shape, other.shape) from None
                return self
        apply(row, self, other, self)
        return self

    return run


def _is_quick(value: Any, ctx: Context) -> bool:
    """Whether NumPy's rules are MXNet's: a float array with axes, on the device in use."""
    return value.dtype.kind == "f" and bool(value.shape) and not ctx.device_id


def _match(one: NDArray, other: NDArray) -> bool:
    same = one.context is other.context or one.context == other.context
    return same and one.value.dtype is other.value.dtype


def compared(f: Function) -> Function:
    """A comparison whose result has the type of the array, as MXNet's has."""
    return lambda a, b: f(a, b).astype(a.dtype)


def swapped(f: Function) -> Function:
    """``f`` with its operands exchanged."""
    return lambda a, b: f(b, a)


def _no_broadcast(one: Shape, other: Shape) -> ShapeError:
    return ShapeError(f"shapes {one} and {other} do not broadcast")


def unary(name: str, quick: Function1, array: NDArray) -> Any:
    """``quick`` of a dense array of numbers, else the operator called ``name``."""
    value = array.value
    numeric = array.stype == "default" and value.shape and value.dtype.kind in "iuf"
    if numeric and not array.context.device_id:
        return type(array)(quick(value), array.context)
    from symgraph.ndarray.invoke import call

    return call(name, (array,), {}, None)
