"""NDArray: an array on a device."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from symgraph.context import Context
from symgraph.dtypes import dtype_name
from symgraph.errors import ShapeError
from symgraph.ndarray import arithmetic as ar
from symgraph.ndarray.convert import (
    backend_of,
    cast_storage,
    copy_to,
    dense_of,
    fill,
    from_host,
    host_array,
    share_memory,
    to_host,
)
from symgraph.ndarray.indexing import array_key
from symgraph.ndarray.reshape import expanded, reshaped, squeezed
from symgraph.ndarray.serialize import dump_array, load_array
from symgraph.storage import Shape, SType, Value


class NDArray:
    """A dense array on a device. Made by ``mx.nd.array``, ``mx.nd.zeros`` and their kin.

    Its buffer stays the same for its whole life, so that programs may be bound to it; all changes
    happen in place. The buffer is always contiguous.

    Attributes
    ----------
    value : array
        The array of the context's backend, or ``RowSparse`` or ``CSR`` in the subclasses.
    context : Context
        The device.
    """

    __slots__ = ("__weakref__", "context", "value")

    __array_priority__ = 1000.0  # NumPy arrays and numbers leave operators to this class
    writable: ClassVar[bool] = True

    def __init__(self, value: Value, ctx: Context) -> None:
        self.value = value
        self.context = ctx

    # ---- facts -------------------------------------------------------------------------

    @property
    def ctx(self) -> Context:
        """The device."""
        return self.context

    @property
    def raw_value(self) -> Value:
        """``value``, but a ``row_sparse`` one as it was made: see ``RowSparse.repeats``."""
        return self.value

    @property
    def shape(self) -> Shape:
        return self.value.shape

    @property
    def dtype(self) -> type:
        """The element type as a NumPy class, such as ``numpy.float32``."""
        return self.value.dtype.type

    @property
    def stype(self) -> SType:
        """``"default"``, ``"row_sparse"`` or ``"csr"``."""
        return "default"

    @property
    def ndim(self) -> int:
        return len(self.value.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.value.shape)

    @property
    def T(self) -> NDArray:
        """A copy with the axes in reverse order."""
        return NDArray(self.value.T.copy(order="C"), self.context)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an NDArray of shape () has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        """Raises ValueError unless there is one element, or none, which is false."""
        if self.size > 1:
            raise ValueError(
                "The truth value of an NDArray with multiple elements is ambiguous: "
                f"the shape is {self.shape}"
            )
        return bool(self.size and self.asnumpy().item())

    def __repr__(self) -> str:
        return f"\n{self.asnumpy()!s}\n{self._described()}"

    def _described(self) -> str:
        return f"<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self.context}>"

    # ---- to other places and types -----------------------------------------------------

    def asnumpy(self) -> np.ndarray:
        """A copy as a NumPy array."""
        host = backend_of(self.context).to_host(self.value)
        return host.copy() if host is self.value else host

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an NDArray becomes a NumPy array only as a copy")
        return self.asnumpy() if dtype is None else self.asnumpy().astype(dtype)

    def asscalar(self) -> Any:
        """The only element, as a NumPy number.

        Raises
        ------
        ValueError
            If there is not exactly one.
        """
        if self.size != 1:
            raise ValueError(f"The current array is not a scalar: its shape is {self.shape}")
        return self.asnumpy().reshape(-1)[0]

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """A copy with another element type; without ``copy`` itself where it has that type."""
        name = dtype_name(dtype)
        if not copy and self.value.dtype.name == name:
            return self
        with backend_of(self.context).on_device(self.context.device_id):
            return NDArray(self.value.astype(name), self.context)

    def copy(self) -> Any:
        """A copy on the same device."""
        return wrap(copy_to(self.value, self.context, self.context), self.context)

    def copyto(self, other: NDArray | Context) -> Any:
        """Copy into another array, converting its element type, or to another device.

        Returns
        -------
        NDArray
            ``other``, or the new array.

        Raises
        ------
        ShapeError
            If the shapes differ.
        StorageError
            If a sparse array cannot be stored as ``other`` is.
        """
        if isinstance(other, Context):
            return wrap(copy_to(self.value, self.context, other), other)
        if not isinstance(other, NDArray):
            raise TypeError(f"copyto does not support type {type(other)}")
        if other.shape != self.shape:
            raise ShapeError(
                f"copyto: the target has shape {other.shape}, but {self.shape} is required"
            )
        if other is not self:
            other._set_value(other._received(self))
        return other

    def as_in_context(self, context: Context) -> Any:
        """This array if it is on ``context`` already, else a copy there."""
        return self if self.context == context else self.copyto(context)

    def tostype(self, stype: str) -> Any:
        """A copy with storage type ``stype``.

        Raises
        ------
        AttributeValueError
            If there is no such type.
        StorageError
            If there is no direct way to it.
        """
        if stype == self.stype:
            return self.copy()
        backend = backend_of(self.context)
        with backend.on_device(self.context.device_id):
            return wrap(cast_storage(self.value, stype, backend.xp), self.context)

    def detach(self) -> Any:
        """The same array; its memory is shared."""
        return type(self)(self.value, self.context)

    def as_nd_ndarray(self) -> NDArray:
        """This array."""
        return self

    def wait_to_read(self) -> None:
        """Wait until the device has computed the array."""
        backend_of(self.context).synchronize()

    def _set_value(self, value: Value) -> None:
        """Take over the content of ``value``, of this shape, in place."""
        if value.shape != self.value.shape:
            raise ShapeError(f"shape {self.shape} is required, but {value.shape} came")
        backend = backend_of(self.context)
        with backend.on_device(self.context.device_id):
            fill(self.value, value, backend.xp)

    def _received(self, source: NDArray) -> Value:
        """The value of ``source`` where this array's device can read it."""
        if share_memory(source.context, self.context):
            return source.value
        return copy_to(source.value, source.context, self.context)

    # ---- shape -------------------------------------------------------------------------

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """A view with another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Lengths, or MXNet's codes: 0 keeps the length at this place, -1 is what remains, -2
            keeps all remaining ones, -3 merges the next two, -4 splits the next into the two
            numbers that follow it.
        reverse : bool
            Match the codes from the right.

        Raises
        ------
        ShapeError
            If the number of elements would change.
        """
        codes = kwargs.pop("shape", shape)
        reverse = bool(kwargs.pop("reverse", False))
        if kwargs:
            raise TypeError(f"reshape: unknown keyword {', '.join(kwargs)} (shape, reverse)")
        if not isinstance(codes, int) and len(codes) == 1 and not isinstance(codes[0], int):
            (codes,) = codes
        codes = (codes,) if isinstance(codes, int) else tuple(operator.index(n) for n in codes)
        target = reshaped(self.shape, codes, reverse=reverse)
        return NDArray(self.value.reshape(target), self.context)

    def expand_dims(self, axis: int, inplace: bool = False) -> NDArray:
        """A copy, or with ``inplace`` a view, with a new axis of length one."""
        return self._viewed(expanded(self.shape, axis), inplace)

    def flatten(self, inplace: bool = False) -> NDArray:
        """A copy, or with ``inplace`` a view, of shape ``(shape[0], the rest)``."""
        rows = self.shape[0] if self.shape else 1
        return self._viewed((rows, math.prod(self.shape[1:])), inplace)

    def squeeze(self, axis: Any = None, inplace: bool = False) -> NDArray:
        """A copy, or with ``inplace`` a view, without axes of length one.

        Raises
        ------
        ShapeError
            If a given axis does not exist or is longer.
        """
        return self._viewed(squeezed(self.shape, axis), inplace)

    def _viewed(self, shape: Shape, inplace: bool) -> NDArray:
        view = NDArray(self.value.reshape(shape), self.context)
        return view if inplace else view.copy()

    # ---- elements ----------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """Part of the array.

        A contiguous part chosen by integers and slices is a view: writing into it writes into the
        array. Any other part is a copy. A single element has shape ``(1,)``.

        Raises
        ------
        IndexError
            If an index is out of range.
        """
        parts = array_key(key, self._index_array)
        backend = backend_of(self.context)
        with backend.on_device(self.context.device_id):
            found = self.value[parts]
            if not found.shape and self.shape:
                found = found.reshape(1)
            if not found.flags.c_contiguous:
                found = found.copy(order="C")
        return NDArray(found, self.context)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write numbers or an array, stretched to the part's shape, converting its type.

        Raises
        ------
        IndexError
            If an index is out of range.
        ShapeError
            If the array does not fit.
        TypeError
            If it holds no numbers.
        """
        parts, incoming = array_key(key, self._index_array), self._incoming(value)
        with backend_of(self.context).on_device(self.context.device_id):
            try:
                self.value[parts] = incoming
            except ValueError as error:
                raise ShapeError(f"cannot assign into shape {self.shape}: {error}") from None

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def _index_array(self, index: Any) -> Any:
        if isinstance(index, NDArray):
            return dense_of(self._received(index), backend_of(self.context).xp)
        return from_host(host_array(index), self.context)

    def _incoming(self, value: Any) -> Any:
        """What to assign: a number, or an array on this device."""
        if isinstance(value, NDArray):
            return dense_of(self._received(value), backend_of(self.context).xp)
        if type(value) is float:
            return value
        found = host_array(value).astype(self.value.dtype, copy=False)
        return from_host(found, self.context) if found.shape else found.item()

    # ---- operators ---------------------------------------------------------------------

    __add__ = ar.method(ar.ADD, operator.add)
    __radd__ = ar.method(ar.ADD, operator.add, reflected=True)
    __sub__ = ar.method(ar.SUB, operator.sub)
    __rsub__ = ar.method(ar.SUB, ar.swapped(operator.sub), reflected=True)
    __mul__ = ar.method(ar.MUL, operator.mul)
    __rmul__ = ar.method(ar.MUL, operator.mul, reflected=True)
    __truediv__ = ar.method(ar.DIV, operator.truediv)
    __rtruediv__ = ar.method(ar.DIV, ar.swapped(operator.truediv), reflected=True)
    __mod__ = ar.method(ar.MOD)
    __rmod__ = ar.method(ar.MOD, reflected=True)
    __pow__ = ar.method(ar.POWER, operator.pow)
    __rpow__ = ar.method(ar.POWER, ar.swapped(operator.pow), reflected=True)
    __iadd__ = ar.in_place(ar.ADD, operator.iadd)
    __isub__ = ar.in_place(ar.SUB, operator.isub)
    __imul__ = ar.in_place(ar.MUL, operator.imul)
    __itruediv__ = ar.in_place(ar.DIV, operator.itruediv)
    __imod__ = ar.in_place(ar.MOD)
    __eq__ = ar.method(ar.EQUAL, ar.compared(operator.eq))
    __ne__ = ar.method(ar.NOT_EQUAL, ar.compared(operator.ne))
    __gt__ = ar.method(ar.GREATER, ar.compared(operator.gt))
    __ge__ = ar.method(ar.GREATER_EQUAL, ar.compared(operator.ge))
    __lt__ = ar.method(ar.LESSER, ar.compared(operator.lt))
    __le__ = ar.method(ar.LESSER_EQUAL, ar.compared(operator.le))
    __hash__ = object.__hash__

    def __neg__(self) -> Any:
        return ar.unary("negative", operator.neg, self)

    def __abs__(self) -> Any:
        return ar.unary("abs", operator.abs, self)

    # ---- copies, pickles and other libraries -------------------------------------------

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled in the ``.params`` layout; unpickled into host memory."""
        device = (self.context.device_typeid, self.context.device_id)
        return _unpickled, (dump_array(to_host(self.value, self.context), device),)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.value.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.value.__dlpack_device__()

    def __getattr__(self, name: str) -> Any:
        """Operators that MXNet offers as methods, as soon as they exist."""
        from symgraph.ndarray.functions import fluent_method

        return fluent_method(type(self), name).__get__(self)


_CLASSES: dict[type, type[NDArray]] = {}
"""The classes for sparse values, entered by :mod:`symgraph.ndarray.sparse_arrays`."""


def wrap(value: Value, ctx: Context) -> Any:
    """``value`` as NDArray, RowSparseNDArray or CSRNDArray, without a copy."""
    return _CLASSES.get(type(value), NDArray)(value, ctx)


def _unpickled(content: bytes) -> NDArray:
    return wrap(load_array(content), Context("cpu", 0))
