"""RMSProp: Tieleman and Hinton 2012; centred, Graves 2013."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import namespace_of
from symgraph.optimizer.base import Index, Optimizer, Step, register
from symgraph.optimizer.values import clipped, narrow, wide, zeros_like
from symgraph.storage import Array


@register
class RMSProp(Optimizer):
    """Steps scaled by a running mean of the squared gradient.

    ``g = clip(rescale * grad + wd * w); n = gamma1 * n + (1 - gamma1) * g * g``, then
    ``w -= lr * g / sqrt(n + epsilon)``, or where centred
    ``m = gamma1 * m + (1 - gamma1) * g;
    delta = gamma2 * delta - lr * g / sqrt(n - m * m + epsilon); w += delta``.

    Parameters
    ----------
    gamma1 : float
        How much of the means stays.
    gamma2 : float
        How much of the former step stays, where centred.
    epsilon : float
        Keeps the division finite.
    centered : bool
        Whether the square of the mean is taken from the mean of squares.
    clip_weights : float, optional
        Weights are clipped to ``[-clip_weights, clip_weights]`` after the step.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: Index, weight: Any) -> Any:
        """n, and where centred the mean and the former step."""
        return tuple(zeros_like(weight) for _ in range(3 if self.centered else 1))

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        xp = namespace_of(w)
        before = wide(w)
        g = clipped(step.rescale * wide(grad) + step.wd * before, step.clip)
        n = (1 - self.gamma1) * (g * g) + self.gamma1 * wide(state[0])
        narrow(state[0], n)
        if self.centered:
            _, mean, delta = state
            m = (1 - self.gamma1) * g + self.gamma1 * wide(mean)
            narrow(mean, m)
            move = self.gamma2 * wide(delta) - step.lr * g / xp.sqrt(n - m * m + self.epsilon)
            narrow(delta, move)
        else:
            move = -step.lr * g / xp.sqrt(n + self.epsilon)
        narrow(w, clipped(before + move, self.clip_weights))
