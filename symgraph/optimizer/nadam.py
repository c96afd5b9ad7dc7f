"""Nadam, Dozat 2016."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import namespace_of
from symgraph.optimizer.base import Index, Optimizer, Step, register
from symgraph.optimizer.values import clipped, narrow, wide, zeros_like
from symgraph.storage import Array

NOTHING = 1e-20
"""Less than a double can take from one: a product that small need not be followed further."""


@register
class Nadam(Optimizer):
    """Adam with Nesterov's look ahead.

    Parameters
    ----------
    beta1, beta2 : float
        How much of the two means stays.
    epsilon : float
        Keeps the division finite.
    schedule_decay : float
        How fast the momentum grows to ``beta1``.

    Notes
    -----
    The product of momenta is kept for each weight. MXNet keeps one for all weights, so that
    there the step of a weight depends on how many others the model has.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay

    def create_state(self, index: Index, weight: Any) -> Any:
        """The two means."""
        return zeros_like(weight), zeros_like(weight)

    def _momentum(self, t: int) -> float:
        return self.beta1 * (1.0 - 0.5 * pow(0.96, t * self.schedule_decay))

    def _product(self, t: int) -> float:
        """Of the momenta of the updates 1 to t, zero once no difference to one is left."""
        product = 1.0
        for i in range(1, t + 1):
            product *= self._momentum(i)
            if product < NOTHING:
                return 0.0
        return product

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        xp = namespace_of(w)
        mean, var = state
        before = wide(w)
        g = clipped(step.rescale * wide(grad) + step.wd * before, step.clip)
        now, following = self._momentum(step.t), self._momentum(step.t + 1)
        product = self._product(step.t)
        m = self.beta1 * wide(mean) + (1.0 - self.beta1) * g
        v = self.beta2 * wide(var) + (1.0 - self.beta2) * g * g
        narrow(mean, m)
        narrow(var, v)
        m_bar = (1.0 - now) * (g / (1.0 - product)) + following * (m / (1.0 - product * following))
        v_bar = v / (1.0 - pow(self.beta2, step.t))
        narrow(w, before - step.lr * m_bar / (xp.sqrt(v_bar) + self.epsilon))
