"""``mx.nd.random``: arrays of random numbers from the stream of their device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.base import _Null
from symgraph.context import Context, current_context
from symgraph.dtypes import dtype_name, is_float
from symgraph.errors import DTypeError, MXNetError, ShapeError
from symgraph.ndarray.convert import backend_of
from symgraph.ndarray.creation import shape_of
from symgraph.ndarray.functions import namespace_getattr
from symgraph.ndarray.ndarray import NDArray
from symgraph.random import generator, seed
from symgraph.storage import Array, Shape

__all__ = ["normal", "randint", "randn", "seed", "shuffle", "uniform"]

__getattr__ = namespace_getattr("random")

Parameter = float | NDArray


def uniform(
    low: Parameter = 0,
    high: Parameter = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **_: Any,
) -> NDArray:
    """Numbers evenly spread over ``[low, high)``.

    Parameters
    ----------
    low, high : float or NDArray
        Of two arrays, each pair gives ``shape`` numbers.
    shape : int or tuple of int
        ``(1,)`` by default.
    dtype : optional
        float32 by default.
    ctx : Context, optional
        The current one by default.
    out : NDArray, optional
        Where to write the numbers, of shape ``(*low.shape, *shape)``.

    Raises
    ------
    TypeError
        If one of the bounds is an array and the other is not.
    """

    def draw(rng: Any, size: Shape, kind: str, low: Any, high: Any) -> Array:
        found = rng.random(size, dtype=kind)
        found *= high - low
        found += low
        return found

    return _drawn(draw, (low, high), shape, dtype, ctx, out)


def normal(
    loc: Parameter = 0,
    scale: Parameter = 1,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **_: Any,
) -> NDArray:
    """Normally distributed numbers; parameters as for :func:`uniform`.

    Raises
    ------
    MXNetError
        If ``scale`` is negative.
    """
    if not isinstance(scale, NDArray) and scale < 0:
        raise MXNetError(f"random.normal: scale is {scale}, but it must be >= 0")

    def draw(rng: Any, size: Shape, kind: str, loc: Any, scale: Any) -> Array:
        found = rng.standard_normal(size, dtype=kind)
        found *= scale
        found += loc
        return found

    return _drawn(draw, (loc, scale), shape, dtype, ctx, out)


def randn(
    *shape: int,
    dtype: Any = _Null,
    loc: Parameter = 0,
    scale: Parameter = 1,
    ctx: Context | None = None,
    **_: Any,
) -> NDArray:
    """Normally distributed numbers of the shape given by the positional arguments."""
    return normal(loc, scale, shape or _Null, dtype, ctx)


def randint(
    low: int,
    high: int,
    shape: Any = _Null,
    dtype: Any = _Null,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **_: Any,
) -> NDArray:
    """Integers in ``[low, high)``, int32 by default.

    Raises
    ------
    MXNetError
        If there is no integer between the bounds.
    DTypeError
        If ``dtype`` is not int32 or int64.
    """
    name = "int32" if _unset(dtype) and out is None else _name(dtype, out)
    if name not in ("int32", "int64"):
        raise DTypeError(f"random.randint: dtype is {name}, but int32 or int64 is required")
    if low >= high:
        raise MXNetError(f"random.randint: no integer lies in [{low}, {high})")
    ctx = _place(ctx, out)
    with backend_of(ctx).on_device(ctx.device_id):
        found = generator(ctx).integers(low, high, _size(shape, out), dtype=name)
    return _given(found, ctx, out)


def shuffle(data: NDArray, **_: Any) -> NDArray:
    """A copy with the rows in random order."""
    backend = backend_of(data.context)
    with backend.on_device(data.context.device_id):
        keys = generator(data.context).random(data.shape[0])
        return NDArray(data.value[backend.xp.argsort(keys)], data.context)


# ---- parts --------------------------------------------------------------------------


def _drawn(
    draw: Callable[..., Array],
    parameters: tuple[Parameter, Parameter],
    shape: Any,
    dtype: Any,
    ctx: Context | None,
    out: NDArray | None,
) -> NDArray:
    name = _name(dtype, out)
    if not is_float(name):
        raise DTypeError(f"random: dtype is {name}, but a floating point type is required")
    kind = "float32" if name == "float16" else name
    arrays = [p for p in parameters if isinstance(p, NDArray)]
    if len(arrays) == 1:
        raise TypeError("random: either all parameters are NDArrays or none is")
    if arrays and arrays[0].shape != arrays[1].shape:
        raise ShapeError(f"random: parameters of shapes {arrays[0].shape} and {arrays[1].shape}")
    ctx = arrays[0].context if arrays else _place(ctx, out)
    size = _size(shape, out)
    values: list[Any] = list(parameters)
    if arrays:
        size = () if _unset(shape) else size
        values = [a.value.reshape(*a.shape, *(1,) * len(size)).astype(kind) for a in arrays]
        size = (*arrays[0].shape, *size)
    with backend_of(ctx).on_device(ctx.device_id):
        found = draw(generator(ctx), size, kind, *values)
        return _given(found.astype(name, copy=False), ctx, out)


def _unset(value: Any) -> bool:
    return value is _Null or value is None


def _name(dtype: Any, out: NDArray | None) -> str:
    if _unset(dtype):
        return "float32" if out is None else out.value.dtype.name
    return dtype_name(dtype)


def _place(ctx: Context | None, out: NDArray | None) -> Context:
    return ctx or (current_context() if out is None else out.context)


def _size(shape: Any, out: NDArray | None) -> Shape:
    if _unset(shape):
        return (1,) if out is None else out.shape
    return shape_of(shape)


def _given(found: Array, ctx: Context, out: NDArray | None) -> NDArray:
    """The numbers as an array, or written into ``out``."""
    if out is None:
        return NDArray(found, ctx)
    if out.shape != found.shape:
        raise ShapeError(f"random: out has shape {out.shape}, but {found.shape} is required")
    out._set_value(found)
    return out
