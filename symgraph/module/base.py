"""What all modules share: evaluation, prediction, and the surface that ``fit`` drives."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from symgraph import metric as metrics
from symgraph.errors import MXNetError
from symgraph.initializer import Uniform
from symgraph.io.base import DataBatch
from symgraph.model import BatchEndParam, named_params, split_params
from symgraph.module.training import call_all, train
from symgraph.ndarray import NDArray, array, concatenate, load, save

Params = Mapping[str, NDArray]
LearningRate = (("learning_rate", 0.01),)


class ModuleStateError(MXNetError, AssertionError):
    """A method was called before its time. MXNet raises AssertionError here."""


class BaseModule:
    """A network with its parameters, its inputs and the way it is trained.

    Life of a module: ``bind`` (memory), ``init_params``, ``init_optimizer``, then ``forward``,
    ``backward``, ``update``; ``fit`` does it all.

    Attributes
    ----------
    binded, params_initialized, optimizer_initialized : bool
        Which of these was done.
    for_training, inputs_need_grad : bool
        How it is bound.
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Any = None

    def _require(self, what: str, **conditions: str) -> None:
        """Refuse a call while one of the named attributes is false; the values say what to do."""
        for attribute, remedy in conditions.items():
            if not getattr(self, attribute):
                raise ModuleStateError(f"{what}: {remedy} first")

    def _require_ready(self, what: str) -> None:
        if not (self.binded and self.params_initialized):
            self._require(what, binded="call bind()", params_initialized="call init_params()")

    # ---- one step ------------------------------------------------------------------------

    def forward_backward(self, data_batch: Any) -> None:
        """Forward in training mode, then backward."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; training mode if bound for training, unless said."""
        raise NotImplementedError

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, after a forward in training mode."""
        raise NotImplementedError

    def update(self) -> None:
        """Let the optimizer step the parameters with the gradients of the last backward."""
        raise NotImplementedError

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Make the parameters ready for a batch; a module with sparse ones fetches their rows."""

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Outputs of the last forward; the next one overwrites them."""
        raise NotImplementedError

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Gradients of the inputs, if bound with ``inputs_need_grad``."""
        raise NotImplementedError

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Count the outputs of the last forward in a metric."""
        raise NotImplementedError

    # ---- evaluation ----------------------------------------------------------------------

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, float]]:
        """Measure the predictions for ``eval_data``.

        Parameters
        ----------
        eval_data : DataIter
        eval_metric : str, EvalMetric, function or list of these
        num_batch : int, optional
            Stop after so many batches.
        reset : bool
            Whether to start the iterator again first.
        batch_end_callback, score_end_callback : callable or list of them
            Called with a BatchEndParam.

        Returns
        -------
        list of (name, value)
        """
        self._require_ready("score")
        given = dict(locals())
        if reset:
            _require_iterator("score", "eval_data", eval_data, "reset")
            eval_data.reset()
        eval_metric = metrics.create(eval_metric)
        eval_metric.reset()
        count = 0
        for nbatch, eval_batch in enumerate(_first(eval_data, num_batch)):
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            self.update_metric(eval_metric, eval_batch.label)
            seen = {**given, "eval_batch": eval_batch, "nbatch": nbatch}
            call_all(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, seen))
            count += 1
        seen = {**given, "actual_num_batch": count}
        call_all(score_end_callback, BatchEndParam(epoch, count, eval_metric, seen))
        return eval_metric.get_global_name_value()

    def iter_predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Any = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Yields (outputs, batch number, batch), padding removed; the next step overwrites them."""
        self._require_ready("iter_predict")
        if reset:
            eval_data.reset()
        for nbatch, batch in enumerate(_first(eval_data, num_batch)):
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            pad = batch.pad or 0
            yield [out[: out.shape[0] - pad] for out in self.get_outputs()], nbatch, batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """The outputs for ``eval_data``, padding removed.

        Parameters
        ----------
        eval_data : DataIter, NDArray or numpy.ndarray
            An array is one batch.
        merge_batches : bool
            Join the batches; else the result is a list with the outputs of each.
        always_output_list : bool
            A list even if there is only one output.

        Raises
        ------
        MXNetError
            If the batches cannot be joined as they have different numbers of outputs.
        """
        if not hasattr(eval_data, "reset"):
            batch = DataBatch([eval_data if isinstance(eval_data, NDArray) else array(eval_data)])
            self._require_ready("predict")
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            return _unpacked([out.copy() for out in self.get_outputs()], always_output_list)
        found = [
            [out.copy() for out in outs]
            for outs, _, _ in self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not found or not merge_batches:
            return found
        if any(len(outs) != len(found[0]) for outs in found):
            raise MXNetError(
                "predict: the batches have different numbers of outputs, so they cannot be joined; "
                "pass merge_batches=False"
            )
        joined = [concatenate(list(parts)) for parts in zip(*found, strict=True)]
        return _unpacked(joined, always_output_list)

    # ---- training ------------------------------------------------------------------------

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = LearningRate,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = Uniform(0.01),  # noqa: B008  it holds no state
        arg_params: Params | None = None,
        aux_params: Params | None = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Bind, initialise and train.

        Parameters
        ----------
        train_data, eval_data : DataIter
        eval_metric, validation_metric : str, EvalMetric, function or list of these
            The second for ``eval_data``; the first if not given.
        epoch_end_callback : callable or list of them
            Called with (epoch, symbol, arg_params, aux_params).
        batch_end_callback, eval_end_callback, eval_batch_end_callback : callable or list of them
            Called with a BatchEndParam.
        kvstore, optimizer, optimizer_params
            As in :meth:`init_optimizer`.
        initializer, arg_params, aux_params, allow_missing, force_init
            As in :meth:`init_params`.
        begin_epoch, num_epoch : int
            Epochs are counted from the first to before the second.
        monitor : Monitor, optional
        sparse_row_id_fn : callable, optional
            As in :meth:`prepare`.

        Raises
        ------
        ModuleStateError
            If ``num_epoch`` is not given.
        TypeError
            If the data is an array, say, and no DataIter.
        """
        given = dict(locals())
        if num_epoch is None:
            raise ModuleStateError("fit: please specify number of epochs (num_epoch)")
        _require_iterator("fit", "train_data", train_data, "provide_data")
        if eval_data is not None:
            _require_iterator("fit", "eval_data", eval_data, "reset")
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(initializer, arg_params, aux_params, allow_missing, force_init)
        self.init_optimizer(kvstore, optimizer, optimizer_params)
        train(self, given)

    # ---- parameters ----------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Copies of (arguments, auxiliary states) in host memory."""
        raise NotImplementedError

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  it holds no state
        arg_params: Params | None = None,
        aux_params: Params | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill the parameters from the arrays given, or with the initializer."""
        raise NotImplementedError

    def set_params(
        self,
        arg_params: Params | None,
        aux_params: Params | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Replace the parameters; without ``allow_missing`` all of them must be given."""
        self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)

    def save_params(self, fname: str) -> None:
        """Write the parameters to a ``.params`` file, with ``arg:`` and ``aux:`` names."""
        save(fname, named_params(*self.get_params()))

    def load_params(self, fname: str) -> None:
        """Read the parameters that :meth:`save_params` wrote.

        Raises
        ------
        MXNetError
            If the file is missing or damaged, or has the parameters of another network.
        """
        net = self._symbol
        auxiliary = frozenset(() if net is None else net.list_auxiliary_states())
        self.set_params(*split_params(load(fname), auxiliary, fname))

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states of a recurrent network, which pass from batch to batch."""
        self._require_ready("get_states")
        return []

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states, to arrays or all to one number."""
        self._require_ready("set_states")
        if states or value:
            raise ModuleStateError("set_states: the module has no states")

    # ---- set-up --------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Sequence[Any],
        label_shapes: Sequence[Any] | None = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Take memory for inputs of these shapes."""
        raise NotImplementedError

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = LearningRate,
        force_init: bool = False,
    ) -> None:
        """Make the optimizer, and the store through which it works."""
        raise NotImplementedError

    def borrow_optimizer(self, shared_module: Any) -> None:
        """Use the optimizer of another module."""
        raise NotImplementedError

    def install_monitor(self, mon: Any) -> None:
        """Let a Monitor watch what is computed."""
        raise NotImplementedError

    @property
    def symbol(self) -> Any:
        """The network."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        raise NotImplementedError

    @property
    def output_names(self) -> list[str]:
        raise NotImplementedError

    @property
    def data_shapes(self) -> list[Any]:
        raise NotImplementedError

    @property
    def label_shapes(self) -> list[Any] | None:
        raise NotImplementedError

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        raise NotImplementedError


def _require_iterator(method: str, name: str, given: Any, attribute: str) -> None:
    if not hasattr(given, attribute):
        raise TypeError(
            f"{method}: {name} must be a DataIter such as mx.io.NDArrayIter, "
            f"not {type(given).__name__}"
        )


def _first(batches: Iterable[Any], count: int | None) -> Iterator[Any]:
    """At most ``count`` batches, none of them read in vain."""
    for number, batch in enumerate(batches, 1):
        yield batch
        if number == count:
            return


def _unpacked(outputs: list[NDArray], always_list: bool) -> Any:
    return outputs[0] if len(outputs) == 1 and not always_list else outputs
