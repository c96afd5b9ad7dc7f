"""FTRL-proximal, McMahan and others 2013."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels.update import ftrl_rows
from symgraph.optimizer.base import Index, Optimizer, RowRule, Step, register
from symgraph.optimizer.values import every_row, table_of, zeros_like
from symgraph.storage import Array


@register
class Ftrl(Optimizer):
    """Follow the regularised leader: weights with little evidence are exactly 0.

    ``g = clip(rescale * grad); z += g - (sqrt(n + g * g) - sqrt(n)) * w / lr; n += g * g;
    w = -sign(z) * max(abs(z) - lamda1, 0) / ((beta + sqrt(n)) / lr + wd)``

    A row_sparse gradient of a row_sparse weight moves only its own rows. The dense rule moves the
    others too: rows that never had a gradient become 0, and all follow the learning rate. Where
    that differs, as the weights do not start as zeros or the rate is scheduled, a warning says so.

    Parameters
    ----------
    lamda1 : float
        L1 regularisation; ``wd`` is the L2 one.
    beta : float
        Slows the first steps.
    """

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Index, weight: Any) -> Any:
        """z and n."""
        return zeros_like(weight), zeros_like(weight)

    def _row_rule(self, weight: Any, step: Step) -> RowRule:
        if weight.stype != "row_sparse":
            return "dense"
        # later on, every weight that is not 0 is what the dense rule would make of its z and n
        first = step.t == self.begin_num_update + 1
        settled = self.lr_scheduler is None and not (first and table_of(weight).any())
        return "same" if settled else "lazy"

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        z, n = state
        self._step_rows(*every_row(w, grad), [z[None], n[None]], step)

    def _step_rows(
        self, w: Array, rows: Array, grad: Array, state: Sequence[Array], step: Step
    ) -> None:
        z, n = state
        ftrl_rows(
            w, z, n, rows, grad, step.lr, step.wd, self.lamda1, self.beta, step.rescale, step.clip
        )
