"""AdaGrad, Duchi and others 2011."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels.update import adagrad_rows
from symgraph.optimizer.base import Index, Optimizer, RowRule, Step, register
from symgraph.optimizer.values import every_row, zeros_like
from symgraph.storage import Array


@register
class AdaGrad(Optimizer):
    """Steps scaled by the root of the sum of all squared gradients so far.

    ``g = clip(rescale * grad); h += g * g; w -= lr * (g / sqrt(h + eps) + wd * w)``

    A row_sparse gradient moves only its own rows. With weight decay (which MXNet refuses there)
    that differs from dense training, so a warning says so.

    Parameters
    ----------
    eps : float
        Keeps the division finite.
    """

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: Any) -> Any:
        """The sum of squares."""
        return zeros_like(weight)

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        return "lazy" if step.wd else "same"

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        self._step_rows(*every_row(w, grad), [state[0][None]], step)

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        adagrad_rows(
            w, state[0], rows, grad, step.lr, step.wd, self.float_stable_eps,
            step.rescale, step.clip,
        )  # fmt: skip
