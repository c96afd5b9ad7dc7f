"""Learning rates that depend on the number of updates done."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi

_log = logging.getLogger(__name__)


class LRScheduler:
    """A learning rate per number of updates, after an optional warm-up. Call it with that number.

    Parameters
    ----------
    base_lr : float
        The rate at the end of the warm-up. An optimizer made with ``learning_rate`` sets it.
    warmup_steps : int
        How many updates the warm-up takes.
    warmup_begin_lr : float
        The rate that the warm-up starts with.
    warmup_mode : str
        ``"linear"`` climbs to ``base_lr``, ``"constant"`` keeps ``warmup_begin_lr``.

    Raises
    ------
    ValueError
        If the warm-up would fall, has a negative length or an unknown mode.
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        _require_int("warmup_steps", warmup_steps, 0)
        if warmup_begin_lr > base_lr:
            raise ValueError(f"warmup_begin_lr is {warmup_begin_lr}, above base_lr {base_lr}")
        if warmup_mode not in ("linear", "constant"):
            raise ValueError(f"warmup_mode is {warmup_mode!r}, but 'linear' or 'constant' is legal")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_mode = warmup_mode

    @property
    def warmup_final_lr(self) -> float:
        """The rate that the warm-up ends with.

        It is ``base_lr``, also where an optimizer has set that one; MXNet climbs to the former.
        """
        return self.base_lr

    def get_warmup_lr(self, num_update: int) -> float:
        """The rate at ``num_update``, which is below ``warmup_steps``."""
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        climb = self.warmup_final_lr - self.warmup_begin_lr
        return self.warmup_begin_lr + climb * float(num_update) / float(self.warmup_steps)

    def __call__(self, num_update: int) -> float:
        """The rate for the update number ``num_update``; the first one is 1."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        return self._rate(num_update)

    def _rate(self, num_update: int) -> float:
        raise NotImplementedError(f"{type(self).__name__} has no rule for the rate")


class FactorScheduler(LRScheduler):
    """Multiply the rate by ``factor`` after every ``step`` updates, down to ``stop_factor_lr``.

    ``base_lr`` is the present rate; it falls as the scheduler is called.

    Raises
    ------
    ValueError
        If ``step`` is below 1 or ``factor`` above 1.
    """

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require_int("step", step, 1)
        _require_falling(factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def _rate(self, num_update: int) -> float:
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr *= self.factor
            if self.base_lr < self.stop_factor_lr:
                self.base_lr = self.stop_factor_lr
                _log.info("update %d: the rate has reached %.5e", num_update, self.base_lr)
            else:
                _log.info("update %d: the rate is now %.5e", num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Multiply the rate by ``factor`` once after each of the update numbers in ``step``.

    ``base_lr`` is the present rate; it falls as the scheduler is called.

    Raises
    ------
    ValueError
        If ``step`` does not ascend from 1 or more, or ``factor`` is above 1.
    """

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, list | tuple) or not step:
            raise ValueError(f"step is {step!r}, but a list of update numbers is required")
        for number in step:
            _require_int("each item of step", number, 1)
        if any(later <= earlier for earlier, later in pairwise(step)):
            raise ValueError(f"step is {list(step)}, but ascending update numbers are required")
        _require_falling(factor)
        self.step = list(step)
        self.factor = factor
        self.count = 0
        self.cur_step_ind = 0

    def _rate(self, num_update: int) -> float:
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _log.info("update %d: the rate is now %.5e", num_update, self.base_lr)
        return self.base_lr


class PolyScheduler(LRScheduler):
    """From ``base_lr`` to ``final_lr`` at ``max_update``, along a polynomial of degree ``pwr``.

    Raises
    ------
    ValueError
        If ``max_update`` is below 1 or does not lie behind the warm-up.
    TypeError
        If it is no integer.
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.max_steps = _steps_after_warmup(max_update, warmup_steps)
        self.max_update = max_update
        self.power = pwr
        self.final_lr = final_lr

    def _rate(self, num_update: int) -> float:
        done = min(num_update, self.max_update) - self.warmup_steps
        left = 1 - float(done) / float(self.max_steps)
        return self.final_lr + (self.base_lr - self.final_lr) * pow(left, self.power)


class CosineScheduler(LRScheduler):
    """From ``base_lr`` to ``final_lr`` at ``max_update``, along half a cosine wave.

    Raises
    ------
    ValueError
        If ``max_update`` is below 1 or does not lie behind the warm-up.
    TypeError
        If it is no integer.
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.max_steps = _steps_after_warmup(max_update, warmup_steps)
        self.max_update = max_update
        self.final_lr = final_lr

    def _rate(self, num_update: int) -> float:
        done = min(num_update, self.max_update) - self.warmup_steps
        wave = 1 + cos(pi * done / self.max_steps)
        return self.final_lr + (self.base_lr - self.final_lr) * wave / 2


def _require_int(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is {value!r}, but an integer is required")
    if value < least:
        raise ValueError(f"{name} is {value}, but {least} or more is required")


def _require_falling(factor: float) -> None:
    if factor > 1:
        raise ValueError(f"factor is {factor}, but at most 1 is required, so that the rate falls")


def _steps_after_warmup(max_update: int, warmup_steps: int) -> int:
    _require_int("max_update", max_update, 1)
    if max_update <= warmup_steps:
        raise ValueError(
            f"max_update is {max_update}, but more than warmup_steps, {warmup_steps}, is required"
        )
    return max_update - warmup_steps
