"""Compiling, the views that compiled bodies take, and three machine instructions."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_OPTIONS = {"nogil": True, "error_model": "numpy"}


def _leave_scipy_for_later() -> None:
    """Keep numba from importing scipy.linalg, which takes longer than the rest of it.

    It does so at the first kernel, to learn whether a matrix product could be compiled; it imports
    it again where one is.
    """
    wanted = "scipy.linalg.cython_blas"
    if wanted in sys.modules or "numba.np.arraymath" in sys.modules or not find_spec("scipy"):
        return
    sys.modules[wanted] = None  # type: ignore[assignment]  the way to say that there is none
    try:
        from numba.np import arraymath
    finally:
        del sys.modules[wanted]
    arraymath._HAVE_BLAS = True


_leave_scipy_for_later()


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """Compile at the first call, from numba's cache on disk where that can be written.

    ``options`` are more of numba's.
    """
    try:
        return numba.njit(cache=True, **_OPTIONS, **options)(function)
    except RuntimeError:  # no directory that numba could cache in
        return numba.njit(**_OPTIONS, **options)(function)


def instruction(build: Callable[..., Any]) -> Any:
    """A function for compiled code, made of the instructions that ``build`` emits."""
    return intrinsic(build)  # as Any: callers leave out the first parameter, the typing context


def as_rows(array: np.ndarray, leading: int = 1) -> np.ndarray | None:
    """``array`` as a (rows, width) view, its first ``leading`` axes the rows; None if strided."""
    if not array.flags.c_contiguous:
        return None
    shape = array.shape
    if len(shape) == 2 and leading == 1:
        return array
    return array.reshape(math.prod(shape[:leading]), math.prod(shape[leading:]))


def as_index(index: np.ndarray) -> np.ndarray:
    """``index`` flat, contiguous and int32 or int64.

    Raises
    ------
    TypeError
        If its elements are not integers.
    """
    dtype = index.dtype
    if dtype.kind not in "iu":
        raise TypeError(f"indices are {dtype}, but integers are required")
    if dtype.kind == "u" or dtype.itemsize < 4 or not dtype.isnative:
        index = index.astype(np.int64)
    return np.ascontiguousarray(index).reshape(-1)


def compiles(first: np.ndarray, *others: np.ndarray, kinds: str = "fiu") -> bool:
    """Whether numba has arithmetic for all of these, and they are of one type.

    ``kinds`` are the kinds of type that the body is written for.
    """
    dtype = first.dtype
    return (
        dtype.kind in kinds
        and dtype.isnative
        and dtype.char != "e"  # halves
        and all(other.dtype == dtype for other in others)
    )


@instruction
def prefetch(_context, array, offset):
    """Ask for the cache line of the element at ``offset`` in C order; any offset is harmless."""

    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(function, [pointer, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@instruction
def count_ones(_context, word):
    """Number of set bits of an unsigned integer."""
    return word(word), lambda _c, builder, _s, args: builder.ctpop(args[0])


@instruction
def trailing_zeros(_context, word):
    """Position of the lowest set bit of an unsigned integer that has one."""

    def generate(_context, builder, _signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return word(word), generate
