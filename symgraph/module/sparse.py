"""SparseModule: a module whose row_sparse parameters live in a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgraph.errors import close_names
from symgraph.module.module import Module


class SparseModule(Module):
    """A Module that wraps a network with sparse parameters.

    With ``update_on_kvstore=True`` full parameters are stored in the KVStore; a device fetches
    the rows that a batch needs. With ``False`` every device holds full parameters, gradients are
    summed over devices and machines (row_sparse ones as rows), and each applies the sum to its
    own copy.

    Which rows a batch needs is found from the network, or told by a function, see
    :meth:`prepare`. Whatever the user forgets, no stale row is read: what is not known to be
    spared is fetched.

    Parameters
    ----------
    *args, **kwargs
        As for :class:`Module`.
    update_on_kvstore : bool or dict of str to bool, optional
        Whether the parameters live in the store, or which ones; a parameter that the dict lacks
        does. By default they do if ``init_optimizer`` is given a store.

    Raises
    ------
    ValueError
        If the dict names what is no parameter.
    """

    def __init__(
        self,
        *args: Any,
        update_on_kvstore: bool | Mapping[str, bool] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._asked = update_on_kvstore
        if isinstance(update_on_kvstore, Mapping):
            for name in update_on_kvstore:
                if name not in self._param_names:
                    raise ValueError(
                        f"update_on_kvstore: {name!r} is no parameter"
                        f"{close_names(name, self._param_names)} "
                        f"(parameters: {', '.join(self._param_names)})"
                    )

    def prepare(
        self, data_batch: Any, sparse_row_id_fn: Any = None, row_id_generator: Any = None
    ) -> None:
        """Prepare the module for a batch: fetch the rows that it needs.

        Parameters
        ----------
        data_batch : DataBatch or None
        row_id_generator, sparse_row_id_fn : callable, optional
            ``data_batch -> {parameter name: row ids}``, under the proposal's name and under
            MXNet's; one of them.

        Raises
        ------
        MXNetError
            If the function returns something else, or rows that are not there.
        """
        super().prepare(data_batch, row_id_generator or sparse_row_id_fn)

    def _wants_store(self, kvstore: Any) -> bool | None:
        if isinstance(self._asked, Mapping):
            return any(self._asked.get(name, True) for name in self._param_names)
        return kvstore is not None if self._asked is None else bool(self._asked)

    def _in_store(self, store: Any) -> frozenset[str]:
        able = super()._in_store(store)
        if isinstance(self._asked, Mapping):
            return frozenset(name for name in able if self._asked.get(name, True))
        return frozenset() if self._asked is False else able
