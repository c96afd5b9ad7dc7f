"""Iterators over iterators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from symgraph.errors import ShapeError
from symgraph.io.base import DataBatch, DataDesc, DataIter, renamed


class ResizeIter(DataIter):
    """Makes epochs of ``size`` batches, starting ``data_iter`` again whenever it ends.

    Parameters
    ----------
    data_iter : DataIter
    size : int
    reset_internal : bool
        Whether ``reset`` starts ``data_iter`` again too.
    """

    def __init__(self, data_iter: DataIter, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.provide_data = data_iter.provide_data
        self.provide_label = data_iter.provide_label
        self.cur = 0
        self.current_batch: DataBatch | None = None

    def reset(self) -> None:
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self._batch

    @property
    def _batch(self) -> DataBatch:
        if self.current_batch is None:
            raise ValueError("there is no current batch: call iter_next() first")
        return self.current_batch

    def getdata(self) -> Any:
        return self._batch.data

    def getlabel(self) -> Any:
        return self._batch.label

    def getindex(self) -> Any:
        return self._batch.index

    def getpad(self) -> int | None:
        return self._batch.pad


class PrefetchingIter(DataIter):
    """Reads the next batch in a thread while the current one is used.

    Parameters
    ----------
    iters : DataIter or list of DataIter
        Several are joined: a batch has the data of all of them. They end together.
    rename_data, rename_label : list of dict, optional
        For each iterator, other names for its inputs.

    Raises
    ------
    ShapeError
        If the iterators' batches differ in size.
    """

    def __init__(
        self,
        iters: Any,
        rename_data: Sequence[Mapping[str, str]] | None = None,
        rename_label: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        self.iters: list[DataIter] = iters if isinstance(iters, list) else [iters]
        self.provide_data = _joined([i.provide_data for i in self.iters], rename_data)
        self.provide_label = _joined([i.provide_label for i in self.iters], rename_label)
        super().__init__(self.provide_data[0].shape[0])
        if any(d.shape[0] != self.batch_size for d in self.provide_data):
            raise ShapeError(f"the batches of {self.provide_data} differ in size")
        self.current_batch: DataBatch | None = None
        self._pool = ThreadPoolExecutor(1, "prefetch")
        self._coming: Future[DataBatch | None] = self._pool.submit(self._fetch)

    def _fetch(self) -> DataBatch | None:
        try:
            parts = [i.next() for i in self.iters]
        except StopIteration:
            return None
        return DataBatch(
            [array for part in parts for array in part.data],
            [array for part in parts for array in part.label or ()],
            parts[0].pad,
            parts[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def reset(self) -> None:
        self._coming.result()
        for iterator in self.iters:
            iterator.reset()
        self._coming = self._pool.submit(self._fetch)

    def iter_next(self) -> bool:
        batch = self._coming.result()
        if batch is None:
            return False
        self.current_batch = batch
        self._coming = self._pool.submit(self._fetch)
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self._batch

    @property
    def _batch(self) -> DataBatch:
        if self.current_batch is None:
            raise ValueError("there is no current batch: call iter_next() first")
        return self.current_batch

    def getdata(self) -> Any:
        return self._batch.data

    def getlabel(self) -> Any:
        return self._batch.label

    def getindex(self) -> Any:
        return self._batch.index

    def getpad(self) -> int | None:
        return self._batch.pad


def _joined(
    parts: Sequence[Sequence[Any]], names: Sequence[Mapping[str, str]] | None
) -> list[DataDesc]:
    each = names or [{}] * len(parts)
    return [d for part, own in zip(parts, each, strict=True) for d in renamed(part, own)]
