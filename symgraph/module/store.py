"""How gradients reach parameters: through a store, or through an optimizer on each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from symgraph.context import cpu
from symgraph.files import atomic_write, read_file
from symgraph.kvstore.base import create
from symgraph.kvstore.local import KVStore
from symgraph.kvstore.merge import merged
from symgraph.module.group import ExecutorGroup
from symgraph.ndarray import NDArray, array
from symgraph.ndarray.convert import share_memory
from symgraph.ndarray.ndarray import wrap
from symgraph.ndarray.sparse import zeros as sparse_zeros
from symgraph.optimizer import Optimizer, Updater, get_updater


class ParamSync:
    """Updates the parameters of a module.

    A parameter lives in the store, where the optimizer steps it, or on the devices, where each
    steps its own copy with the sum of all gradients. Where executors compute in the memory that
    the store keeps its values in, they work on the store's own arrays, and nothing is pulled.

    Parameters
    ----------
    group : ExecutorGroup
    names : list of str
        All parameters, in the order of the optimizer's numbers; those without a gradient rest.
    optimizer : Optimizer
    kvstore : KVStore or None
    in_store : set of str
        Which of ``names`` live in the store.
    compression : dict, optional
        How the store is to compress gradients.

    Attributes
    ----------
    rows_apart : list of str
        Parameters whose rows must be fetched from the store before they are read.
    """

    rows_apart: list[str]

    def __init__(
        self,
        group: ExecutorGroup,
        names: Sequence[str],
        optimizer: Optimizer,
        kvstore: Any,
        in_store: frozenset[str],
        compression: Mapping[str, Any] | None = None,
    ) -> None:
        self.kvstore: Any = kvstore
        self.updater: Any = None
        self._names = list(names)
        self._in_store = in_store
        self._lent: frozenset[str] = frozenset()
        self._exchange: Any = None
        self._compression = compression
        if kvstore is not None and compression:
            kvstore.set_gradient_compression(compression)
        self._attach(group)
        if self._stored:
            self.kvstore.set_optimizer(optimizer)
            self._store_params()
        if self._local:
            # One updater for both kinds, where there is one, makes one file of states.
            own = getattr(kvstore, "_updater", None) if self._stored else None
            self.updater = own if isinstance(own, Updater) else get_updater(optimizer)
            self._open_exchange()

    def _attach(self, group: ExecutorGroup) -> None:
        self._group = group
        trained = [(i, name) for i, name in enumerate(self._names) if name in group.grads]
        self._stored = [name for _, name in trained if name in self._in_store]
        self._local = [(i, name) for i, name in trained if name not in self._in_store]
        self._pushed = [group.grads[name] for name in self._stored]
        self._find_apart()

    def _find_apart(self) -> None:
        self._dense_apart = self._apart("default")
        self.rows_apart = self._apart("row_sparse")

    def of(self, group: ExecutorGroup) -> ParamSync:
        """The same for another group with the same parameters: one store, one optimizer."""
        other = copy(self)
        other._attach(group)
        return other

    @property
    def updates_in_store(self) -> bool:
        """Whether there are parameters that live in the store."""
        return bool(self._stored)

    # ---- the store -----------------------------------------------------------------------

    def _store_params(self) -> None:
        group = self._group
        self.kvstore.init(self._stored, [group.params[name][0] for name in self._stored])
        lend = getattr(self.kvstore, "_lend", None)
        if lend is None or len(group.homes) > 1:
            return
        own = group.contexts[group.homes[0]]
        places = [own, cpu()] if share_memory(own, cpu()) else [own]
        lent: dict[str, NDArray] = {}
        for name in self._stored:
            found = (lend(name, place) for place in places)
            holder = next((array for array in found if array is not None), None)
            if holder is not None:
                lent[name] = holder
        group.replace_params(lent)
        self._lent = frozenset(lent)
        self._find_apart()

    def _apart(self, stype: str) -> list[str]:
        """Parameters of a storage type that lie in the store and, as copies, on the devices."""
        params = self._group.params
        return [n for n in self._stored if n not in self._lent and params[n][0].stype == stype]

    def num_rows(self, name: str) -> int:
        """How many rows a parameter has."""
        return self._group.params[name][0].shape[0]

    def pull_rows(self, name: str, rows: np.ndarray | None) -> None:
        """Fetch rows of a parameter to all devices; all rows for None."""
        copies = self._group.params[name]
        wanted = np.arange(copies[0].shape[0]) if rows is None else rows
        ids = array(wanted, cpu(), dtype="int64")
        self.kvstore.row_sparse_pull(name, out=list(copies), row_ids=ids)

    def read(self, name: str) -> NDArray:
        """A copy of the present value of a parameter, in host memory."""
        if name in self._lent or name not in self._stored:
            return self._group.read(name)
        holder = self._group.params[name][0]
        if holder.stype != "row_sparse":
            out = holder.copyto(cpu())
            self.kvstore.pull(name, out=out)
            return out
        out = sparse_zeros("row_sparse", holder.shape, cpu(), holder.dtype)
        rows = array(np.arange(holder.shape[0]), cpu(), dtype="int64")
        self.kvstore.row_sparse_pull(name, out=out, row_ids=rows)
        return out

    def write(self, name: str, value: NDArray) -> None:
        """Give a parameter another value, wherever it lives.

        A store that keeps it apart forgets what its optimizer remembered of it.
        """
        self._group.write(name, value)
        if name in self._stored and name not in self._lent:
            self.kvstore.init(name, self._group.params[name][0])

    # ---- the update ----------------------------------------------------------------------

    def update(self) -> None:
        """Step all parameters with the gradients of the last backward pass."""
        if self._stored:
            self.kvstore.push(self._stored, self._pushed)
            if self._dense_apart:
                outs = [self._group.params[name] for name in self._dense_apart]
                self.kvstore.pull(self._dense_apart, out=outs)
        for number, name in self._local:
            self._step(number, name)

    def _step(self, number: int, name: str) -> None:
        group, copies = self._group, self._group.params[name]
        grads = self._summed(name, copies)
        for home, weight, grad in zip(group.homes, copies, grads, strict=True):
            self.updater(number * len(group.contexts) + home, grad, weight)

    def _summed(self, name: str, copies: Sequence[NDArray]) -> list[NDArray]:
        """The sum of all devices' gradients, for each copy of the parameter."""
        grads = self._group.grads[name]
        if self._exchange is not None:
            self._exchange.pushpull(name, grads, out=grads)
            return [grads[home] for home in self._group.homes]
        if len(grads) == 1:
            return grads
        total = wrap(merged(grads, copies[0]), copies[0].context)
        return [total.as_in_context(weight.context) for weight in copies]

    def _open_exchange(self) -> None:
        """Let gradients of parameters on the devices go through a store, where that matters.

        In one process, and uncompressed, the sum is taken right here.
        """
        store = self.kvstore
        if store is None or (isinstance(store, KVStore) and not self._compression):
            return
        if self._stored:
            # The store's own optimizer would step what is only to be summed.
            store = create(store.type)
            if self._compression:
                store.set_gradient_compression(self._compression)
        self._exchange = store
        for _, name in self._local:
            copies = self._group.params[name]
            store.broadcast(name, copies[0], out=list(copies))

    # ---- states of the optimizer ---------------------------------------------------------

    def save_states(self, fname: str) -> None:
        """Write what the optimizer remembers to a file.

        Raises
        ------
        MXNetError
            If it cannot be written; a former one stays as it was.
        """
        if self._stored:
            self.kvstore.save_optimizer_states(fname)
        if self._has_own_updater:
            with atomic_write(self._own_file(fname)) as file:
                file.write(self.updater.get_states())

    def load_states(self, fname: str) -> None:
        """Read what :meth:`save_states` wrote.

        Raises
        ------
        MXNetError
            If the file is missing, FormatError if it is something else.
        """
        if self._stored:
            self.kvstore.load_optimizer_states(fname)
        if self._has_own_updater:
            self.updater.set_states(read_file(self._own_file(fname)))

    @property
    def _has_own_updater(self) -> bool:
        return self.updater is not None and self.updater is not getattr(
            self.kvstore, "_updater", None
        )

    def _own_file(self, fname: str) -> str:
        """A store that is not ours writes its file alone; states of the devices go beside it."""
        return f"{fname}.local" if self._stored else fname
