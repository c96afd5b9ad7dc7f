"""NDArrays that store part of their elements: row_sparse and csr."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symgraph.dtypes import dtype_name
from symgraph.errors import ShapeError, StorageError
from symgraph.kernels.segment import without_repeats
from symgraph.ndarray import arithmetic as ar
from symgraph.ndarray.canonical import canonical_csr, canonical_rows, index_array
from symgraph.ndarray.convert import backend_of, cast_storage, copy_to, dense_of, to_host
from symgraph.ndarray.creation import array
from symgraph.ndarray.csr_indexing import select
from symgraph.ndarray.ndarray import _CLASSES, NDArray, wrap
from symgraph.storage import CSR, RowSparse, Shape, SType, Value

_VALUE: Any = NDArray.__dict__["value"]
"""The slot itself, under the property of row_sparse arrays."""


class BaseSparseNDArray(NDArray):
    """What row_sparse and csr arrays share. The stored arrays are replaced, never changed."""

    __slots__ = ()

    @property
    def stype(self) -> SType:
        return self.raw_value.stype

    @property
    def shape(self) -> Shape:
        return self.raw_value.shape

    @property
    def dtype(self) -> type:
        """The element type as a NumPy class, such as ``numpy.float32``."""
        return self.raw_value.dtype.type

    @property
    def T(self) -> NDArray:
        """The transposed array, dense."""
        return self.tostype("default").T

    @property
    def data(self) -> NDArray:
        """A copy of the stored elements."""
        return self._part("data")

    @property
    def indices(self) -> NDArray:
        """A copy of the row numbers (row_sparse) or column numbers (csr)."""
        return self._part("indices")

    def _part(self, name: str) -> NDArray:
        part = getattr(self.value, name)
        return NDArray(copy_to(part, self.context, self.context), self.context)

    def __repr__(self) -> str:
        return f"\n{self._described()}"

    def asnumpy(self) -> np.ndarray:
        """The whole array, zeros included, as a NumPy array."""
        return dense_of(to_host(self.value, self.context), np)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """A copy with another element type; without ``copy`` itself where it has that type."""
        name = dtype_name(dtype)
        if not copy and self.value.dtype.name == name:
            return self
        fresh = copy_to(self.value, self.context, self.context)
        with backend_of(self.context).on_device(self.context.device_id):
            return wrap(_with_data(fresh, fresh.data.astype(name, copy=False)), self.context)

    def check_format(self, full_check: bool = True) -> None:
        """Check that indices ascend and are in range; always so unless arrays were forced in.

        Raises
        ------
        ShapeError
        """
        checked = _canonical(to_host(self.value, self.context))
        if checked.data.shape != self.value.data.shape:
            raise ShapeError(f"{self.stype}: an index is stored twice")

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Not available: a sparse array has no views. Raises StorageError."""
        raise StorageError(f"{self.stype} arrays cannot be reshaped; call tostype('default') first")

    def _viewed(self, shape: Any, inplace: bool) -> NDArray:
        if inplace:
            raise StorageError(f"{self.stype} arrays have no views; leave inplace out")
        return self.tostype("default").reshape(shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Replace the whole array: ``a[:] = array or number``.

        Raises
        ------
        StorageError
            If the key is not ``[:]``.
        ShapeError
            If the array has another shape.
        """
        if not (isinstance(key, slice) and key == slice(None)):
            raise StorageError(f"{self.stype} arrays support only [:] for assignment, not {key!r}")
        if isinstance(value, NDArray):
            value.copyto(self)
            return
        given = np.asarray(value)
        if given.ndim == 0:
            given = np.broadcast_to(given, self.shape)
        array(given, self.context, self.dtype).copyto(self)

    def _set_value(self, value: Value) -> None:
        """Take over ``value`` as the content; its arrays must not change afterwards."""
        if value.shape != self.shape:
            raise ShapeError(f"shape {self.shape} is required, but {value.shape} came")
        xp = backend_of(self.context).xp
        with backend_of(self.context).on_device(self.context.device_id):
            stored = cast_storage(value, self.stype, xp)
            if stored.dtype != self.raw_value.dtype:
                stored = _with_data(stored, stored.data.astype(self.raw_value.dtype))
            self.value = stored

    def _received(self, source: NDArray) -> Value:
        return copy_to(source.value, source.context, self.context)

    __add__ = ar.method(ar.ADD)
    __radd__ = ar.method(ar.ADD, reflected=True)
    __sub__ = ar.method(ar.SUB)
    __rsub__ = ar.method(ar.SUB, reflected=True)
    __mul__ = ar.method(ar.MUL)
    __rmul__ = ar.method(ar.MUL, reflected=True)
    __truediv__ = ar.method(ar.DIV)
    __rtruediv__ = ar.method(ar.DIV, reflected=True)
    __pow__ = ar.method(ar.POWER)
    __rpow__ = ar.method(ar.POWER, reflected=True)
    __iadd__ = ar.in_place(ar.ADD)
    __isub__ = ar.in_place(ar.SUB)
    __imul__ = ar.in_place(ar.MUL)
    __itruediv__ = ar.in_place(ar.DIV)
    __eq__ = ar.method(ar.EQUAL)
    __ne__ = ar.method(ar.NOT_EQUAL)
    __gt__ = ar.method(ar.GREATER)
    __ge__ = ar.method(ar.GREATER_EQUAL)
    __lt__ = ar.method(ar.LESSER)
    __le__ = ar.method(ar.LESSER_EQUAL)
    __hash__ = object.__hash__


class RowSparseNDArray(BaseSparseNDArray):
    """Some rows of an array; all others are zero. Made by :func:`row_sparse_array`.

    Shapes
    ------
    data : (n, *shape[1:])
    indices : (n,), int64, ascending
    """

    __slots__ = ()

    @property
    def value(self) -> RowSparse:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The rows, each once."""
        found = _VALUE.__get__(self)
        if found.repeats:
            found = without_repeats(found)
            _VALUE.__set__(self, found)
        return found

    @value.setter
    def value(self, value: RowSparse) -> None:
        _VALUE.__set__(self, value)

    @property
    def raw_value(self) -> RowSparse:
        return _VALUE.__get__(self)

    def retain(self, indices: Any) -> RowSparseNDArray:
        """Only the rows whose numbers are in ``indices``."""
        given = indices.asnumpy() if isinstance(indices, NDArray) else indices
        wanted = index_array(given, "retain: indices")
        backend = backend_of(self.context)
        with backend.on_device(self.context.device_id):
            kept = backend.xp.isin(self.value.indices, backend.from_host(wanted))
            value = RowSparse(self.value.data[kept], self.value.indices[kept], self.shape)
        return RowSparseNDArray(value, self.context)

    def __getitem__(self, key: Any) -> Any:
        """Only ``[:]``, the array itself; StorageError for anything else."""
        if isinstance(key, slice) and key == slice(None):
            return self
        raise StorageError(
            "row_sparse arrays support only [:]; use retain for some rows or tostype('default')"
        )


class CSRNDArray(BaseSparseNDArray):
    """A matrix in compressed sparse rows. Made by :func:`csr_matrix`.

    Shapes
    ------
    data, indices : (nnz,), column numbers ascending within a row
    indptr : (shape[0] + 1,)
    """

    __slots__ = ()

    @property
    def indptr(self) -> NDArray:
        """A copy of the positions at which rows start, and the end."""
        return self._part("indptr")

    def asscipy(self) -> Any:
        """A ``scipy.sparse.csr_matrix`` with copies of the arrays."""
        try:
            from scipy.sparse import csr_matrix
        except ImportError as error:
            raise ImportError("asscipy needs SciPy: pip install 'symgraph-nn[scipy]'") from error
        host = to_host(copy_to(self.value, self.context, self.context), self.context)
        return csr_matrix((host.data, host.indices, host.indptr), shape=host.shape)

    def __getitem__(self, key: Any) -> Any:
        """Rows, or rows and columns, by integers, slices and lists; a csr array.

        Two integers give the element, as a dense array of shape ``(1,)``.

        Raises
        ------
        IndexError
            If an index is out of range.
        """
        if isinstance(key, slice) and key == slice(None):
            return self
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        rows, columns = (k.asnumpy() if isinstance(k, NDArray) else k for k in (rows, columns))
        backend = backend_of(self.context)
        with backend.on_device(self.context.device_id):
            found = wrap(select(self.value, rows, columns, backend.xp), self.context)
        if all(isinstance(k, int | np.integer) for k in (rows, columns)):
            return found.tostype("default").reshape(1)
        return found


_CLASSES.update({RowSparse: RowSparseNDArray, CSR: CSRNDArray})


def _with_data(value: Any, data: Any) -> Any:
    """The same places with other elements."""
    if isinstance(value, RowSparse):
        return replace(value, data=data)
    return CSR(data, value.indices, value.indptr, value.shape)


def _canonical(value: Any) -> Any:
    if isinstance(value, RowSparse):
        return canonical_rows(value.data, value.indices, value.shape)
    return canonical_csr(value.data, value.indices, value.indptr, value.shape)
