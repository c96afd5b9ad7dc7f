"""Module: a network, trained on one or several devices."""

from __future__ import annotations

import warnings
from typing import Any, Self

from symgraph.model import load_checkpoint, params_file
from symgraph.module.base import LearningRate, ModuleStateError
from symgraph.module.bound import BoundModule
from symgraph.module.inputs import completed, label_names_of, picked
from symgraph.module.optimizing import (
    Settings,
    choose_store,
    make_optimizer,
    numbers_of,
    workers_of,
)
from symgraph.module.slices import rows_of
from symgraph.module.store import ParamSync
from symgraph.ndarray import NDArray


class Module(BoundModule):
    """A network on one or several devices, each with a slice of every batch.

    Parameters
    ----------
    symbol : Symbol
    data_names, label_names : list of str
        The inputs. All other arguments are parameters.
    logger : logging.Logger
    context : Context or list of Context
    work_load_list : list of float, optional
        Shares of a batch for the devices.
    fixed_param_names : list of str, optional
        Parameters that are not trained.
    state_names : list of str, optional
        Arguments that are set by :meth:`set_states` and not trained.
    group2ctxs : None
        Placing parts of a network on different devices is not supported yet.
    compression_params : dict, optional
        How a store is to compress gradients.

    Raises
    ------
    ValueError
        If an input, state or fixed parameter is no argument of the network.
    """

    @property
    def _kvstore(self) -> Any:
        return None if self._sync is None else self._sync.kvstore

    @property
    def _updater(self) -> Any:
        return None if self._sync is None else self._sync.updater

    @property
    def _update_on_kvstore(self) -> bool:
        return self._sync is not None and self._sync.updates_in_store

    # ---- the optimizer -------------------------------------------------------------------

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = LearningRate,
        force_init: bool = False,
    ) -> None:
        """Make the optimizer, and the store through which it works.

        Parameters
        ----------
        kvstore : str, KVStore or None
            With a store the optimizer runs there. One device needs none that is only named, and
            several devices without one sum their gradients themselves.
        optimizer : str or Optimizer
            By name, it gets ``rescale_grad`` of one over the batch size unless told.
        optimizer_params : dict or pairs
        force_init : bool
            Whether to do so again if it was done before; a second call without it is ignored,
            with a warning if it asks for something else.

        Raises
        ------
        KVStoreError, UnknownOptimizerError, TypeError
            If there is no such store, optimizer or parameter.
        """
        self._require_ready("init_optimizer")
        asked = Settings(kvstore, optimizer, dict(optimizer_params))
        if self.optimizer_initialized and not force_init:
            if asked != self._settings:
                warnings.warn(
                    "optimizer already initialized, so these settings are ignored: "
                    f"{asked}; init_optimizer(..., force_init=True) takes them",
                    stacklevel=3,
                )
            return
        if not self.for_training:
            raise ModuleStateError("init_optimizer: the module is bound with for_training=False")
        devices = len(self._context)
        store = choose_store(kvstore, self._context, self._wants_store(kvstore))
        in_store = self._in_store(store)
        rows = rows_of(self._exec_group.current.data) * workers_of(store)
        names = numbers_of(self._param_names, devices, len(in_store) > 0)
        self._optimizer = make_optimizer(
            optimizer, asked.params, self._symbol, 1.0 / max(rows, 1), names
        )
        self._sync = ParamSync(
            self._exec_group,
            self._param_names,
            self._optimizer,
            store,
            in_store,
            self._compression_params,
        )
        self._settings = asked
        self.optimizer_initialized = True
        if self._preload_states is not None:
            self.load_optimizer_states(self._preload_states)
            self._preload_states = None

    def _wants_store(self, kvstore: Any) -> bool | None:
        """Whether parameters are to live in a store; None if nobody said."""
        return None

    def _in_store(self, store: Any) -> frozenset[str]:
        """The parameters that live in the store."""
        if store is None or not store.is_capable("optimizer"):
            return frozenset()
        return frozenset(self._param_names)

    def borrow_optimizer(self, shared_module: Module) -> None:
        """Use the optimizer, the store and the states of another module, for shared parameters."""
        if not shared_module.optimizer_initialized or shared_module._sync is None:
            raise ModuleStateError(
                "borrow_optimizer: the other module needs init_optimizer() first"
            )
        self._optimizer = shared_module._optimizer
        self._settings = shared_module._settings
        self._sync = shared_module._sync.of(self._exec_group)
        self.optimizer_initialized = True

    def save_optimizer_states(self, fname: str) -> None:
        """Write what the optimizer remembers of the parameters to a file."""
        self._synchronized("save_optimizer_states").save_states(fname)

    def load_optimizer_states(self, fname: str) -> None:
        """Read what :meth:`save_optimizer_states` wrote."""
        self._synchronized("load_optimizer_states").load_states(fname)

    def _synchronized(self, what: str) -> ParamSync:
        if self._sync is None:
            raise ModuleStateError(f"{what}: call init_optimizer() first")
        return self._sync

    # ---- one step ------------------------------------------------------------------------

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Fetch the rows of row_sparse parameters that a batch needs.

        ``forward`` does so by itself wherever the network tells which rows these are (csr inputs
        of ``dot``, index inputs of ``Embedding`` and ``take``), and fetches all rows where it
        does not; a function spares that.

        Parameters
        ----------
        data_batch : DataBatch or None
        sparse_row_id_fn : callable, optional
            ``data_batch -> {parameter name: row ids}``; NDArrays, NumPy arrays or lists.

        Raises
        ------
        MXNetError
            If the function returns something else, or rows that are not there.
        """
        self._require("prepare", binded="call bind()")
        if sparse_row_id_fn is not None:
            self._rows.take(self._exec_group, self._sync, data_batch, sparse_row_id_fn(data_batch))

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch.

        Parameters
        ----------
        data_batch : DataBatch, or any object with ``data``
            Its arrays are told apart by its own names if it has any, else by position. It may
            have another size than was bound, and lack labels when it is not for training.
        is_train : bool, optional
            Training mode; by default if bound for training.
        """
        self._require_ready("forward")
        group = self._exec_group
        names = group.data_order
        batch = completed(data_batch)
        data = picked(batch.data, batch.provide_data, names, "data")
        labels: list[NDArray] = []
        if batch.label and self._roles.labels:
            labels = picked(batch.label, batch.provide_label, group.label_order, "label")
        self._batch_labels = label_names_of(batch, group.label_order or self._label_names)
        if self._sync is not None and self._sync.rows_apart:
            self._rows.fetch(self._sync, data_batch, dict(zip(names, data, strict=True)))
        group.forward(data, labels, self.for_training if is_train is None else is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, after a forward in training mode.

        Parameters
        ----------
        out_grads : NDArray or list of NDArray, optional
            Gradients of the outputs; networks that end in a loss need none.
        """
        self._require_ready("backward")
        if not self.for_training:
            raise ModuleStateError("backward: the module is bound with for_training=False")
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        self._exec_group.backward(out_grads)

    def update(self) -> None:
        """Step the parameters with the gradients of the last backward, wherever they live."""
        self._require_ready("update")
        self._synchronized("update").update()
        self._rows.forget()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Outputs of the last forward; the next one overwrites them.

        With ``merge_multi_context=False`` lists of the devices' parts.
        """
        self._require_ready("get_outputs")
        group = self._exec_group
        return group.merged_outputs() if merge_multi_context else group.outputs()

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the data inputs; needs ``bind(inputs_need_grad=True)``."""
        self._require_ready("get_input_grads")
        if not self.inputs_need_grad:
            raise ModuleStateError("get_input_grads: call bind(inputs_need_grad=True) first")
        group = self._exec_group
        return group.merged_input_grads() if merge_multi_context else group.input_grads()

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Count the outputs of the last forward in a metric.

        Several devices count as one: the metric sees the whole batch. ``pre_sliced`` labels are a
        list for each device, which is counted by itself.
        """
        names, group = self._batch_labels, self._exec_group
        if pre_sliced:
            for own, outputs in zip(labels, zip(*group.outputs(), strict=True), strict=True):
                found = dict(zip(names, own, strict=False))
                eval_metric.update_dict(found, dict(zip(self._output_names, outputs, strict=True)))
            return
        found = dict(zip(names, labels or (), strict=False))
        outputs = group.merged_outputs()
        eval_metric.update_dict(found, dict(zip(self._output_names, outputs, strict=True)))

    def install_monitor(self, mon: Any) -> None:
        """Let a Monitor watch all that is computed."""
        self._require("install_monitor", binded="call bind()")
        self._exec_group.install_monitor(mon)

    def _end_epoch(self) -> None:
        self._exec_group.average_aux()

    # ---- checkpoints ---------------------------------------------------------------------

    def save_checkpoint(
        self,
        prefix: str,
        epoch: int,
        save_optimizer_states: bool = False,
        remove_amp_cast: bool = True,
    ) -> None:
        """Write ``prefix-symbol.json``, ``prefix-0001.params`` and, if asked, ``...states``.

        Raises
        ------
        MXNetError
            If a file cannot be written; a former one stays as it was.
        """
        self._symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
        name = params_file(prefix, epoch)
        self.save_params(name)
        self.logger.info('Saved checkpoint to "%s"', name)
        if save_optimizer_states:
            name = f"{prefix}-{epoch:04d}.states"
            self.save_optimizer_states(name)
            self.logger.info('Saved optimizer state to "%s"', name)

    @classmethod
    def load(
        cls, prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any
    ) -> Self:
        """A module from the files that :meth:`save_checkpoint` wrote; bind it next.

        Parameters
        ----------
        load_optimizer_states : bool
            Whether ``init_optimizer`` is to read the states too.
        **kwargs
            Arguments of the class.
        """
        symbol, args, aux = load_checkpoint(prefix, epoch)
        module = cls(symbol, **kwargs)
        module._preloaded = (args, aux)
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_states = f"{prefix}-{epoch:04d}.states"
        return module
