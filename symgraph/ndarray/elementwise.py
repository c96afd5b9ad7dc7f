"""Functions of two arrays, of an array and a number, or of two numbers: ``mx.nd.add``, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.ndarray import arithmetic as ar


def _function(name: str, row: ar.Arithmetic) -> Callable[[Any, Any], Any]:
    def function(lhs: Any, rhs: Any) -> Any:
        return ar.apply(row, lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elementwise {name} of arrays and numbers; shapes broadcast.\n\n"
        "Raises\n------\nTypeError\n    If an argument is neither an NDArray nor a number."
    )
    return function


add = _function("add", ar.ADD)
subtract = _function("subtract", ar.SUB)
multiply = _function("multiply", ar.MUL)
divide = true_divide = _function("divide", ar.DIV)
modulo = _function("modulo", ar.MOD)
maximum = _function("maximum", ar.MAXIMUM)
minimum = _function("minimum", ar.MINIMUM)
equal = _function("equal", ar.EQUAL)
not_equal = _function("not_equal", ar.NOT_EQUAL)
greater = _function("greater", ar.GREATER)
greater_equal = _function("greater_equal", ar.GREATER_EQUAL)
lesser = _function("lesser", ar.LESSER)
lesser_equal = _function("lesser_equal", ar.LESSER_EQUAL)
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
