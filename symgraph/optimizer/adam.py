"""Adam, Kingma and Ba 2014."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from symgraph.kernels import update as kernels
from symgraph.optimizer.base import Index, Optimizer, RowRule, Step, register
from symgraph.optimizer.values import zeros_like
from symgraph.storage import Array


@register
class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square.

    ``g = clip(rescale * grad + wd * w); m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g; w -= lr_t * m / (sqrt(v) + epsilon)`` where
    ``lr_t = lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t)`` after t updates of this weight.

    Parameters
    ----------
    beta1, beta2 : float
        How much of the two means stays.
    epsilon : float
        Keeps the division finite.
    lazy_update : bool
        Whether a row_sparse gradient moves only its own rows, and only their means. That
        differs from dense training; where it was not asked for, a warning says so.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index: Index, weight: Any) -> Any:
        """The two means."""
        return zeros_like(weight), zeros_like(weight)

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        return "lazy" if self.lazy_update else "dense"

    def _corrected(self, step: Step) -> float:
        return step.lr * sqrt(1.0 - self.beta2**step.t) / (1.0 - self.beta1**step.t)

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        mean, var = state
        kernels.adam_dense(
            w, mean, var, grad, self._corrected(step), step.wd,
            self.beta1, self.beta2, self.epsilon, step.rescale, step.clip,
        )  # fmt: skip

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        mean, var = state
        kernels.adam_rows(
            w, mean, var, rows, grad, self._corrected(step), step.wd,
            self.beta1, self.beta2, self.epsilon, step.rescale, step.clip,
        )  # fmt: skip
