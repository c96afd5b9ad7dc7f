"""Epochs as the iterators over text files make them."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.io.base import DataBatch, DataIter, descriptions
from symgraph.io.rows import Named, check_same_rows, take_rows
from symgraph.ndarray import NDArray


class FileIter(DataIter):
    """Rows in the order of the file.

    With ``round_batch``, an incomplete last batch is filled up from the start of the file, and
    the next epoch begins behind those rows. Without, it keeps the rows of the batch before.
    """

    def __init__(self, data: Named, label: Named, batch_size: int, round_batch: bool) -> None:
        super().__init__(batch_size)
        self._data, self._label = data, label
        self._count = check_same_rows([data, label])
        self._round = round_batch
        self._rows = np.arange(0)
        self._next = 0
        self._pad = 0
        self.provide_data = descriptions(data, batch_size)
        self.provide_label = [
            d if len(d.shape) != 2 or d.shape[1] != 1 else type(d)(d.name, d.shape[:1], d.dtype)
            for d in descriptions(label, batch_size)
        ]

    def reset(self) -> None:
        self._next = self._pad if self._round else 0
        self._pad = 0

    def iter_next(self) -> bool:
        if self._next >= self._count:
            return False
        rows = np.arange(self._next, min(self._next + self.batch_size, self._count))
        self._next += self.batch_size
        self._pad = self.batch_size - len(rows)
        if self._pad:
            kept = self._rows[len(rows) :] if not self._round and self._rows.size else rows[:0]
            filling = kept if kept.size else np.resize(np.arange(self._count), self._pad)
            rows = np.concatenate([rows, filling])
        self._rows = rows
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return DataBatch(
            self.getdata(),
            self.getlabel(),
            self._pad,
            self._rows,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def getdata(self) -> list[NDArray]:
        return [take_rows(array, self._rows) for _, array in self._data]

    def getlabel(self) -> list[NDArray]:
        shapes = [d.shape for d in self.provide_label]
        found = [take_rows(array, self._rows) for _, array in self._label]
        return [
            a.reshape(s) if a.stype == "default" else a for a, s in zip(found, shapes, strict=True)
        ]

    def getindex(self) -> Any:
        return self._rows

    def getpad(self) -> int:
        return self._pad
