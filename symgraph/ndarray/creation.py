"""New dense arrays, and arrays joined or rearranged without an operator."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgraph.context import Context, chosen_context, current_context
from symgraph.dtypes import dtype_name
from symgraph.errors import ShapeError, StorageError
from symgraph.ndarray.convert import backend_of, from_host, host_array, require_one_memory
from symgraph.ndarray.ndarray import NDArray
from symgraph.storage import Shape


def shape_of(shape: Any) -> Shape:
    """A shape given as an integer or a sequence of them.

    Raises
    ------
    ShapeError
        If it is neither, or a length is negative.
    """
    try:
        found = (operator.index(shape),)
    except TypeError:
        try:
            found = tuple(operator.index(n) for n in shape)
        except TypeError:
            raise ShapeError(f"a shape of integers is required, not {shape!r}") from None
    if any(n < 0 for n in found):
        raise ShapeError(f"shape {found} has a negative length")
    return found


def _make(function: str, ctx: Context | None, *args: Any) -> NDArray:
    """What ``function`` of the device's array library makes."""
    ctx = chosen_context(ctx)
    backend = backend_of(ctx)
    with backend.on_device(ctx.device_id):
        return NDArray(getattr(backend.xp, function)(*args), ctx)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """A copy of anything that holds numbers.

    Parameters
    ----------
    source_array : NDArray, numpy.ndarray, list, number or scipy sparse matrix
    ctx : Context, optional
        The current context by default.
    dtype : optional
        float32 by default, whatever the source holds; that of an NDArray is kept.

    Raises
    ------
    TypeError
        If the source holds no numbers, or rows of different lengths.
    """
    ctx = ctx or current_context()
    if isinstance(source_array, NDArray):
        copied = source_array.copyto(ctx)
        return copied if dtype is None else copied.astype(dtype, copy=False)
    if hasattr(source_array, "tocsr"):
        from symgraph.ndarray import sparse

        return sparse.csr_matrix(source_array, ctx=ctx, dtype=dtype)
    name = dtype_name(dtype)
    if name == "bfloat16":
        raise StorageError("there are no bfloat16 arrays; use float16 or float32")
    try:
        host = np.array(host_array(source_array), dtype=name, order="C")
    except TypeError as error:
        raise TypeError(f"source_array: {error}") from None
    return NDArray(from_host(host, ctx), ctx)


def zeros(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None, **_: Any
) -> Any:
    """An array of zeros, float32 and dense by default.

    Raises
    ------
    ShapeError
        If a length is negative or no integer.
    """
    if stype not in (None, "default"):
        from symgraph.ndarray import sparse

        return sparse.zeros(stype, shape, ctx, dtype)
    return _make("zeros", ctx, shape_of(shape), dtype_name(dtype))


def ones(shape: Any, ctx: Context | None = None, dtype: Any = None, **_: Any) -> NDArray:
    """An array of ones, float32 by default."""
    return _make("ones", ctx, shape_of(shape), dtype_name(dtype))


def empty(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None
) -> Any:
    """An array whose elements are whatever the memory held; a sparse one stores nothing."""
    if stype not in (None, "default"):
        return zeros(shape, ctx, dtype, stype)
    return _make("empty", ctx, shape_of(shape), dtype_name(dtype))


def full(
    shape: Any,
    val: Any,
    ctx: Context | None = None,
    dtype: Any = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    """An array of one value, or ``out`` filled with it."""
    target = empty(shape, ctx, dtype) if out is None else out
    target[:] = val
    return target


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Evenly spaced values in ``[start, stop)``, each ``repeat`` times.

    ``infer_range`` has no effect on an array; a symbol takes its length from what it meets.

    Raises
    ------
    ValueError
        If ``step`` is 0.
    """
    if step == 0:
        raise ValueError("arange: step is 0")
    start, stop = (0, start) if stop is None else (start, stop)
    numbers = np.repeat(np.arange(start, stop, step), repeat).astype(dtype_name(dtype))
    ctx = ctx or current_context()
    return NDArray(from_host(numbers, ctx), ctx)


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """``num`` evenly spaced values from ``start`` to ``stop``."""
    numbers = np.linspace(start, stop, num, endpoint)
    return array(numbers, ctx, dtype)


def eye(
    N: int,  # noqa: N803
    M: int = 0,  # noqa: N803
    k: int = 0,
    ctx: Context | None = None,
    dtype: Any = None,
    **_: Any,
) -> NDArray:
    """A matrix of ``N`` rows and ``M`` (or ``N``) columns with ones on diagonal ``k``."""
    return _make("eye", ctx, int(N), int(M) or int(N), int(k), dtype_name(dtype))


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Dense arrays joined along an axis that exists.

    Raises
    ------
    ValueError
        If there is no array.
    ShapeError
        If the shapes do not fit.
    """
    if not arrays:
        raise ValueError("concatenate needs at least one array")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    contexts = [a.context for a in arrays]
    require_one_memory(contexts, "concatenate")
    if any(a.stype != "default" for a in arrays):
        raise StorageError("concatenate joins dense arrays; use concat for csr ones")
    try:
        return _make("concatenate", contexts[0], [a.value for a in arrays], axis)
    except ValueError as error:
        shapes = ", ".join(str(a.shape) for a in arrays)
        raise ShapeError(f"concatenate along axis {axis}: {shapes} do not fit ({error})") from None


def moveaxis(tensor: NDArray, source: Any, destination: Any) -> NDArray:
    """A copy with axes moved; the others keep their order.

    Raises
    ------
    ValueError
        If an axis does not exist or is given twice.
    """
    moved = np.moveaxis(np.empty(tensor.shape, np.void), source, destination)
    del moved  # checked on the host, where errors are the same for every device
    backend = backend_of(tensor.context)
    with backend.on_device(tensor.context.device_id):
        view = backend.xp.moveaxis(tensor.value, source, destination)
        return NDArray(view.copy(order="C"), tensor.context)


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Fill the rows of ``out`` with zeros and a one at ``indices``.

    Shapes: indices (n,), out (n, depth).
    """
    backend = backend_of(out.context)
    with backend.on_device(out.context.device_id):
        columns = backend.xp.arange(out.shape[1])
        out[:] = NDArray(indices.value[:, None] == columns, out.context)
    return out


def from_numpy(ndarray: np.ndarray, zero_copy: bool = True) -> NDArray:
    """An array on ``cpu(0)`` that shares the memory of ``ndarray``, or with a copy of it.

    Memory can be shared only if it is contiguous and in native byte order; else it is copied.
    """
    native = ndarray.astype(dtype_name(ndarray.dtype), order="C", copy=False)
    return NDArray(native if zero_copy else native.copy(), Context("cpu", 0))


def from_dlpack(dlpack: Any) -> NDArray:
    """An array that shares the memory of another library's tensor in host memory."""
    host = np.from_dlpack(dlpack if hasattr(dlpack, "__dlpack__") else _Capsule(dlpack))
    return from_numpy(host, zero_copy=host.flags.writeable)


def to_dlpack_for_read(data: NDArray) -> Any:
    """A DLPack capsule; the reader must not write."""
    return data.__dlpack__()


to_dlpack_for_write = to_dlpack_for_read


class _Capsule:
    """A bare DLPack capsule with the methods that NumPy asks for."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def waitall() -> None:
    """Wait until everything submitted to the devices in use has run."""
    from symgraph import backend

    for made in list(backend._made.values()):
        made.synchronize()
