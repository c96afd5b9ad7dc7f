"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import update as kernels
from symgraph.optimizer.base import Index, Optimizer, RowRule, Step, register
from symgraph.optimizer.values import zeros_like
from symgraph.storage import Array


@register
class SGD(Optimizer):
    """Gradient descent with momentum and weight decay.

    ``mom = momentum * mom - lr * (clip(rescale * grad) + wd * w); w += mom``

    Parameters
    ----------
    momentum : float
        0 keeps no state.
    lazy_update : bool
        Whether a row_sparse gradient moves only its own rows. With weight decay or momentum
        that differs from dense training; where it was not asked for, a warning says so.
    """

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update

    def create_state(self, index: Index, weight: Any) -> Any:
        """The momentum, if there is one."""
        return zeros_like(weight) if self.momentum else None

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        if not step.wd and not self.momentum:
            return "same"
        return "lazy" if self.lazy_update else "dense"

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        if state:
            kernels.sgd_mom_dense(
                w, state[0], grad, step.lr, step.wd, self.momentum, step.rescale, step.clip
            )
        else:
            kernels.sgd_dense(w, grad, step.lr, step.wd, step.rescale, step.clip)

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        if state:
            kernels.sgd_mom_rows(
                w, state[0], rows, grad, step.lr, step.wd, self.momentum, step.rescale, step.clip
            )
        else:
            kernels.sgd_rows(w, rows, grad, step.lr, step.wd, step.rescale, step.clip)


Optimizer.opt_registry["ccsgd"] = SGD  # MXNet's former C++ implementation
