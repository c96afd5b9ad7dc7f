"""The function that a store calls on a push: it keeps the state of each weight."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from symgraph.context import Context
from symgraph.files import atomic_write, read_file
from symgraph.ndarray.ndarray import NDArray
from symgraph.optimizer.base import Index, Optimizer
from symgraph.optimizer.states import dump_states, parse_states


class Updater:
    """Apply an optimizer to weights told apart by index; makes their states at first sight.

    Parameters
    ----------
    optimizer : Optimizer
        Used as it is, not copied: a new learning rate counts from the next call on.

    Attributes
    ----------
    states : dict
        Index to what :meth:`Optimizer.create_state` made.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Index, Any] = {}
        self.states_synced: dict[Index, bool] = {}

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Step one weight, or several where all arguments are lists. In place."""
        if not isinstance(index, list | tuple):
            self._update(index, grad, weight)
            return
        for one in zip(index, grad, weight, strict=True):
            self._update(*one)

    def _update(self, index: Index, grad: NDArray, weight: NDArray) -> None:
        if index not in self.states:
            state = self.optimizer.create_state_multi_precision(index, weight)
            self.states[index], self.states_synced[index] = state, True
        elif not self.states_synced[index]:
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
            self.states_synced[index] = True
        self.optimizer.update_multi_precision(index, weight, grad, self.states[index])

    def forget(self, indices: Iterable[Index]) -> None:
        """Drop the states of some weights, which start anew."""
        for index in indices:
            self.states.pop(index, None)
            self.states_synced.pop(index, None)
            self.optimizer._index_update_count.pop(index, None)

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """``state`` with all its arrays on ``context``."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, tuple | list):
            return type(state)(self.sync_state_context(part, context) for part in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """All states and the counts of updates, for a file.

        Parameters
        ----------
        dump_optimizer : bool
            Whether the optimizer's settings go along, so that :meth:`set_states` restores them.
        """
        return dump_states(self.states, self.optimizer, settings=dump_optimizer)

    def set_states(self, states: bytes) -> None:
        """Take over what :meth:`get_states` wrote; nothing changes if it is not readable.

        Raises
        ------
        FormatError
            If it is anything else, such as the pickles that MXNet writes.
        """
        found = parse_states(states)
        self.optimizer = found.restored(self.optimizer)
        self.states = found.states
        self.states_synced = dict.fromkeys(found.states, False)

    def save_states(self, fname: str | os.PathLike[str], dump_optimizer: bool = False) -> None:
        """Write :meth:`get_states` to a file.

        Raises
        ------
        MXNetError
            If it cannot be written; a former file stays as it was.
        """
        content = self.get_states(dump_optimizer)
        with atomic_write(fname) as file:
            file.write(content)

    def load_states(self, fname: str | os.PathLike[str]) -> None:
        """Read what :meth:`save_states` wrote.

        Raises
        ------
        MXNetError
            If the file cannot be read, FormatError if it is none of ours; nothing changes then.
        """
        self.set_states(read_file(fname))


def get_updater(optimizer: Optimizer) -> Updater:
    """An :class:`Updater` of ``optimizer``.

    Raises
    ------
    TypeError
        If it is no optimizer, such as a name.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"an Optimizer is required, but {optimizer!r} came; make one by name with "
            "mx.optimizer.create"
        )
    return Updater(optimizer)
