"""Batches of LibSVM files: sparse rows and their labels."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symgraph.errors import FormatError, MXNetError
from symgraph.io.file_iter import FileIter
from symgraph.ndarray import NDArray, array
from symgraph.ndarray.sparse import csr_matrix


class LibSVMIter(FileIter):
    """Iterates over lines ``label index:value index:value ...`` as csr batches.

    Parameters
    ----------
    data_libsvm : path
        May be compressed (``.gz``). Comments, blank lines and ``qid:`` fields are skipped.
    data_shape : tuple of int
        ``(number of features,)``; indices count from zero.
    batch_size : int
    label_libsvm : path, optional
        Labels as sparse rows of ``label_shape`` in a file of their own.
    label_shape : tuple of int
        ``(n,)``; for n above one a line begins with n labels separated by commas.
    round_batch : bool
        Only True, as in MXNet: an incomplete last batch takes its rows from the start.
    prefetch_buffer, ctx
        Taken for the sake of old scripts; nothing depends on them.

    Raises
    ------
    FormatError
        If a line cannot be read or an index is out of range; the message has its number.
    """

    def __init__(
        self,
        data_libsvm: str | os.PathLike[str],
        data_shape: Sequence[int] | int,
        batch_size: int,
        label_libsvm: str | os.PathLike[str] = "NULL",
        label_shape: Sequence[int] | int = (1,),
        round_batch: bool = True,
        data_name: str = "data",
        label_name: str = "softmax_label",
        prefetch_buffer: int = 4,
        ctx: Any = None,
    ) -> None:
        if not round_batch:
            raise MXNetError("LibSVMIter: only round_batch=True is supported")
        labels, data = _read(data_libsvm, _length(data_shape), _length(label_shape))
        if str(label_libsvm) != "NULL":
            _, labels = _read(label_libsvm, _length(label_shape), None)
        super().__init__([(data_name, data)], [(label_name, labels)], batch_size, round_batch)


def _length(shape: Sequence[int] | int) -> int:
    if isinstance(shape, int):
        return shape
    if len(shape) != 1:
        raise MXNetError(f"LibSVMIter: a sample has one dimension, but its shape is {shape}")
    return shape[0]


def _read(
    path: str | os.PathLike[str], width: int, num_labels: int | None
) -> tuple[NDArray, NDArray]:
    """(labels, rows) of a file; labels of any number if ``num_labels`` is None."""
    labels: list[list[float]] = []
    columns: list[int] = []
    values: list[float] = []
    indptr = [0]
    for number, fields in _lines(path):
        try:
            own = [float(x) for x in fields[0].split(",")]
            pairs = [f.split(":") for f in fields[1:] if not f.startswith("qid:")]
            columns += [int(c) for c, _ in pairs]
            values += [float(v) for _, v in pairs]
        except ValueError:
            raise FormatError(
                f"{os.fspath(path)!r}, line {number}: 'label index:value ...' is required, "
                f"but it begins with {' '.join(fields)[:40]!r}"
            ) from None
        if num_labels is not None and len(own) != num_labels:
            raise FormatError(
                f"{os.fspath(path)!r}, line {number}: {len(own)} labels, {num_labels} are required"
            )
        labels.append(own)
        bad = [c for c in columns[indptr[-1] :] if not 0 <= c < width]
        if bad:
            raise FormatError(
                f"{os.fspath(path)!r}, line {number}: index {bad[0]} is out of range for "
                f"{width} features counted from zero"
            )
        indptr.append(len(columns))
    data = np.array(values, "float32"), np.array(columns, "int64"), np.array(indptr, "int64")
    width_of_labels = 1 if num_labels is None else num_labels
    flat = [row[:width_of_labels] for row in labels]
    return array(np.array(flat, "float32")), csr_matrix(data, shape=(len(labels), width))


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """(number, fields) of the lines that hold something."""
    name = Path(path)
    try:
        with gzip.open(name, "rt") if name.suffix == ".gz" else name.open() as file:
            for number, line in enumerate(file, 1):
                fields = line.split("#", 1)[0].split()
                if fields:
                    yield number, fields
    except OSError as error:
        raise MXNetError(f"cannot read {os.fspath(path)!r}: {error}") from error
