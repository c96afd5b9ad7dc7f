"""MXNet's ``.params`` format: all generations are read, the one of MXNet 1.9.1 is written.

A file is: the magic number 0x112, a reserved word, the arrays, their names (or none). All numbers
are little endian. One array, by generation:

====== ============ ===================================================================
layout first word   then
====== ============ ===================================================================
V0     ndim         lengths (uint32), device, type code, data
V1     0xF993FAC8   ndim, lengths (int64), device, type code, data
V2     0xF993FAC9   storage code; if sparse the shape of the data; shape; device; type code;
                    for each index array its type code and shape; data; index arrays
V3     0xF993FACA   as V2, where ``()`` is a scalar and a length may be 0
====== ============ ===================================================================

The index arrays of ``row_sparse`` are the row numbers, those of ``csr`` are indptr, then columns.
Nothing is allocated before the rest of the file is known to be long enough for it.
"""

from __future__ import annotations

import io
import math
import os
import stat
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from symgraph.dtypes import CODES, NAMES, dtype_name
from symgraph.errors import FormatError, MXNetError, StorageError
from symgraph.files import atomic_write, open_input
from symgraph.ndarray.canonical import canonical_csr, canonical_rows
from symgraph.storage import CSR, STYPE_CODES, RowSparse, Shape, Value, stype_of

LIST_MAGIC = 0x112
V1_MAGIC, V2_MAGIC, V3_MAGIC = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
Device = tuple[int, int]
CPU_DEVICE: Device = (1, 0)
"""Device code and number of ``cpu(0)``."""

_INTEGERS = ("int64", "int32", "int8", "uint8")
_MAX_NDIM = 32  # NumPy 1.26's limit
_MIN_ARRAY = 4  # bytes: even an array that cannot be read has a first word
_BLOCK = 1 << 24  # bytes of a strided array that are made contiguous at once

_LOOKS_LIKE = (
    ((b"<!doctype", b"<html", b"<head", b"<?xml"), "it looks like HTML or XML, perhaps the page"
     " of a failed download"),
    ((b"version https://git-lfs",), "it is a Git LFS pointer, the file itself was not fetched"),
    ((b"pk\x03\x04", b"\x1f\x8b"), "it is a zip or gzip archive"),
    ((b"{",), "it looks like JSON, perhaps the symbol file"),
)  # fmt: skip


# ---- reading ------------------------------------------------------------------------


class _Reader:
    """Takes numbers and arrays from a file whose length is known."""

    def __init__(self, file: BinaryIO, size: int, source: str) -> None:
        self._file, self.left, self.source, self._size = file, size, source, size

    def fail(self, problem: str) -> FormatError:
        return FormatError(f"{self.source}: {problem}")

    def need(self, count: int, what: str) -> None:
        """Refuse, before anything is allocated, what the rest of the file cannot hold."""
        if count > self.left:
            raise self.fail(
                f"the file is truncated: {what} at byte {self._size - self.left} takes {count} "
                f"bytes, but {self.left} of {self._size} are left"
            )

    def bytes(self, count: int, what: str) -> bytes:
        self.need(count, what)
        self.left -= count
        found = self._file.read(count)
        if len(found) != count:
            raise self.fail(f"the file became shorter while {what} was read")
        return found

    def ints(self, code: str, what: str) -> tuple[int, ...]:
        """Numbers as :mod:`struct` describes them."""
        return struct.unpack("<" + code, self.bytes(struct.calcsize("<" + code), what))

    def array(self, shape: Shape, dtype: str, what: str) -> np.ndarray:
        stored = np.dtype("<" + np.dtype(dtype).str[1:])
        count = math.prod(shape) * stored.itemsize
        self.need(count, what)
        if math.prod(n or 1 for n in shape) > 2**56:
            raise self.fail(f"{what} has shape {shape}, which no memory can hold")
        found = np.empty(shape, stored)
        self.left -= count
        # readinto fills the array itself, so that a large one is never held twice.
        if self._file.readinto(_raw(found)) != count:  # pyright: ignore[reportAttributeAccessIssue]
            raise self.fail(f"the file became shorter while {what} was read")
        return found.astype(dtype, copy=False)


def load_file(path: str | os.PathLike[str]) -> tuple[list[str], list[Value]]:
    """Names (or none) and values of a ``.params`` file; values lie in host memory.

    Raises
    ------
    FormatError
        If the file is not in the format, is truncated or its numbers contradict each other.
    MXNetError
        If it cannot be opened.
    """
    shown = os.fspath(path)
    try:
        with open_input(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):  # a pipe does not know its length
                return load_buffer(file.read(), shown)
            return _read(_Reader(file, status.st_size, shown))
    except OSError as error:
        raise MXNetError(f"cannot read {shown!r}: {error.strerror or error}") from error


