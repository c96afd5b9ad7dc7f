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
        width, num_labels = _length(data_shape), _length(label_shape)
        if str(label_libsvm) == "NULL":
            labels, data = _read(data_libsvm, width, num_labels)
        else:
            _, data = _read(data_libsvm, width, None)
            _, labels = _read(label_libsvm, num_labels, None)
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
    """(labels, rows) of a file; with None whatever stands for labels is left out."""
    labels: list[list[float]] = []
    columns: list[int] = []
    values: list[float] = []
    indptr = [0]
    for number, fields in _lines(path):
        try:
            own, pairs = _parsed(fields, width)
            if num_labels not in (None, len(own)):
                raise ValueError(f"{len(own)} labels came, {num_labels} are required")
        except ValueError as error:
            raise FormatError(f"{os.fspath(path)!r}, line {number}: {error}") from None
        labels.append(own if num_labels else [0.0])
        columns += [column for column, _ in pairs]
        values += [value for _, value in pairs]
        indptr.append(len(columns))
    data = np.array(values, "float32"), np.array(columns, "int64"), np.array(indptr, "int64")
    return array(np.array(labels, "float32")), csr_matrix(data, shape=(len(labels), width))


def _parsed(fields: Sequence[str], width: int) -> tuple[list[float], list[tuple[int, float]]]:
    """(labels, pairs of index and value) of a line.

    Raises
    ------
    ValueError
        Saying what is wrong with it.
    """
    try:
        labels = [float(x) for x in fields[0].split(",")]
        parts = [f.split(":") for f in fields[1:] if not f.startswith("qid:")]
        pairs = [(int(column), float(value)) for column, value in parts]
    except ValueError:
        begin = " ".join(fields)[:40]
        raise ValueError(
            f"'label index:value ...' is required, but it begins with {begin!r}"
        ) from None
    bad = [column for column, _ in pairs if not 0 <= column < width]
    if bad:
        raise ValueError(f"index {bad[0]} is out of range for {width} features counted from zero")
    return labels, pairs


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
