"""Nesterov's accelerated gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels.update import sgd_dense, sgd_rows
from symgraph.optimizer.base import Index, Optimizer, RowRule, Step, register
from symgraph.optimizer.values import narrow, prepared, wide, zeros_like
from symgraph.storage import Array


@register
class NAG(Optimizer):
    """Gradient descent whose momentum looks one step ahead.

    ``g = clip(rescale * grad);
    w += momentum * (momentum * mom - lr * (g + wd * w)) - lr * (g + wd * w);
    mom = momentum * mom - lr * (g + wd * w)``, the last with the new w, as in MXNet 1.9.1.

    Parameters
    ----------
    momentum : float
        0 is plain gradient descent.
    """

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Index, weight: Any) -> Any:
        """The momentum, if there is one."""
        return zeros_like(weight) if self.momentum else None

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        return "dense" if step.wd or self.momentum else "same"

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        if not state:
            sgd_dense(w, grad, step.lr, step.wd, step.rescale, step.clip)
            return
        (mom,) = state
        before, speed = wide(w), wide(mom)
        g = prepared(grad, step)
        pull = step.lr * (g + step.wd * before)
        after = before + self.momentum * (self.momentum * speed - pull) - pull
        narrow(mom, self.momentum * speed - step.lr * (g + step.wd * after))
        narrow(w, after)

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        sgd_rows(w, rows, grad, step.lr, step.wd, step.rescale, step.clip)