def load_buffer(
    buffer: bytes | bytearray | memoryview, source: str = "the buffer"
) -> tuple[list[str], list[Value]]:
    """The same from the content of a file; ``source`` is its name in errors."""
    content = bytes(buffer)
    return _read(_Reader(io.BytesIO(content), len(content), source))


def load_array(buffer: bytes | bytearray | memoryview) -> Value:
    """One array without the list around it, as pickled arrays hold it."""
    content = bytes(buffer)
    return _read_array(_Reader(io.BytesIO(content), len(content), "the buffer"), "the array")


def _read(r: _Reader) -> tuple[list[str], list[Value]]:
    _check_magic(r)
    count = _read_count(r, "arrays", _MIN_ARRAY)
    values = [_read_array(r, f"array {i} of {count}") for i in range(count)]
    name_count = _read_count(r, "names", 8)
    names = [_read_name(r, i) for i in range(name_count)]
    if names and len(names) != len(values):
        raise r.fail(f"it has {len(names)} names for {len(values)} arrays")
    return names, values


def _check_magic(r: _Reader) -> None:
    if r.left == 0:
        raise r.fail("the file is empty (0 bytes), a .params file has at least 32")
    start = r.bytes(min(r.left, 8), "the start")
    if start == struct.pack("<Q", LIST_MAGIC):
        r.ints("Q", "the reserved word")
        return
    head = (start + r.bytes(min(r.left, 56), "the start")).lstrip().lower()
    for words, meaning in _LOOKS_LIKE:
        if head.startswith(words):
            raise r.fail(f"this is not a .params file: {meaning}")
    raise r.fail(
        f"this is not a .params file: it starts with {start!r}, "
        f"but the magic number {struct.pack('<Q', LIST_MAGIC)!r} is required"
    )


def _read_count(r: _Reader, what: str, least: int) -> int:
    (count,) = r.ints("Q", f"the number of {what}")
    r.need(count * least, f"a list of {count} {what}")
    return count


def _read_name(r: _Reader, number: int) -> str:
    (length,) = r.ints("Q", f"the length of name {number}")
    # Names that are no UTF-8 survive a round trip this way, as file names do in Python.
    return r.bytes(length, f"name {number}").decode("utf-8", "surrogateescape")


def _read_array(r: _Reader, what: str) -> Value:
    (first,) = r.ints("I", what)
    stype_code = 0
    storage_shape: Shape = ()
    if first in (V2_MAGIC, V3_MAGIC):
        (stype_code,) = r.ints("i", f"the storage type of {what}")
        if stype_code not in STYPE_CODES.values():
            raise r.fail(f"{what} has storage type code {stype_code}, known are 0, 1 and 2")
        if stype_code:
            storage_shape = _read_shape(r, what)
        shape = _read_shape(r, what)
    elif first == V1_MAGIC:
        shape = _read_shape(r, what)
    else:
        shape = _read_lengths(r, first, "I", what)
    if not shape and first not in (V2_MAGIC, V3_MAGIC):
        raise r.fail(f"{what} has no data: it was saved before it was given a shape")
    r.ints("ii", f"the device of {what}")
    dtype = _read_dtype(r, what)
    if not stype_code:
        return _read_data(r, shape, dtype, what)
    return _read_sparse(r, stype_code, shape, storage_shape, dtype, what)


def _read_shape(r: _Reader, what: str) -> Shape:
    (ndim,) = r.ints("I", f"the number of dimensions of {what}")
    return _read_lengths(r, ndim, "q", what)


def _read_lengths(r: _Reader, ndim: int, code: str, what: str) -> Shape:
    if ndim > _MAX_NDIM:
        raise r.fail(f"{what} has {ndim} dimensions (or another magic number), at most 32 are read")
    shape = r.ints(f"{ndim}{code}", f"the shape of {what}")
    if any(n < 0 for n in shape):
        raise r.fail(f"{what} has shape {shape}, but no length can be negative")
    return shape


def _read_dtype(r: _Reader, what: str) -> str:
    (code,) = r.ints("i", f"the element type of {what}")
    if code not in NAMES:
        raise r.fail(f"{what} has element type code {code}, known are {sorted(NAMES)}")
    return NAMES[code]


def _read_data(r: _Reader, shape: Shape, dtype: str, what: str) -> np.ndarray:
    if dtype == "bfloat16":  # NumPy has none; its values are the upper halves of float32 ones
        halves = r.array(shape, "uint16", what)
        return (halves.astype(np.uint32) << 16).view(np.float32)
    if dtype == "bool":  # a NumPy bool that holds neither 0 nor 1 is a trap
        return r.array(shape, "uint8", what) != 0
    return r.array(shape, dtype, what)


