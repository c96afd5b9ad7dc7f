"""What a push does to the stored value: replace it, call a function, or run an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from symgraph.kernels import namespace_of
from symgraph.kvstore.arguments import Key
from symgraph.kvstore.merge import arrived, dense_sum, merged
from symgraph.ndarray import convert
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.optimizer import Updater
from symgraph.storage import RowSparse, Value

UserUpdater = Callable[[Any, NDArray, NDArray], None]


class Rule(NamedTuple):
    """How pushed values change what is stored.

    Attributes
    ----------
    apply : callable
        Called with a key, its values, which have been checked, and the array to change.
    guarded : bool
        Whether the store keeps a copy, to go back to if ``apply`` fails.
    """

    apply: Callable[[Key, Sequence[NDArray], NDArray], None]
    guarded: bool = False


def _assign(key: Key, values: Sequence[NDArray], stored: NDArray) -> None:
    """The sum of the values replaces what is stored."""
    if stored.stype == "row_sparse":
        _take_over_rows(merged(values, stored), stored, fresh=len(values) > 1)
        return
    came = [arrived(value.value, value.context, stored) for value in values]
    backend = convert.backend_of(stored.context)
    with backend.on_device(stored.context.device_id):
        if len(came) == 1:
            stored._set_value(came[0])
        elif not any(isinstance(value, RowSparse) for value in came):
            dense_sum(stored.value, came, backend.xp)
        else:
            stored._set_value(merged(values, stored))


def _take_over_rows(total: Value, stored: NDArray, *, fresh: bool) -> None:
    """Let ``stored`` hold a copy of ``total``; not of its indices, which never change."""
    present, sparse = stored.value, isinstance(total, RowSparse)
    data = total.data if sparse else total
    if data.shape == present.data.shape == stored.shape:
        present.data[...] = data
        return
    rows = total.indices if sparse else namespace_of(data).arange(data.shape[0], dtype="int64")
    stored._set_value(RowSparse(data if fresh else data.copy(), rows, stored.shape))


ASSIGN = Rule(_assign)
"""The default."""


def function_rule(update: UserUpdater) -> Rule:
    """Call a user's function with the key, the sum, and the store's array to change in place.

    The sum is its own to change.
    """

    def apply(key: Key, values: Sequence[NDArray], stored: NDArray) -> None:
        total = merged(values, stored)
        if len(values) == 1:
            total = convert.copy_to(total, stored.context, stored.context)
        update(key, wrap(total, stored.context), stored)

    return Rule(apply, guarded=True)


def optimizer_rule(updater: Updater) -> Rule:
    """Let an optimizer step the stored array in place; a single gradient is not copied."""

    def apply(key: Key, values: Sequence[NDArray], stored: NDArray) -> None:
        updater(key, wrap(merged(values, stored, raw=True), stored.context), stored)

    return Rule(apply)
