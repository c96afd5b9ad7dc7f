"""Names: of the variables a module is told about, and of the arrays in a batch."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from symgraph.errors import MXNetError, close_names
from symgraph.io.base import DataBatch, DataDesc
from symgraph.module.slices import Shaped
from symgraph.ndarray import NDArray, array

PARAM_SUFFIXES = ("_weight", "_bias", "_gamma", "_beta")


def check_names(
    arguments: Sequence[str], names: Sequence[str], kind: str, *, required: bool
) -> None:
    """Refuse, or warn of, names that are no arguments of the network.

    Raises
    ------
    ValueError
        If ``required``; the message lists the arguments that may have been meant.
    """
    inputs = [name for name in arguments if not name.endswith(PARAM_SUFFIXES)]
    for name in names:
        if name in arguments:
            continue
        text = (
            f"You created Module with Module(..., {kind}={list(names)}) but input with name "
            f"{name!r} is not found in symbol.list_arguments(){close_names(name, arguments)} "
            f"(inputs: {', '.join(inputs)})"
        )
        if required:
            raise ValueError(text)
        warnings.warn(text, stacklevel=4)


def described(shapes: Sequence[Any] | None) -> list[DataDesc]:
    """DataDescs of what ``bind`` takes: DataDescs, or tuples (name, shape, ...).

    Raises
    ------
    TypeError
        If it is one tuple, say, and no list of them.
    """
    if any(isinstance(d, str) or not isinstance(d, Sequence) for d in shapes or ()):
        raise TypeError(f"a list of (name, shape) is required, but {shapes!r} came")
    return [d if isinstance(d, DataDesc) else DataDesc(*d) for d in shapes or ()]


def data_descs(shapes: Sequence[Any], names: Sequence[str]) -> tuple[DataDesc, ...]:
    """Descriptions of the data inputs, in the order given.

    Raises
    ------
    ValueError
        If the names are not those that the module was told.
    """
    found = described(shapes)
    came = [d.name for d in found]
    if sorted(came) != sorted(names):
        raise ValueError(
            f"Data provided by data_shapes don't match names specified by data_names: "
            f"{came} came, {list(names)} are required"
        )
    return tuple(found)


def label_descs(shapes: Sequence[Any] | None, names: Sequence[str]) -> tuple[DataDesc, ...]:
    """Descriptions of the labels that the network has, in the order given.

    Raises
    ------
    ValueError
        If labels came, but not all that are needed.
    """
    found = described(shapes)
    came = [d.name for d in found]
    missing = [name for name in names if name not in came]
    if came and missing:
        raise ValueError(
            f"Data provided by label_shapes don't match names specified by label_names: "
            f"{came} came, {list(names)} are required"
        )
    return tuple(d for d in found if d.name in names)


def completed(batch: Any) -> DataBatch:
    """A batch with all parts; those of prediction scripts are named tuples of ``data`` alone."""
    if isinstance(batch, DataBatch):
        return batch
    parts = ("label", "pad", "index", "bucket_key", "provide_data", "provide_label")
    return DataBatch(batch.data, **{part: getattr(batch, part, None) for part in parts})


def picked(
    arrays: Sequence[Any] | None, given: Sequence[Any] | None, names: Sequence[str], what: str
) -> list[NDArray]:
    """The arrays of a batch in the order of ``names``.

    By the batch's own names where it has them, else by position.

    Parameters
    ----------
    given : list of DataDesc or None
        What the batch calls its arrays.

    Raises
    ------
    MXNetError
        If there are too few, or more than one can tell apart.
    """
    arrays = list(arrays or ())
    own = [d[0] for d in given] if given and len(given) == len(arrays) else []
    if own != names and set(names) <= set(own):
        by_name = dict(zip(own, arrays, strict=True))
        arrays = [by_name[name] for name in names]
    elif len(arrays) != len(names):
        raise MXNetError(
            f"the batch has {len(arrays)} {what} arrays{f' ({own})' if own else ''}, "
            f"but {len(names)} are required ({', '.join(names)})"
        )
    return [a if isinstance(a, NDArray) else array(a) for a in arrays]


def label_names_of(batch: Any, names: list[str]) -> list[str]:
    """What the labels of a batch are called, in its own order."""
    own = [d[0] for d in batch.provide_label or ()]
    if own == names:
        return names
    fits = len(own) == len(batch.label or ()) and set(names) <= set(own)
    return own if fits else names


def grad_reqs_of(names: Sequence[str], given: Any, wanted: Collection[str]) -> dict[str, str]:
    """``grad_req`` of each of ``wanted``, from one word, a list for all names, or a dict."""
    if isinstance(given, str):
        given = dict.fromkeys(names, given)
    elif not isinstance(given, Mapping):
        given = dict(zip(names, given, strict=True))
    return {name: req for name, req in given.items() if name in wanted}


def is_bound(now: Shaped, data: Sequence[Any], labels: Sequence[Any] | None) -> bool:
    """Whether executors are made for these shapes."""
    have = {(d.name, d.shape) for d in (*now.data, *now.labels)}
    return all((d.name, d.shape) in have for d in described([*data, *(labels or ())]))
