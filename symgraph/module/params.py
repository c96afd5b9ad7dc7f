"""Filling the parameters of a module, from arrays or with an initializer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from symgraph.context import cpu
from symgraph.errors import MXNetError, ShapeError
from symgraph.initializer import InitDesc
from symgraph.module.group import ExecutorGroup
from symgraph.ndarray import NDArray, array, zeros

Given = Mapping[str, Any] | None


def fill_params(
    group: ExecutorGroup,
    write: Callable[[str, NDArray], None],
    attributes: Mapping[str, Mapping[str, str]],
    initializer: Any,
    given: tuple[Given, Given],
    *,
    allow_missing: bool,
    allow_extra: bool,
    initialized: bool,
) -> None:
    """Give every parameter and auxiliary state a value.

    Parameters
    ----------
    write : callable
        Name and value -> None; puts a value where the parameter lives.
    attributes : mapping
        Of the symbol's nodes, for initializers that variables carry.
    given : pair of dict or None
        Arrays for parameters and for auxiliary states.
    initialized : bool
        Whether they have values already, so that some may be left as they are.

    Raises
    ------
    MXNetError
        If one is missing.
    ShapeError
        If one has another shape; nothing is changed then.
    TypeError
        If there is neither initializer nor any array of its kind for one that has no value yet;
        beside arrays, with ``allow_missing``, it becomes zero. Or if the initializer is none.
    """
    if initializer is not None and not callable(initializer):
        raise TypeError(
            f"initializer is {initializer!r}, but an Initializer such as mx.init.Xavier() "
            "is required"
        )
    kinds = [(group.params, group.roles.params), (group.aux, group.roles.aux)]
    todo: list[tuple[str, NDArray, Any, bool]] = []
    missing: list[str] = []
    for (holders, names), arrays in zip(kinds, given, strict=True):
        holder_of = {name: holders[name][0] for name in names}
        if arrays is not None:
            check_params(arrays, {n: h.shape for n, h in holder_of.items()}, allow_extra)
            missing += [name for name in names if name not in arrays]
        todo += [(n, h, (arrays or {}).get(n), arrays is None) for n, h in holder_of.items()]
    if missing and not allow_missing:
        label = ", and labels in label_names" if any(n.endswith("label") for n in missing) else ""
        raise MXNetError(
            f"{', '.join(missing)} is not presented: give all parameters{label}, "
            "or allow_missing=True"
        )
    for name, holder, value, needed in todo:
        if value is not None:
            write(name, value if isinstance(value, NDArray) else array(value))
        elif initializer is not None:
            fresh = zeros(holder.shape, cpu(), holder.dtype)
            initializer(InitDesc(name, attributes.get(name)), fresh)
            write(name, fresh)
        elif not initialized and needed:
            raise TypeError(f"there is no initializer and no array for {name}")
        elif not initialized:
            # As in MXNet: a label that a module for prediction was not told of, mostly.
            write(name, zeros(holder.shape, cpu(), holder.dtype))


def check_params(
    given: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]], allow_extra: bool
) -> None:
    """Refuse arrays of other shapes, all of them named; warn of arrays for nothing.

    Raises
    ------
    ShapeError
    """
    wrong = [
        f"{name} has shape {shape}, but {tuple(given[name].shape)} came"
        for name, shape in shapes.items()
        if name in given and tuple(given[name].shape) != shape
    ]
    if wrong:
        raise ShapeError(f"parameters of another network: {'; '.join(wrong)}")
    extra = [name for name in given if name not in shapes]
    if extra and not allow_extra:
        warnings.warn(
            f"no parameters of this network, so not used: {', '.join(extra)} "
            "(allow_extra=True goes without this warning)",
            stacklevel=4,
        )
