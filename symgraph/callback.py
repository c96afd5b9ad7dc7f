"""Callbacks for ``fit`` and ``score``: progress, checkpoints, logs."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from symgraph.model import BatchEndParam, save_checkpoint

EpochEnd = Callable[..., None]
BatchEnd = Callable[[BatchEndParam], None]


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> EpochEnd:
    """At the end of every ``period``-th epoch, save the module ``mod``, also its optimizer's states
    if asked.
    """
    period = max(1, int(period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return save


def do_checkpoint(prefix: str, period: int = 1) -> EpochEnd:
    """At the end of every ``period``-th epoch, save ``prefix-symbol.json`` and the parameters."""
    period = max(1, int(period))

    def save(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return save


def log_train_metric(period: int, auto_reset: bool = False) -> BatchEnd:
    """Every ``period`` batches, log the metric; with ``auto_reset`` it then begins anew."""

    def log(param: BatchEndParam) -> None:
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info(
                    "Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value
                )
            if auto_reset:
                param.eval_metric.reset_local()

    return log


class Speedometer:
    """Logs samples per second and the metric every ``frequent`` batches.

    Parameters
    ----------
    batch_size : int
    frequent : int
    auto_reset : bool
        Whether the metric is that of the batches since the last line. The epoch's own number is
        kept in any case.
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.auto_reset = auto_reset
        self.last_count = 0
        self._since: float | None = None

    def __call__(self, param: BatchEndParam) -> None:
        count = param.nbatch
        if self.last_count > count:
            self._since = None
        self.last_count = count
        if self._since is None:
            self._since = time.perf_counter()
        elif count % self.frequent == 0:
            self._log(param, self._speed(time.perf_counter() - self._since))
            self._since = time.perf_counter()

    def _speed(self, seconds: float) -> float:
        return self.frequent * self.batch_size / seconds if seconds > 0 else math.inf

    def _log(self, param: BatchEndParam, speed: float) -> None:
        count = param.nbatch
        if param.eval_metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, count, speed)
            return
        pairs = param.eval_metric.get_name_value()
        first = 0
        if self.auto_reset:
            param.eval_metric.reset_local()
            first = count - self.frequent
        values = "".join(f"\t{name}={value:f}" for name, value in pairs)
        logging.info(
            "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec%s",
            param.epoch,
            first,
            count,
            speed,
            values,
        )


class ProgressBar:
    """A bar that grows with the batches of an epoch. Silent when the output is no terminal.

    Parameters
    ----------
    total : int
        Number of batches.
    length : int
        Characters of the whole bar.
    """

    def __init__(self, total: int, length: int = 80) -> None:
        self.total = total
        self.bar_len = length
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, param: BatchEndParam) -> None:
        if not sys.stderr.isatty():
            return
        bar = self._bar = self._bar or self._started(param.epoch)
        bar.update(self._task, completed=param.nbatch, values=_described(param.eval_metric))
        if param.nbatch >= self.total:
            bar.stop()
            self._bar = None

    def _started(self, epoch: int) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(self.bar_len),
            TextColumn("{task.percentage:>3.0f}% {task.fields[values]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = bar.add_task(f"Epoch {epoch}", total=self.total, values="")
        bar.start()
        return bar


def _described(metric: Any) -> str:
    pairs = [] if metric is None else metric.get_name_value()
    return " ".join(f"{name}={value:.4f}" for name, value in pairs)


class LogValidationMetricsCallback:
    """Logs the metrics at the end of an evaluation."""

    def __call__(self, param: BatchEndParam) -> None:
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
