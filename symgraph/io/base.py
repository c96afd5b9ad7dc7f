"""What an iterator hands out, and the base of all iterators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class _Pair(NamedTuple):
    name: str
    shape: tuple[int, ...]


class DataDesc(_Pair):
    """Name and shape of one input, a pair, with its element type and layout beside.

    Parameters
    ----------
    name : str
    shape : tuple of int
    dtype : type or str
    layout : str
        Where the ``N`` stands is the axis of the batch.
    """

    dtype: Any
    layout: str

    def __new__(
        cls, name: str, shape: Sequence[int], dtype: Any = np.float32, layout: str = "NCHW"
    ) -> DataDesc:
        made = super().__new__(cls, name, tuple(shape))
        made.dtype = dtype
        made.layout = layout
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.shape, self.dtype, self.layout

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """The axis of the batch: 0 without a layout, -1 if the layout has no ``N``."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(
        shapes: Sequence[tuple[str, Sequence[int]]],
        types: Sequence[tuple[str, Any]] | None,
    ) -> list[DataDesc]:
        """Descriptions from pairs (name, shape) and pairs (name, type)."""
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        by_name = dict(types)
        return [DataDesc(name, shape, by_name[name]) for name, shape in shapes]


class DataBatch:
    """One batch.

    Parameters
    ----------
    data : list of NDArray
    label : list of NDArray, optional
    pad : int, optional
        How many rows at the end only fill the batch up; None counts as 0.
    index : array of int, optional
        Which samples these are.
    bucket_key : optional
        For networks that depend on the batch.
    provide_data, provide_label : list of DataDesc, optional
        What the arrays are called; with names, a module finds them whatever their order.
    """

    def __init__(
        self,
        data: Sequence[Any],
        label: Sequence[Any] | None = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Sequence[Any] | None = None,
        provide_label: Sequence[Any] | None = None,
    ) -> None:
        if not isinstance(data, list | tuple):
            raise AssertionError(f"Data must be list of NDArrays, {type(data).__name__} came")
        if label is not None and not isinstance(label, list | tuple):
            raise AssertionError(f"Label must be list of NDArrays, {type(label).__name__} came")
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        labels = None if not self.label else [a.shape for a in self.label]
        return (
            f"{type(self).__name__}: data shapes: {[a.shape for a in self.data]} "
            f"label shapes: {labels}"
        )


class DataIter:
    """Base of the iterators: a child overrides ``next``, or ``iter_next`` and the getters.

    Attributes
    ----------
    batch_size : int
    provide_data, provide_label : list of DataDesc
        What the batches hold; a child sets them or has properties of these names.
    """

    provide_data: Any
    provide_label: Any

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> DataIter:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def reset(self) -> None:
        """Begin the next epoch."""

    def next(self) -> DataBatch:
        """The next batch.

        Raises
        ------
        StopIteration
            At the end of the epoch.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch(
            data=self.getdata(), label=self.getlabel(), pad=self.getpad(), index=self.getindex()
        )

    def iter_next(self) -> bool:
        """Move to the next batch; False at the end."""
        raise NotImplementedError(f"{type(self).__name__} has neither next() nor iter_next()")

    def getdata(self) -> Any:
        """Data of the current batch."""
        raise NotImplementedError(f"{type(self).__name__} has neither next() nor getdata()")

    def getlabel(self) -> Any:
        """Labels of the current batch."""
        raise NotImplementedError(f"{type(self).__name__} has neither next() nor getlabel()")

    def getindex(self) -> Any:
        """Sample numbers of the current batch, None if unknown."""
        return None

    def getpad(self) -> int | None:
        """How many rows of the current batch only fill it up."""
        return None


def descriptions(
    arrays: Sequence[tuple[str, Any]], batch_size: int, layout: str = "NCHW"
) -> list[DataDesc]:
    """What batches of ``batch_size`` rows of these arrays look like."""
    return [
        DataDesc(name, (batch_size, *array.shape[1:]), array.dtype, layout)
        for name, array in arrays
    ]


def renamed(descs: Sequence[Any], names: Mapping[str, str] | None) -> list[DataDesc]:
    """The same descriptions under other names."""
    found = [d if isinstance(d, DataDesc) else DataDesc(*d) for d in descs]
    names = names or {}
    return [DataDesc(names.get(d.name, d.name), d.shape, d.dtype, d.layout) for d in found]
