"""AdaDelta, Zeiler 2012."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import namespace_of
from symgraph.optimizer.base import Index, Optimizer, Step, register
from symgraph.optimizer.values import narrow, prepared, wide, zeros_like
from symgraph.storage import Array


@register
class AdaDelta(Optimizer):
    """Steps as large as the steps of late; the learning rate is not used.

    ``g = clip(rescale * grad); n = rho * n + (1 - rho) * g * g;
    d = sqrt(s + epsilon) / sqrt(n + epsilon) * g; s = rho * s + (1 - rho) * d * d;
    w -= d + wd * w``

    Parameters
    ----------
    rho : float
        How much of the two means stays.
    epsilon : float
        Keeps the division finite and starts the first step.
    """

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Index, weight: Any) -> Any:
        """The means of the squared gradients and of the squared steps."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        xp = namespace_of(w)
        acc_g, acc_delta = state
        before, s = wide(w), wide(acc_delta)
        g = prepared(grad, step)
        n = self.rho * wide(acc_g) + (1 - self.rho) * g * g
        delta = xp.sqrt(s + self.epsilon) / xp.sqrt(n + self.epsilon) * g
        narrow(acc_g, n)
        narrow(acc_delta, self.rho * s + (1 - self.rho) * delta * delta)
        narrow(w, before - (delta + step.wd * before))
