"""Functions of two arrays, of an array and a number, or of two numbers: ``mx.nd.add``, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.ndarray import arithmetic as ar
from symgraph.ndarray.ndarray import NDArray

Function = Callable[[Any, Any], Any]


def _function(name: str, row: ar.Arithmetic, *, is_operator: bool = False) -> Function:
    def function(lhs: Any, rhs: Any) -> Any:
        if is_operator and (isinstance(lhs, NDArray) or isinstance(rhs, NDArray)):
            return row.plain(lhs, rhs)  # the methods know when there is a quick way
        return ar.apply(row, lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elementwise {name} of arrays and numbers; shapes broadcast.\n\n"
        "Raises\n------\nTypeError\n    If an argument is neither an NDArray nor a number."
    )
    return function


add = _function("add", ar.ADD, is_operator=True)
subtract = _function("subtract", ar.SUB, is_operator=True)
multiply = _function("multiply", ar.MUL, is_operator=True)
divide = true_divide = _function("divide", ar.DIV, is_operator=True)
modulo = _function("modulo", ar.MOD, is_operator=True)
maximum = _function("maximum", ar.MAXIMUM)
minimum = _function("minimum", ar.MINIMUM)
equal = _function("equal", ar.EQUAL, is_operator=True)
not_equal = _function("not_equal", ar.NOT_EQUAL, is_operator=True)
greater = _function("greater", ar.GREATER, is_operator=True)
greater_equal = _function("greater_equal", ar.GREATER_EQUAL, is_operator=True)
lesser = _function("lesser", ar.LESSER, is_operator=True)
lesser_equal = _function("lesser_equal", ar.LESSER_EQUAL, is_operator=True)
logical_and = _function("logical_and", ar.LOGICAL_AND)
logical_or = _function("logical_or", ar.LOGICAL_OR)
logical_xor = _function("logical_xor", ar.LOGICAL_XOR)


def power(base: Any, exp: Any) -> Any:
    """``base`` to the power ``exp``, elementwise; shapes broadcast.

    Raises
    ------
    TypeError
        If an argument is neither an NDArray nor a number.
    """
    return ar.apply(ar.POWER, base, exp)
