"""The arrays inside NDArrays, as optimizers and stores work on them."""

from __future__ import annotations

from typing import Any

from symgraph.errors import StorageError
from symgraph.kernels import namespace_of
from symgraph.ndarray import convert
from symgraph.ndarray.ndarray import NDArray
from symgraph.ndarray.sparse_arrays import BaseSparseNDArray
from symgraph.storage import CSR, Array, RowSparse, Value


def table_of(weight: NDArray) -> Array:
    """The array of all elements of a weight, to be changed in place. Shape: as the weight.

    A ``row_sparse`` weight that lacks rows gets them, as zeros: it keeps a table from then on.

    Raises
    ------
    StorageError
        If the weight is ``csr``, or a table of its size does not fit into memory.
    """
    value = weight.value
    if isinstance(value, CSR):
        raise StorageError("a csr weight has no rows to update; use row_sparse or default storage")
    if not isinstance(value, RowSparse):
        return value
    if not value.is_full:
        xp = namespace_of(value.data)
        with convert.backend_of(weight.context).on_device(weight.context.device_id):
            table = dense_of(value)
            value = RowSparse(table, xp.arange(len(table), dtype="int64"), value.shape)
        weight._set_value(value)
    return value.data


def dense_of(value: Value) -> Array:
    """The elements of ``value``, in a new array where it is sparse. Shape: ``value.shape``.

    Raises
    ------
    StorageError
        If they do not fit into memory.
    """
    if not isinstance(value, RowSparse | CSR):
        return value
    try:
        return convert.dense_of(value, namespace_of(value.data))
    except MemoryError as error:
        raise StorageError(
            f"all elements of a {value.stype} array of shape {value.shape} are needed here, but "
            "they do not fit into memory"
        ) from error


def zeros_like(weight: NDArray) -> NDArray:
    """A dense array of zeros of the shape, element type and device of ``weight``."""
    value = weight.value
    xp = namespace_of(value.data if isinstance(weight, BaseSparseNDArray) else value)
    with convert.backend_of(weight.context).on_device(weight.context.device_id):
        return NDArray(xp.zeros(value.shape, value.dtype), weight.context)


def every_row(w: Array, grad: Array) -> tuple[Array, Array, Array]:
    """A dense update in the form of one of rows: the whole array is row 0 of a table."""
    return w[None], namespace_of(w).zeros(1, "int64"), grad[None]


def wide(array: Array) -> Array:
    """Halves in single precision, to compute with; everything else as it is."""
    return array.astype("float32") if array.dtype == "float16" else array


def narrow(array: Array, result: Array) -> None:
    """Write a result into an array of the type that :func:`wide` computed from."""
    array[...] = result.astype(array.dtype, copy=False)


def clipped(array: Array, bound: float | None) -> Array:
    """``array`` within ``[-bound, bound]``; None or a negative bound is none, as in MXNet."""
    if bound is None or bound < 0:
        return array
    return namespace_of(array).clip(array, -bound, bound)


def prepared(grad: Array, step: Any) -> Array:
    """The gradient rescaled, then clipped."""
    return clipped(step.rescale * wide(grad), step.clip)
