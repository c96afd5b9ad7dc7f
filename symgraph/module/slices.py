"""Cutting batches for several devices, and joining what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from symgraph.errors import ShapeError
from symgraph.executor.executor import Executor
from symgraph.executor.layout import Layout
from symgraph.io.base import DataDesc
from symgraph.ndarray import NDArray, concatenate
from symgraph.ndarray.convert import share_memory
from symgraph.storage import Shape


@dataclass(frozen=True)
class Roles:
    """What the variables of a network are there for."""

    data: tuple[str, ...]
    labels: tuple[str, ...]
    states: tuple[str, ...]
    params: tuple[str, ...]
    aux: tuple[str, ...]


@dataclass(frozen=True)
class Shaped:
    """The executors for batches of one shape.

    Attributes
    ----------
    data, labels : tuple of DataDesc
        Of the whole batch.
    slices : tuple of slice
        Which rows each device gets.
    layouts, executors : tuple
        One for each device.
    feeds : tuple of tuple of NDArray
        For each device, the arrays into which data and labels go, in this order.
    """

    data: tuple[DataDesc, ...]
    labels: tuple[DataDesc, ...]
    slices: tuple[slice, ...]
    layouts: tuple[Layout, ...]
    executors: tuple[Executor, ...]
    feeds: tuple[tuple[NDArray, ...], ...]


def plan_slices(rows: int, shares: Sequence[float]) -> tuple[slice, ...]:
    """Cut ``rows`` in proportion to ``shares``; the last one takes what rounding leaves.

    Raises
    ------
    ValueError
        If a part would be empty.
    """
    sizes = [round(rows * share / sum(shares)) for share in shares[:-1]]
    sizes.append(rows - sum(sizes))
    if len(sizes) > 1 and min(sizes) < 1:
        raise ValueError(
            f"Too many slices. Some splits are empty: {rows} rows for {len(shares)} devices"
        )
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    return tuple(slice(a, b) for a, b in pairwise(ends))


def batch_axis(desc: DataDesc) -> int:
    """The axis of the samples, -1 if there is none."""
    return DataDesc.get_batch_axis(desc.layout) if desc.shape else -1


def rows_of(descs: Sequence[DataDesc]) -> int:
    """How many samples a batch has.

    Raises
    ------
    ShapeError
        If the inputs disagree.
    """
    sizes = {d.name: d.shape[axis] for d in descs if (axis := batch_axis(d)) >= 0}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {n}" for name, n in sizes.items())
        raise ShapeError(f"the inputs of a batch need one number of samples, but {listed}")
    return next(iter(sizes.values()), 0)


def sliced(desc: DataDesc, rows: int) -> Shape:
    """The shape of ``rows`` samples of an input."""
    axis = batch_axis(desc)
    if axis < 0:
        return desc.shape
    return (*desc.shape[:axis], rows, *desc.shape[axis + 1 :])


def cut(source: NDArray, axis: int, part: slice) -> NDArray:
    """The samples of one device; all of an array without samples. Shape: along ``axis``."""
    if axis < 0:
        return source
    if axis == 0:
        return source[part]
    return source[(*[slice(None)] * axis, part)]


def joined(parts: Sequence[NDArray], axis: int) -> NDArray:
    """The parts of all devices as one array, on the first device."""
    first = parts[0]
    if len(parts) == 1 or axis < 0:
        return first
    return concatenate([part.as_in_context(first.context) for part in parts], axis)


def feed(holder: NDArray, source: NDArray) -> None:
    """Put a batch's array into an executor's; a csr one is taken over, not copied."""
    takes_over = (
        holder.stype == source.stype == "csr"
        and holder.value.dtype == source.value.dtype
        and holder.shape == source.shape
        and share_memory(holder.context, source.context)
    )
    if takes_over:
        # The record of a sparse array is replaced when the array changes, never written into.
        holder.value = source.value
    else:
        source.copyto(holder)


def shapes_of(arrays: Sequence[Any]) -> tuple[Shape, ...]:
    """Shapes of arrays or descriptions."""
    return tuple(tuple(a.shape) for a in arrays)
