"""Adamax, Kingma and Ba 2014."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import namespace_of
from symgraph.optimizer.base import Index, Optimizer, Step, register
from symgraph.optimizer.values import clipped, narrow, wide, zeros_like
from symgraph.storage import Array


@register
class Adamax(Optimizer):
    """Adam with the largest gradient of late in the place of the root of its mean square.

    ``g = clip(rescale * grad + wd * w); m = beta1 * m + (1 - beta1) * g;
    u = max(beta2 * u, abs(g)); w -= lr / (1 - beta1 ** t) * m / u``, where a weight that never
    had a gradient (u = 0) stays; MXNet makes it nan.

    Parameters
    ----------
    beta1, beta2 : float
        How much of m and u stays.
    """

    def __init__(
        self,
        learning_rate: float = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Index, weight: Any) -> Any:
        """m and u."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        xp = namespace_of(w)
        mean, largest = state
        before = wide(w)
        g = clipped(step.rescale * wide(grad) + step.wd * before, step.clip)
        m = self.beta1 * wide(mean) + (1.0 - self.beta1) * g
        u = xp.maximum(self.beta2 * wide(largest), xp.abs(g))
        narrow(mean, m)
        narrow(largest, u)
        lr = step.lr / (1.0 - self.beta1**step.t)
        narrow(w, before - lr * m / xp.where(u == 0, xp.ones_like(u), u))
