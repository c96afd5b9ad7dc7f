"""The base of all optimizers: how often and how fast to step; children know in which direction."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, ClassVar, Literal, NamedTuple, Self

from symgraph.errors import MXNetError, ShapeError, StorageError, close_names
from symgraph.lr_scheduler import LRScheduler
from symgraph.optimizer.values import dense_of, table_of
from symgraph.storage import CSR, Array, RowSparse, Value

Index = int | str
"""What tells one weight from the other: a number, or the key in a store."""


RowRule = Literal["dense", "same", "lazy"]
"""Move every row; move the rows of the gradient, which is the same; or do so though it differs."""


class UnknownOptimizerError(MXNetError, ValueError):
    """A name that no optimizer is registered under."""


class LazyUpdateWarning(UserWarning):
    """Rows that are absent from a gradient are left alone, where dense training moves them."""


class Step(NamedTuple):
    """The numbers of one update of one weight."""

    lr: float
    wd: float
    t: int
    rescale: float
    clip: float | None


class Optimizer:
    """What all optimizers share: learning rates, weight decay, and the counting of updates.

    A new optimizer overrides :meth:`create_state` and either :meth:`update`, as in MXNet, or
    :meth:`_step`, which gets plain arrays.

    Parameters
    ----------
    rescale_grad : float
        Gradients are multiplied by this, usually 1 / batch size.
    param_idx2name : dict of int to str, optional
        Names of the weights. Only names that end in ``_weight`` or ``_gamma`` get weight decay.
    wd : float
        Weight decay.
    clip_gradient : float, optional
        Gradients are clipped to ``[-clip_gradient, clip_gradient]``, after rescaling.
    learning_rate : float, optional
        0.01 where neither it nor a scheduler is given.
    lr_scheduler : LRScheduler, optional
        Called with the number of updates. ``learning_rate`` becomes its ``base_lr``.
    sym : Symbol, optional
        Its attributes ``__lr_mult__`` and ``__wd_mult__`` scale the rates of its arguments.
    begin_num_update : int
        Where counting starts.
    multi_precision : bool
        Whether float16 weights are updated in a float32 copy.
    param_dict : dict, optional
        Index to an object with ``lr_mult`` and ``wd_mult``; goes before everything else.
    """

    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    _chose_laziness = False
    _warned = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        self = super().__new__(cls)
        self._chose_laziness = "lazy_update" in kwargs
        return self

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[int, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[Index, Any] | None = None,
    ) -> None:
        if not isinstance(param_idx2name, Mapping | None):
            raise TypeError(
                f"param_idx2name is a {type(param_idx2name).__name__}, but a dict of weight "
                "numbers to names is required"
            )
        self.rescale_grad = rescale_grad
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.idx2name: dict[Any, str] = dict(param_idx2name or {})
        self.param_dict = dict(param_dict or {})
        self.sym_info = (sym.attr_dict(), sym.list_arguments()) if sym is not None else ()
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._all_index_update_counts: dict[int, dict[Index, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.lr_scheduler = lr_scheduler
        self.lr = _first_rate(learning_rate, lr_scheduler)
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    # ---- registry -------------------------------------------------------------------

    @staticmethod
    def register(klass: type[Optimizer]) -> type[Optimizer]:
        """Make a class known under its name in lower case. Usable as a decorator."""
        name = klass.__name__.lower()
        former = Optimizer.opt_registry.get(name)
        if former is not None and former is not klass:
            warnings.warn(
                f"optimizer {name!r} was {former.__module__}.{former.__qualname__} and is now "
                f"{klass.__module__}.{klass.__qualname__}",
                stacklevel=2,
            )
        Optimizer.opt_registry[name] = klass
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Optimizer:
        """The optimizer registered as ``name``, in any case, made with ``kwargs``.

        Raises
        ------
        UnknownOptimizerError
            If there is none.
        TypeError
            If it has no such argument.
        """
        known = Optimizer.opt_registry
        if not isinstance(name, str) or name.lower() not in known:
            raise UnknownOptimizerError(
                f"optimizer {name!r} is not registered{close_names(str(name).lower(), known)} "
                f"(known: {', '.join(sorted(known))})"
            )
        klass = known[name.lower()]
        try:
            return klass(**kwargs)
        except TypeError as error:
            arguments = _arguments_of(klass)
            unknown = [key for key in kwargs if key not in arguments]
            if not unknown or "unexpected keyword" not in str(error):
                raise
            raise TypeError(
                f"optimizer {name!r}: unknown argument {unknown[0]!r}"
                f"{close_names(unknown[0], arguments)} (arguments: {', '.join(arguments)})"
            ) from error

    # ---- the update -----------------------------------------------------------------

    def create_state(self, index: Index, weight: Any) -> Any:
        """What the optimizer remembers of one weight: None, an NDArray, or a tuple of them."""
        return None

    def create_state_multi_precision(self, index: Index, weight: Any) -> Any:
        """The same with a float32 copy of a float16 weight in front, if one is wanted."""
        if self._in_single(weight):
            copy = weight.astype("float32")
            return copy, self.create_state(index, copy)
        return self.create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Step one weight, or several where all arguments are lists. In place.

        Parameters
        ----------
        index : int, str or list of them
            Which weight it is; counts its updates and finds its rates.
        weight, grad : NDArray or list of them
            Both of one shape; the gradient, or both, may be ``row_sparse``.
        state : what :meth:`create_state` made, or a list of that
        """
        if isinstance(index, list | tuple):
            for one in zip(index, weight, grad, state, strict=True):
                self.update(*one)
            return
        if weight.shape != grad.shape:
            raise ShapeError(
                f"weight {index!r} has shape {weight.shape}, its gradient {grad.shape}; "
                "one shape is required"
            )
        self._update_count(index)
        arrays = state if isinstance(state, tuple | list) else (state,) if state is not None else ()
        self._apply(index, weight, grad.raw_value, [s.value for s in arrays])

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """:meth:`update`, through the float32 copy where the state has one."""
        if isinstance(index, list | tuple):
            for one in zip(index, weight, grad, state, strict=True):
                self.update_multi_precision(*one)
        elif self._in_single(weight):
            copy, rest = state
            self.update(index, copy, grad.astype("float32"), rest)
            table_of(weight)[...] = table_of(copy)
        else:
            self.update(index, weight, grad, state)

    def _in_single(self, weight: Any) -> bool:
        return self.multi_precision and weight.value.dtype == "float16"

    def _apply(self, index: Index, weight: Any, grad: Value, state: Sequence[Array]) -> None:
        step = Step(
            self._get_lr(index),
            self._get_wd(index),
            self._index_update_count[index],
            self.rescale_grad,
            self.clip_gradient,
        )
        w = table_of(weight)
        if isinstance(grad, CSR):
            raise StorageError(f"the gradient of {index!r} is csr; use row_sparse or default")
        if not isinstance(grad, RowSparse):
            self._step(w, grad.astype(w.dtype, copy=False), state, step)
            return
        grad = RowSparse(grad.data.astype(w.dtype, copy=False), grad.indices, grad.shape)
        rule = self._row_rule(weight, step)
        if rule == "dense":
            self._step(w, dense_of(grad), state, step)
            return
        if rule == "lazy":
            self._warn_of_laziness()
        self._step_rows(w, grad.indices, grad.data, state, step)

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        """Change ``w`` and ``state`` in place. Shapes: all alike."""
        raise NotImplementedError(f"{type(self).__name__} has no update rule")

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        """The same for some rows. Shapes: w and state (V, *row), rows (n,), grad (n, *row)."""
        raise NotImplementedError(f"{type(self).__name__} has no rule for single rows")

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        """What to do with a row_sparse gradient; the base makes it dense."""
        return "dense"

    def _warn_of_laziness(self) -> None:
        if self._warned or self._chose_laziness:
            return
        self._warned = True
        name = type(self).__name__
        warnings.warn(
            f"{name} with lazy_update=True, as in MXNet the default: weight decay and the state of "
            "rows that a row_sparse gradient lacks stand still, where training with dense "
            "gradients moves them. Pass lazy_update=False for the dense result, lazy_update=True "
            "to go without this warning",
            LazyUpdateWarning,
            stacklevel=6,
        )

    # ---- rates ----------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """The present learning rate, before any multiplier."""
        if self.lr_scheduler is not None:
            return self.lr_scheduler(self.num_update)
        return self.lr  # pyright: ignore[reportReturnType]  None only beside a scheduler

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate; it counts from the next update on.

        Raises
        ------
        UserWarning
            If a scheduler is in charge. MXNet raises a warning as an exception here.
        """
        if self.lr_scheduler is not None:
            raise UserWarning("the learning rate comes from lr_scheduler, it cannot be set")
        self.lr = lr

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Multiply the learning rates of single weights, given by name or index.

        Attributes ``__lr_mult__`` of the symbol stay; what is given here goes before them.
        """
        self.lr_mult = {**self._multipliers("__lr_mult__"), **args_lr_mult}

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """The name of :meth:`set_lr_mult` in MXNet before 1.0; raises DeprecationWarning."""
        raise DeprecationWarning("set_lr_scale is gone; use set_lr_mult")

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """The same for the weight decay.

        Weights whose names do not end in ``_weight`` or ``_gamma`` start with 0: biases, beta.
        """
        undecayed = [n for n in self.idx2name.values() if not n.endswith(("_weight", "_gamma"))]
        self.wd_mult = {
            **dict.fromkeys(undecayed, 0.0),
            **self._multipliers("__wd_mult__"),
            **args_wd_mult,
        }

    def _multipliers(self, attribute: str) -> dict[str, float]:
        if not self.sym_info:
            return {}
        attributes, arguments = self.sym_info
        return {
            name: float(attributes[name][attribute])
            for name in arguments
            if attribute in attributes.get(name, ())
        }

    def _set_current_context(self, device_id: int) -> None:
        """Count the updates of another device's copies of the weights."""
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        for i in index if isinstance(index, list | tuple) else [index]:
            count = self._index_update_count.get(i, self.begin_num_update) + 1
            self._index_update_count[i] = count
            self.num_update = max(count, self.num_update)

    def _get_lr(self, index: Index) -> float:
        return self.learning_rate * self._multiplier(index, "lr_mult")

    def _get_wd(self, index: Index) -> float:
        return self.wd * self._multiplier(index, "wd_mult")

    def _get_lrs(self, indices: Iterable[Index]) -> list[float]:
        return [self._get_lr(index) for index in indices]

    def _get_wds(self, indices: Iterable[Index]) -> list[float]:
        return [self._get_wd(index) for index in indices]

    def _multiplier(self, index: Index, kind: str) -> float:
        if index in self.param_dict:
            return getattr(self.param_dict[index], kind)
        found = getattr(self, kind)
        if index in found:
            return found[index]
        return found.get(self.idx2name.get(index), 1.0)


def _arguments_of(klass: type[Optimizer]) -> list[str]:
    """What can be given by name, the class's own arguments first."""
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    inits = [signature(c.__init__) for c in klass.__mro__ if issubclass(c, Optimizer)]
    found = [p for init in inits for p in init.parameters.values() if p.kind in named]
    return list(dict.fromkeys(p.name for p in found if p.name != "self"))


def _first_rate(learning_rate: float | None, scheduler: LRScheduler | None) -> float | None:
    """The rate to start with; a scheduler takes it over."""
    if scheduler is None:
        return 0.01 if learning_rate is None else learning_rate
    if learning_rate is not None and learning_rate != scheduler.base_lr:
        warnings.warn(
            f"base_lr of lr_scheduler was {scheduler.base_lr} and is now {learning_rate}, the "
            "learning_rate of the optimizer",
            stacklevel=4,
        )
        scheduler.base_lr = learning_rate
    return learning_rate


register = Optimizer.register
create = Optimizer.create_optimizer
