"""The values that flow between operators: dense arrays, ``row_sparse`` and ``csr``.

A dense value is an array of the backend (``numpy.ndarray``, ``cupy.ndarray``). The two sparse
values are frozen records of such arrays; they never change after they are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Array = Any
Shape = tuple[int, ...]
SType = Literal["default", "row_sparse", "csr"]
STYPES: tuple[SType, ...] = ("default", "row_sparse", "csr")

STYPE_CODES: dict[SType, int] = {"default": 0, "row_sparse": 1, "csr": 2}
"""Codes of storage types in symbol JSON (``__storage_type__``) and ``.params`` files."""


@dataclass(frozen=True, slots=True, eq=False)
class RowSparse:
    """Some rows of an array; all others are zero.

    Shapes
    ------
    data : (n, *shape[1:])
    indices : (n,), int64, ascending, without repetition, each below ``shape[0]``

    Attributes
    ----------
    repeats : bool
        The last row stands there more than once, each time alike. Kernels make such values where
        the number of rows is known to a device only and the host need not wait for it. They may
        be written over rows; whoever sums or shows rows takes them out first.
    """

    data: Array
    indices: Array
    shape: Shape
    repeats: bool = False
    stype: ClassVar[SType] = "row_sparse"

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def is_full(self) -> bool:
        """Whether every row is there, so that ``data`` is the dense array."""
        return self.data.shape[0] == self.shape[0] and not self.repeats


@dataclass(frozen=True, slots=True, eq=False)
class CSR:
    """Compressed sparse rows of a matrix.

    Shapes
    ------
    data, indices : (nnz,); indices are int64 column numbers, ascending within a row
    indptr : (shape[0] + 1,), int64
    """

    data: Array
    indices: Array
    indptr: Array
    shape: Shape
    stype: ClassVar[SType] = "csr"

    @property
    def dtype(self) -> Any:
        return self.data.dtype


Value = Any
"""``Array | RowSparse | CSR``; arrays of several libraries have no common type."""


def stype_of(value: Value) -> SType:
    """``"default"`` for an array, else the sparse value's own."""
    return getattr(value, "stype", "default")
