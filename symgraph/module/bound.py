"""A network with memory and parameters on one or several devices."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.context import Context, chosen_context, cpu
from symgraph.errors import MXNetError
from symgraph.initializer import Uniform
from symgraph.io.base import DataDesc
from symgraph.module.base import BaseModule, ModuleStateError, Params
from symgraph.module.group import ExecutorGroup
from symgraph.module.inputs import check_names, data_descs, grad_reqs_of, is_bound, label_descs
from symgraph.module.optimizing import Settings
from symgraph.module.params import fill_params
from symgraph.module.rows import RowFetcher
from symgraph.module.slices import Roles, joined
from symgraph.module.store import ParamSync
from symgraph.ndarray import NDArray
from symgraph.storage import Shape


class BoundModule(BaseModule):
    """What :class:`~symgraph.module.module.Module` is before it is trained."""

    def __init__(
        self,
        symbol: Any,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] | None = None,
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(logger)
        if group2ctxs is not None:
            raise MXNetError("group2ctxs: placing groups on devices is not supported yet")
        given: Any = context or cpu()
        one = isinstance(given, str) or not isinstance(given, Sequence)
        self._context = [chosen_context(device) for device in ([given] if one else given)]
        self._shares = list(work_load_list or [1] * len(self._context))
        if len(self._shares) != len(self._context):
            raise ModuleStateError(
                f"work_load_list has {len(self._shares)} entries for {len(self._context)} devices"
            )
        self._symbol = symbol
        self._data_names, self._label_names = list(data_names or ()), list(label_names or ())
        self._fixed_param_names = list(fixed_param_names or ())
        self._state_names = list(state_names or ())
        self._sort_variables()
        self._output_names = symbol.list_outputs()
        self._compression_params = compression_params
        self._preloaded: tuple[Params, Params] | None = None
        self._preload_states: str | None = None
        self._reset_bind()
        self._reset_optimizer()

    def _sort_variables(self) -> None:
        """Tell inputs, states and parameters apart."""
        arguments = self._symbol.list_arguments()
        check_names(arguments, self._data_names, "data_names", required=True)
        check_names(arguments, self._label_names, "label_names", required=False)
        check_names(arguments, self._state_names, "state_names", required=True)
        check_names(arguments, self._fixed_param_names, "fixed_param_names", required=True)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in arguments if name not in inputs]
        self._aux_names = self._symbol.list_auxiliary_states()
        self._roles = Roles(
            tuple(self._data_names),
            tuple(name for name in self._label_names if name in arguments),
            tuple(self._state_names),
            tuple(self._param_names),
            tuple(self._aux_names),
        )

    def _reset_bind(self) -> None:
        self.binded = False
        self._exec_group: Any = None
        self._batch_labels: list[str] = self._label_names

    def _reset_optimizer(self) -> None:
        self._optimizer: Any = None
        self._sync: ParamSync | None = None
        self._settings: Settings | None = None

    # ---- facts ---------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the data inputs."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The data inputs of the last batch, or as bound."""
        self._require("data_shapes", binded="call bind()")
        return list(self._exec_group.current.data)

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """The labels of the last batch, or as bound; None without any."""
        self._require("label_shapes", binded="call bind()")
        return list(self._exec_group.current.labels) or None

    @property
    def output_shapes(self) -> list[tuple[str, Shape]]:
        """(name, shape) of the outputs for the last batch, or as bound."""
        self._require("output_shapes", binded="call bind()")
        return list(zip(self._output_names, self._exec_group.output_shapes(), strict=True))

    # ---- binding -------------------------------------------------------------------------

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
        """Take memory for inputs of these shapes; batches of other shapes may come nevertheless.

        Parameters
        ----------
        data_shapes, label_shapes : list of DataDesc or (name, shape)
            In the order in which batches without names bring them.
        for_training : bool
            Whether there will be gradients.
        inputs_need_grad : bool
            Whether the data inputs get gradients too.
        force_rebind : bool
            Bind anew; parameters are kept.
        shared_module : Module, optional
            Use the parameters of another module.
        grad_req : str, list or dict
            ``"write"``, ``"add"`` or ``"null"``.

        Raises
        ------
        ValueError
            If the names are not those that the module was told, or a device would get no rows.
        ShapeError, DTypeError
            If the shapes do not fit the network.
        """
        former = self._exec_group if force_rebind else None
        if self.binded and not force_rebind:
            same = for_training == self.for_training and is_bound(
                self._exec_group.current, data_shapes, label_shapes
            )
            if not same:
                self.logger.warning("Already bound, ignoring bind(); force_rebind=True binds anew")
            return
        data = data_descs(data_shapes, self._data_names)
        labels = label_descs(label_shapes, self._roles.labels)
        if shared_module is not None:
            if not (shared_module.binded and shared_module.params_initialized):
                raise ModuleStateError("bind: shared_module must be bound and initialised first")
            former = shared_module._exec_group
        trained = {*self._param_names} - {*self._fixed_param_names}
        wanted = trained | {*self._data_names} if inputs_need_grad else trained
        reqs = grad_reqs_of(self._symbol.list_arguments(), grad_req, wanted) if for_training else {}
        graph = self._symbol._graph
        group = ExecutorGroup(graph, self._context, self._shares, self._roles, reqs, former)
        group.bind(data, labels)
        self._reset_bind()
        self._exec_group = group
        self._rows = RowFetcher(graph, self._param_names)
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.binded = True
        self._take_over(group, shared_module)

    def _take_over(self, group: ExecutorGroup, shared_module: Any) -> None:
        """Use parameters and optimizer that there are already."""
        if shared_module is not None:
            self.params_initialized = True
        elif self._preloaded is not None:
            args, aux = self._preloaded
            self.init_params(None, args, aux, force_init=True, allow_extra=True)
            self._preloaded = None
        if self._sync is not None and self.for_training:
            self._sync = self._sync.of(group)
        if shared_module is not None and shared_module.optimizer_initialized:
            self.borrow_optimizer(shared_module)

    def reshape(
        self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None = None
    ) -> None:
        """Make ready for batches of other shapes; parameters are kept."""
        self._require("reshape", binded="call bind()")
        data = data_descs(data_shapes, self._data_names)
        self._exec_group.bind(data, label_descs(label_shapes, self._roles.labels))

    # ---- parameters ----------------------------------------------------------------------

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  it holds no state
        arg_params: Params | None = None,
        aux_params: Params | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill the parameters.

        Parameters
        ----------
        initializer : Initializer or callable, optional
            For parameters without an array; None leaves them as they are.
        arg_params, aux_params : dict of str to NDArray, optional
            If given, each must hold all parameters of its kind, unless ``allow_missing``.
        force_init : bool
            Whether to do so again if it was done before.
        allow_extra : bool
            Whether arrays for no parameter go without a warning.

        Raises
        ------
        MXNetError
            If an array is missing.
        ShapeError
            If one has another shape; nothing is changed then.
        """
        self._require("init_params", binded="call bind()")
        if self.params_initialized and not force_init:
            if arg_params is not None or aux_params is not None or initializer != Uniform(0.01):
                warnings.warn(
                    "Parameters already initialized and force_init=False. init_params call ignored",
                    stacklevel=3,
                )
            return
        target = self._exec_group if self._sync is None else self._sync
        fill_params(
            self._exec_group,
            target.write,
            self._symbol.attr_dict(),
            initializer,
            (arg_params, aux_params),
            allow_missing=allow_missing,
            allow_extra=allow_extra,
            initialized=self.params_initialized,
        )
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Copies of (arguments, auxiliary states) in host memory, as they are now.

        What lies in a store is pulled; auxiliary states are the mean over the devices.
        """
        self._require("get_params", params_initialized="call init_params()")
        if self._exec_group is None:
            args, aux = self._preloaded or ({}, {})
            return {n: a.copy() for n, a in args.items()}, {n: a.copy() for n, a in aux.items()}
        group = self._exec_group
        read = group.read if self._sync is None else self._sync.read
        return {n: read(n) for n in self._param_names}, {n: group.read(n) for n in self._aux_names}

    @property
    def _arg_params(self) -> dict[str, NDArray] | None:
        """What scripts read for want of a public name; :meth:`get_params` is meant."""
        return self.get_params()[0] if self.params_initialized else None

    @property
    def _aux_params(self) -> dict[str, NDArray] | None:
        return self.get_params()[1] if self.params_initialized else None

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states, joined over devices, or as lists of their parts."""
        self._require_ready("get_states")
        parts = self._exec_group.states()
        return [joined(p, 0) for p in parts] if merge_multi_context else parts

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states to arrays, in the form of :meth:`get_states`, or all to one number.

        Raises
        ------
        ModuleStateError
            If not exactly one of both is given.
        """
        self._require_ready("set_states")
        if (states is None) == (value is None):
            raise ModuleStateError("set_states: give either states or value")
        self._exec_group.set_states(states, value)
