"""Monitor: statistics of everything an executor computes, every few batches."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable
from typing import Any

from symgraph.ndarray import NDArray


def _norm(array: NDArray) -> Any:
    """The root of the mean square."""
    flat = array.asnumpy().astype("float64").ravel()
    return math.sqrt(float(flat @ flat) / (flat.size or 1))


class Monitor:
    """Watches the outputs, weights and gradients of executors.

    Parameters
    ----------
    interval : int
        Number of batches between two looks.
    stat_func : callable, optional
        Array -> a number, array or list of these; the root of the mean square by default.
    pattern : str
        Regular expression; only names that it matches are kept.
    sort : bool
        Whether the statistics come sorted by name.
    monitor_all : bool
        Whether the inputs of operators are watched too.
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval = interval
        self.stat_func = stat_func or _norm
        self.re_prog = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all
        self.activated = False
        self.step = 0
        self.exes: list[Any] = []
        # A module has executors for several shapes; arguments are those of the ones that ran.
        self._running: dict[int, Any] = {}
        self.queue: list[tuple[int, str, Any]] = []

    def stat_helper(self, name: str, array: NDArray) -> None:
        """What executors call with every array they compute."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Watch an executor too."""

        def watch(name: str, array: NDArray) -> None:
            self._running[id(exe)] = exe
            self.stat_helper(name, array)

        exe.set_monitor_callback(watch, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Begin a batch; every ``interval``-th is watched."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self._running.clear()
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch: (batch, name, statistic) of what was seen, arguments and states included."""
        if not self.activated:
            return []
        for exe in self._running.values():
            for name, array in [*exe.arg_dict.items(), *exe.aux_dict.items()]:
                if self.re_prog.match(name):
                    self.queue.append((self.step, name, self.stat_func(array)))
        self.activated = False
        found = sorted(self.queue, key=lambda item: item[1]) if self.sort else self.queue
        self.queue = []
        return [(step, name, _text(value)) for step, name, value in found]

    def toc_print(self) -> None:
        """End a batch and log what was seen."""
        for step, name, value in self.toc():
            logging.info("Batch: %7d %-30s %s", step, name, value)


def _text(value: Any) -> str:
    """Statistics, each followed by a tab."""
    parts = value if isinstance(value, list | tuple) else [value]
    return "".join(f"{_number(part)}\t" for part in parts)


def _number(part: Any) -> Any:
    if isinstance(part, NDArray):
        return part.asscalar() if part.size == 1 else part.asnumpy()
    return part