def _read_sparse(
    r: _Reader, code: int, shape: Shape, storage_shape: Shape, dtype: str, what: str
) -> RowSparse | CSR:
    """The rest of a sparse array, from the description of its index arrays on."""
    index_kinds = []
    for part in range(code):  # row_sparse, code 1, has one index array; csr, code 2, has two
        index_dtype = _read_dtype(r, f"index {part} of {what}")
        if index_dtype not in _INTEGERS:
            raise r.fail(f"{what} has indices of type {index_dtype}, integers are required")
        index_kinds.append((_read_shape(r, f"index {part} of {what}"), index_dtype))
    data = _read_data(r, storage_shape, dtype, what)
    index = [r.array(s, t, f"index {i} of {what}") for i, (s, t) in enumerate(index_kinds)]
    try:
        if code == STYPE_CODES["row_sparse"]:
            return canonical_rows(data, index[0], shape)
        return canonical_csr(data, index[1], index[0], shape)
    except MXNetError as error:
        raise r.fail(f"{what}: {error}") from None


# ---- writing ------------------------------------------------------------------------


def save_file(
    path: str | os.PathLike[str],
    names: Sequence[str],
    values: Sequence[Value],
    devices: Sequence[Device] | None = None,
    to_host: Callable[[Value], Value] = lambda value: value,
) -> None:
    """Write a ``.params`` file; the former one stays whole until the new one is on the disk.

    Parameters
    ----------
    names : sequence of str
        One per value, or none at all.
    values : sequence
        Arrays, ``RowSparse`` or ``CSR``.
    devices : sequence of (int, int), optional
        Device code and number to note for each value; ``cpu(0)`` by default.
    to_host : callable, optional
        Brings one value to host memory. It is called just before the value is written, so that
        the arrays of a device are not all copied at once.

    Raises
    ------
    MXNetError
        If the file cannot be written.
    """
    with atomic_write(path) as file:
        write(file, names, values, devices, to_host)


def write(
    file: BinaryIO,
    names: Sequence[str],
    values: Sequence[Value],
    devices: Sequence[Device] | None = None,
    to_host: Callable[[Value], Value] = lambda value: value,
) -> None:
    """Write the content of a ``.params`` file; see :func:`save_file`.

    A scalar can be written only as V3, which MXNet reads and writes for whole files at a time
    (under its ``np_shape``); a file without one is V2.
    """
    magic = V2_MAGIC if all(value.shape for value in values) else V3_MAGIC
    file.write(struct.pack("<QQQ", LIST_MAGIC, 0, len(values)))
    for number, value in enumerate(values):
        _write_array(file, to_host(value), devices[number] if devices else CPU_DEVICE, magic)
    file.write(struct.pack("<Q", len(names)))
    for name in names:
        raw = _encoded(name)
        file.write(struct.pack("<Q", len(raw)) + raw)


def _encoded(name: str) -> bytes:
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FormatError(
            f"the name {name!r:.80} holds half a character and cannot be written"
        ) from None


def _write_array(file: BinaryIO, value: Value, device: Device, magic: int) -> None:
    stype = stype_of(value)
    data, index = _parts(value)
    file.write(struct.pack("<Ii", V2_MAGIC if index else magic, STYPE_CODES[stype]))
    if index:
        file.write(_shape_bytes(data.shape))
    file.write(_shape_bytes(value.shape) + struct.pack("<ii", *device))
    file.write(struct.pack("<i", CODES[dtype_name(data.dtype)]))
    for part in index:
        file.write(struct.pack("<i", CODES[part.dtype.name]) + _shape_bytes(part.shape))
    for part in (data, *index):
        for block in _blocks(part):
            file.write(_raw(block))


def dump_array(value: Value, device: Device = CPU_DEVICE) -> bytes:
    """One array as bytes, without the list around it, as pickled arrays hold it."""
    file = io.BytesIO()
    _write_array(file, value, device, V2_MAGIC if value.shape else V3_MAGIC)
    return file.getvalue()


def _parts(value: Value) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    if isinstance(value, RowSparse):
        return value.data, (value.indices,)
    if isinstance(value, CSR):
        return value.data, (value.indptr, value.indices)
    if not isinstance(value, np.ndarray):
        raise StorageError(f"an array in host memory is required, not {type(value).__name__}")
    return value, ()


def _shape_bytes(shape: Shape) -> bytes:
    return struct.pack(f"<I{len(shape)}q", len(shape), *shape)


def _blocks(data: np.ndarray) -> Iterator[np.ndarray]:
    """``data`` in contiguous little endian pieces; one without a copy where it is so already."""
    wanted = data.dtype.newbyteorder("<")
    if data.flags.c_contiguous and data.dtype == wanted:
        yield data
        return
    if data.ndim < 2 or data.nbytes <= _BLOCK:
        yield np.ascontiguousarray(data, wanted)
        return
    for row in data:
        yield from _blocks(row)


def _raw(data: np.ndarray) -> memoryview:
    """The bytes of a contiguous array."""
    return data.reshape(-1).view(np.uint8).data
