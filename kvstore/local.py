"""The stores within one process: ``local`` and ``device``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from threading import RLock
from typing import Any

from symgraph.context import Context, cpu
from symgraph.errors import KVStoreError
from symgraph.kvstore.arguments import (
    Group,
    Key,
    found,
    grouped,
    require_initial,
    require_one_kind,
    require_outs,
    require_values,
)
from symgraph.kvstore.base import KVStoreBase
from symgraph.kvstore.compression import Compression
from symgraph.kvstore.rows import give_rows, row_jobs
from symgraph.kvstore.stored import alike, give, snapshot
from symgraph.kvstore.updater import ASSIGN, Rule, UserUpdater, function_rule, optimizer_rule
from symgraph.ndarray.ndarray import NDArray
from symgraph.optimizer import Optimizer, Updater, get_updater

_ON_HOST = {
    "local": True,
    "local_update_cpu": True,
    "local_allreduce_cpu": True,
    "local_allreduce_device": False,
    "device": False,
    "nccl": False,
}
"""Type -> whether values are kept in host memory, or where the first one of a key came from."""


class KVStore(KVStoreBase):
    """Values under keys, in this process. Made by :func:`symgraph.kvstore.create`.

    Keys are all integers or all strings. Every method takes one key with its value, or lists of
    keys and values; where a value is asked for, a list of NDArrays (one per device) will do.
    Values that come in are copied, so later changes to them do not reach the store. A call that
    is refused changes nothing. Several threads may use one store.

    Parameters
    ----------
    name : str
        ``local`` keeps and sums values in host memory; ``device`` on the device that a key was
        initialised from.
    """

    def __init__(self, name: str = "local") -> None:
        self._type = name
        self._on_host = _ON_HOST[name]
        self._lock = RLock()
        self._values: dict[Key, NDArray] = {}
        self._rule: Rule = ASSIGN
        self._updater: Updater | UserUpdater | None = None
        self._compression: Compression | None = None

    def __repr__(self) -> str:
        return f"<KVStore {self._type} with {len(self._values)} keys>"

    # ---- facts ----------------------------------------------------------------------

    @property
    def type(self) -> str:
        """The name that the store was created by."""
        return self._type

    def get_type(self) -> str:
        """The same as :attr:`type`."""
        return self._type

    @property
    def rank(self) -> int:
        """0: there is one worker, this process."""
        return 0

    @property
    def num_workers(self) -> int:
        """1: there is one worker, this process."""
        return 1

    def is_capable(self, capability: str) -> bool:
        """Whether it has the capability: ``"optimizer"``, the only one, it has.

        Raises
        ------
        ValueError
            If the capability is unknown.
        """
        if capability.lower() != self.OPTIMIZER:
            raise ValueError(f"unknown capability {capability!r}; known is {self.OPTIMIZER!r}")
        return True

    def barrier(self) -> None:
        """Wait for the other workers, of which there are none."""

    # ---- values ---------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Store copies of values under keys.

        A key that exists gets the new value, and whatever an optimizer remembered of it is
        dropped. (MXNet refuses to initialise a key again.)

        Parameters
        ----------
        key : int, str, or list of them
        value : NDArray or list of NDArray
            One per key, ``default`` or ``row_sparse``.

        Raises
        ------
        KVStoreError
            If a key comes twice, more than one value comes for a key, or integer and string keys
            are mixed.
        StorageError
            If a value is csr.
        """
        groups = grouped("init", key, value)
        require_initial("init", groups)
        with self._lock:
            self._init(groups)

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Give values to the store: the sum of those for a key goes to the updater.

        Without an updater it replaces what is stored.

        Parameters
        ----------
        key : int, str, or list of them
            A key that comes twice gets the sum of both values.
        value : NDArray, list of NDArray, or for a list of keys a list of either
            ``default``, ``row_sparse`` or ``csr``, of the shape that was initialised.
        priority : int
            Taken for compatibility; calls are served in order.

        Raises
        ------
        KVStoreError
            If a key was never initialised.
        ShapeError, DTypeError
            If a value has another shape, or fractions would be lost.
        """
        with self._lock:
            self._push(grouped("push", key, value))

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copy stored values into arrays.

        Parameters
        ----------
        key : int, str, or list of them
        out : NDArray, list of NDArray, or for a list of keys a list of either
            ``default`` or ``row_sparse``; on any device, of any element type.
        priority : int
            Taken for compatibility.
        ignore_sparse : bool
            Taken for compatibility: row_sparse values are always pulled, whole. MXNet skips them
            silently where this is true.

        Raises
        ------
        KVStoreError
            If a key was never initialised.
        ShapeError
            If an array has another shape.
        """
        with self._lock:
            groups = self._outs("pull", key, out)
            for name, outs in groups:
                give(self._values[name], outs)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """:meth:`push`, then :meth:`pull`; into the values themselves where there is no ``out``.

        Raises
        ------
        KVStoreError, ShapeError, DTypeError
            As these two. Nothing was pushed then.
        """
        with self._lock:
            groups = self._outs("pushpull", key, value if out is None else out)
            self._push(grouped("pushpull", key, value))
            for name, outs in groups:
                give(self._values[name], outs)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """:meth:`init`, then :meth:`pull`.

        Raises
        ------
        KVStoreError, ShapeError, StorageError
            As these two. Nothing was initialised then.
        """
        values, outs = grouped("broadcast", key, value), grouped("broadcast", key, out)
        require_initial("broadcast", values)
        for (name, (first,)), (_, arrays) in zip(values, outs, strict=True):
            require_outs("broadcast", name, first, arrays)
        with self._lock:
            self._init(values)
            for name, arrays in outs:
                give(self._values[name], arrays)

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """Copy some rows of stored values into arrays.

        Parameters
        ----------
        key : int, str, or list of them
        out : NDArray, list of NDArray, or for a list of keys a list of either
            ``row_sparse`` ones then hold exactly the rows asked for, in ascending order; in
            ``default`` ones (which MXNet refuses) all others are zero.
        priority : int
            Taken for compatibility.
        row_ids : NDArray or list of NDArray, or for a list of keys a list of either
            Row numbers of any shape and order, repeated or not; one array for all of ``out``, or
            one for each.

        Raises
        ------
        KVStoreError
            If a key was never initialised, or a row number is out of range.
        DTypeError
            If row numbers are so large that their element type has rounded them.
        """
        with self._lock:
            for stored, target, rows in row_jobs(self._values, key, out, row_ids):
                give_rows(stored, target, rows)

    # ---- updates --------------------------------------------------------------------

    def set_updater(self, updater: UserUpdater | None) -> None:
        """Let ``updater(key, value, stored)`` decide what a push does; None goes back to replacing.

        ``key`` is what the user gave, ``value`` the sum of what was pushed, ``stored`` the
        array to change in place.

        Raises
        ------
        TypeError
            If it cannot be called.
        """
        if updater is not None and not callable(updater):
            raise TypeError(f"an updater is a function of three arguments, not {updater!r}")
        with self._lock:
            self._updater = updater
            if updater is None:
                self._rule = ASSIGN
            elif isinstance(updater, Updater):
                self._rule = optimizer_rule(updater)
            else:
                self._rule = function_rule(updater)

    _set_updater = set_updater

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Let an optimizer step the stored values with what is pushed, the gradients.

        It is used as it is: a new learning rate counts from the next push on.

        Raises
        ------
        TypeError
            If it is no optimizer.
        """
        self.set_updater(get_updater(optimizer))

    def save_optimizer_states(
        self, fname: str | os.PathLike[str], dump_optimizer: bool = False
    ) -> None:
        """Write the states of the optimizer to a file, its settings too with ``dump_optimizer``.

        Raises
        ------
        KVStoreError
            If no optimizer is set.
        MXNetError
            If the file cannot be written; a former one stays as it was.
        """
        with self._lock:
            self._optimizer_updater("save").save_states(fname, dump_optimizer)

    def load_optimizer_states(self, fname: str | os.PathLike[str]) -> None:
        """Read what :meth:`save_optimizer_states` wrote.

        Raises
        ------
        KVStoreError
            If no optimizer is set.
        MXNetError
            If the file cannot be read, FormatError if it is none of ours; nothing changes then.
        """
        with self._lock:
            self._optimizer_updater("load").load_states(fname)

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """Send few bits of each dense gradient, and keep the rest for the next push.

        Parameters
        ----------
        compression_params : dict
            ``type``: ``"2bit"`` sends -threshold, 0 or threshold; ``"1bit"`` sends 1 where the
            gradient is above the threshold, else -1. ``threshold``: 0.5 and 0 by default.

        Raises
        ------
        KVStoreError
            If the parameters are not legal, or values are kept in host memory (``local``).
        """
        if self._on_host:
            raise KVStoreError(
                f"a {self._type!r} store sums in host memory and sends no gradients, so there is "
                "nothing to compress; use 'device'"
            )
        with self._lock:
            self._compression = Compression(compression_params)

    # ---- inside ---------------------------------------------------------------------

    def _lend(self, key: Key, context: Context) -> NDArray | None:
        """The very array that the store holds, for one who computes on the same device.

        What is pushed shows in it at once, so pulling into it costs nothing. A row_sparse one
        that is full is a table that the optimizer writes into; a push without an updater gives
        it other rows in other memory. It is valid until the key is initialised with another
        shape, element type or storage type. None where the store keeps it on another device.
        """
        with self._lock:
            stored = found("pull", key, self._values)
            return stored if stored.context == context else None

    def _init(self, groups: list[Group]) -> None:
        require_one_kind("init", [name for name, _ in groups], self._values)
        fresh = {
            name: value.copyto(cpu() if self._on_host else value.context)
            for name, (value,) in groups
        }
        for name, value in fresh.items():
            self._forget(name)
            present = self._values.get(name)
            if present is not None and alike(present, value):
                present._set_value(value.value)
            else:
                self._values[name] = value

    def _forget(self, name: Key) -> None:
        if isinstance(self._updater, Updater):
            self._updater.forget([name])
        if self._compression is not None:
            self._compression.forget(name)

    def _push(self, groups: list[Group]) -> None:
        jobs = [(name, values, found("push", name, self._values)) for name, values in groups]
        for name, values, stored in jobs:
            require_values(name, stored, values)
        jobs = [job for job in jobs if job[1]]
        if self._compression is not None:
            jobs = [(n, self._compression.sent(n, values), stored) for n, values, stored in jobs]
        undo: list[tuple[NDArray, Any]] = []
        try:
            for name, values, stored in jobs:
                if self._rule.guarded:
                    undo.append((stored, snapshot(stored)))
                self._rule.apply(name, values, stored)
        except BaseException:
            for stored, before in undo:
                stored._set_value(before)
            raise

    def _outs(self, what: str, key: Any, out: Any) -> list[Group]:
        if out is None:
            raise KVStoreError(f"{what}: out is required for key {key!r}")
        groups = grouped(what, key, out)
        for name, outs in groups:
            require_outs(what, name, found(what, name, self._values), outs)
        return groups

    def _optimizer_updater(self, verb: str) -> Updater:
        if not isinstance(self._updater, Updater):
            raise KVStoreError(f"no optimizer states to {verb}: call set_optimizer before")
        return self._updater


for _name in _ON_HOST:
    KVStoreBase.kv_registry[_name] = partial(KVStore, _name)
