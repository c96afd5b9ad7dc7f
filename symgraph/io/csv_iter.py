"""Batches of comma-separated numbers."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgraph.dtypes import dtype_name
from symgraph.errors import FormatError, MXNetError
from symgraph.io.file_iter import FileIter
from symgraph.ndarray import NDArray, array


class CSVIter(FileIter):
    """Iterates over a file of numbers, one sample a line.

    Parameters
    ----------
    data_csv, label_csv : path
        Without labels they are zero.
    data_shape, label_shape : tuple of int
        Shape of one sample.
    batch_size : int
    round_batch : bool
        Whether an incomplete last batch takes its rows from the start of the file.
    dtype : str
    prefetch_buffer, ctx
        Taken for the sake of old scripts; nothing depends on them.

    Raises
    ------
    FormatError
        If a line does not hold ``data_shape`` numbers.
    """

    def __init__(
        self,
        data_csv: str | os.PathLike[str],
        data_shape: Sequence[int],
        batch_size: int,
        label_csv: str | os.PathLike[str] = "NULL",
        label_shape: Sequence[int] = (1,),
        round_batch: bool = True,
        dtype: Any = "float32",
        data_name: str = "data",
        label_name: str = "softmax_label",
        prefetch_buffer: int = 4,
        ctx: Any = None,
    ) -> None:
        name = dtype_name(dtype)
        data = _read(data_csv, tuple(data_shape), name)
        if str(label_csv) == "NULL":
            label = array(np.zeros((data.shape[0], *label_shape)), dtype=name)
        else:
            label = _read(label_csv, tuple(label_shape), name)
        super().__init__([(data_name, data)], [(label_name, label)], batch_size, round_batch)


def _read(path: str | os.PathLike[str], shape: tuple[int, ...], dtype: str) -> NDArray:
    try:
        found = np.loadtxt(path, delimiter=",", ndmin=2, dtype=dtype, comments=None)
    except OSError as error:
        raise MXNetError(f"cannot read {os.fspath(path)!r}: {error}") from error
    except ValueError as error:
        raise FormatError(f"{os.fspath(path)!r} is no file of numbers: {error}") from error
    if found.shape[1] != math.prod(shape):
        raise FormatError(
            f"{os.fspath(path)!r} has {found.shape[1]} numbers a line, but the shape of a sample "
            f"is {shape}"
        )
    return array(found.reshape(-1, *shape), dtype=dtype)
