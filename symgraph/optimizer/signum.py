"""Signum, Bernstein and others 2018."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgraph.kernels import namespace_of
from symgraph.optimizer.base import Index, Optimizer, Step, register
from symgraph.optimizer.values import narrow, prepared, wide, zeros_like
from symgraph.storage import Array


@register
class Signum(Optimizer):
    """Steps of one length, in the direction of the signs of the momentum.

    ``g = clip(rescale * grad) + wd * w; mom = momentum * mom - (1 - momentum) * g;
    w = (1 - lr * wd_lh) * w + lr * sign(mom)``; without momentum, SignSGD:
    ``w = (1 - lr * wd) * w - lr * sign(clip(rescale * grad))``.

    Parameters
    ----------
    momentum : float
        0 keeps no state.
    wd_lh : float
        Weight decay apart from the gradient, Loshchilov and Hutter 2017.
    """

    def __init__(
        self,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Index, weight: Any) -> Any:
        """The momentum, if there is one."""
        return zeros_like(weight) if self.momentum else None

    def _step(self, w: Array, grad: Array, state: Sequence[Array], step: Step) -> None:
        xp = namespace_of(w)
        before = wide(w)
        g = prepared(grad, step)
        if not state:
            narrow(w, (1 - step.lr * step.wd) * before - step.lr * xp.sign(g))
            return
        (mom,) = state
        speed = self.momentum * wide(mom) - (1 - self.momentum) * (g + step.wd * before)
        narrow(mom, speed)
        narrow(w, (1 - step.lr * self.wd_lh) * before + step.lr * xp.sign(speed))
