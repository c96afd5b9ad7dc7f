"""Batches of arrays in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.io.base import DataBatch, DataDesc, DataIter, descriptions
from symgraph.io.rows import Named, check_same_rows, named_arrays, take_rows
from symgraph.ndarray import NDArray

HANDLES = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Iterates over dense and csr arrays; csr arrays stay csr.

    Parameters
    ----------
    data, label : array, list or dict of arrays
        NDArray, NumPy or scipy.sparse. A dict gives the names, in sorted order. The caller's
        dict and arrays are never changed.
    batch_size : int
    shuffle : bool
        Whether each epoch has another order, drawn from NumPy's global generator as in MXNet.
    last_batch_handle : {"pad", "discard", "roll_over"}
        What becomes of an incomplete last batch: it is filled up from the start of the epoch, or
        left out, or it comes first in the next epoch.
    data_name, label_name : str
        Names of arrays that come without.
    layout : str

    Shapes
    ------
    Every array (n, ...) with the same n; batches (batch_size, ...). Dense batches in order are
    views of the data.

    Raises
    ------
    ShapeError
        If the arrays differ in their number of rows.
    TypeError
        If something is no array.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(batch_size)
        if last_batch_handle not in HANDLES:
            raise ValueError(
                f"last_batch_handle is {last_batch_handle!r}, but one of {HANDLES} is required"
            )
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, but at least 1 is required")
        self.data: Named = named_arrays(data, data_name, required=True)
        self.label: Named = named_arrays(label, label_name, required=False)
        self.num_data = check_same_rows([self.data, self.label])
        self.num_source = len(self.data)
        self.idx = np.arange(self.num_data)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.provide_data: list[DataDesc] = descriptions(self.data, batch_size, layout)
        self.provide_label: list[DataDesc] = descriptions(self.label, batch_size, layout)
        self._rest = self.idx[:0]
        self._start_epoch()

    def _start_epoch(self) -> None:
        if self.shuffle:
            # NumPy's generator, as scripts seed that one to repeat a run.
            np.random.shuffle(self.idx)
        self._carried = len(self._rest)
        self._rows = np.concatenate([self._rest, self.idx]) if self._carried else self.idx.copy()
        self.cursor = -self.batch_size

    def reset(self) -> None:
        """Begin the next epoch; with "roll_over", rows left over by a whole one come first."""
        left = len(self._rows) - (self.cursor + self.batch_size)
        finished = self.cursor >= 0 and 0 < left < self.batch_size
        rolls = self.last_batch_handle == "roll_over" and finished
        self._rest = self._rows[-left:] if rolls else self._rows[:0]
        self._start_epoch()

    def hard_reset(self) -> None:
        """Begin anew, without rows left over."""
        self._rest = self._rows[:0]
        self._start_epoch()

    def iter_next(self) -> bool:
        """Move to the next batch; False at the end."""
        following = self.cursor + self.batch_size
        left = len(self._rows) - following
        if left <= 0 or (left < self.batch_size and self.last_batch_handle != "pad"):
            return False
        self.cursor = following
        return True

    def next(self) -> DataBatch:
        """The next batch; StopIteration at the end of the epoch."""
        if not self.iter_next():
            raise StopIteration
        rows = self._current()
        return DataBatch(
            [take_rows(a, rows) for _, a in self.data],
            [take_rows(a, rows) for _, a in self.label],
            self.getpad(),
            self.getindex(),
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def getdata(self) -> list[NDArray]:
        """Data of the current batch."""
        rows = self._current()
        return [take_rows(array, rows) for _, array in self.data]

    def getlabel(self) -> list[NDArray]:
        """Labels of the current batch."""
        rows = self._current()
        return [take_rows(array, rows) for _, array in self.label]

    def getpad(self) -> int:
        """Rows that fill up the last batch; with "roll_over", rows of the last epoch."""
        if self.last_batch_handle == "pad":
            return max(0, self.cursor + self.batch_size - len(self._rows))
        return self._carried if self.cursor == 0 else 0

    def _current(self) -> np.ndarray:
        """Row numbers of the current batch."""
        if self.cursor < 0:
            raise ValueError("there is no current batch: call iter_next() first")
        rows = self._rows[self.cursor : self.cursor + self.batch_size]
        missing = self.batch_size - len(rows)
        return np.concatenate([rows, np.resize(self._rows, missing)]) if missing else rows
