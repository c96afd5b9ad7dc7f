"""Several threads over one compiled body.

A body takes its work in parts until none is left::

    @jit
    def _body(job, ...):
        part = claim(job, -1)
        while part >= 0:
            ...                      # part of job[PARTS] parts
            part = claim(job, part)

The caller works too, from the first moment, and waits at the end only for parts that somebody has
begun. So a thread that sleeps, or that the system does not run, costs nothing; waking one takes
about 50 us. Idle threads sleep: spinning ones (numba's default) take the cores from NumPy's
matrix products, which then run 20 times slower. Nor does a fork or a second caller disturb it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config

from symgraph.kernels.cpu.jit import instruction, jit

NEXT, PARTS, DONE = 0, 8, 16  # places in a job, each on its own cache line
_JOB_SIZE = 24
_LOOKS = 200  # at parts that others do before the core is offered to them; some 20 us
_PART = 1 << 18  # bytes a part moves, at least
_WORTH_A_THREAD = 1 << 21  # bytes below which waking a thread costs more than it saves
_OWNED_WORTH = 4  # times as many bytes where each part reads all


@instruction
def claim(_context, job, finished):
    """The next part to do, or -1; ``finished`` is the part just done, or -1."""

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        next_, parts, done = (builder.gep(data, [word(place)]) for place in (NEXT, PARTS, DONE))
        one_more = builder.zext(builder.icmp_signed(">=", args[1], word(0)), word)
        builder.atomic_rmw("add", done, one_more, "seq_cst")
        part = builder.atomic_rmw("add", next_, word(1), "seq_cst")
        return builder.select(builder.icmp_signed("<", part, builder.load(parts)), part, word(-1))

    return types.int64(job, types.int64), generate


class _Worker(threading.Thread):
    """A thread that sleeps until it is woken, then helps with the task of the moment."""

    def __init__(self, team: _Team) -> None:
        super().__init__(name="symgraph-kernel", daemon=True)
        self._team = team
        self._asleep = True
        self._bell = threading.Lock()
        self._bell.acquire()
        self.start()

    def wake(self) -> None:
        if self._asleep:
            self._asleep = False
            self._bell.release()

    def run(self) -> None:
        helped = 0
        while True:
            self._bell.acquire()
            while (task := self._team.task) is not None and task.number != helped:
                helped = task.number
                task.help()
            del task  # it holds arrays
            self._asleep = True


class _Task:
    """One call of a body, which several threads may join."""

    __slots__ = ("args", "body", "error", "job", "number")

    def __init__(self, number: int, body: Any, parts: int, args: tuple[Any, ...]) -> None:
        self.number = number
        self.body = body
        self.job = np.zeros(_JOB_SIZE, np.int64)
        self.job[PARTS] = parts
        self.args = args
        self.error: BaseException | None = None

    def help(self) -> None:
        try:
            self.body(self.job, *self.args)
        except BaseException as error:  # the caller raises it: its thread waits for this part
            self.error = error

    def settle(self) -> None:
        looks = 0
        while self.job[DONE] < self.job[PARTS]:
            if self.error is not None:
                raise self.error
            looks += 1
            if looks > _LOOKS:
                time.sleep(0)


class _Team:
    """The threads of this process and the task they share."""

    def __init__(self) -> None:
        self.task: _Task | None = None
        self.size: int = config.NUMBA_NUM_THREADS  # pyright: ignore  made at its import
        self._number = 0
        self._workers: list[_Worker] = []
        self._busy = threading.Lock()

    def run(self, body: Any, parts: int, args: tuple[Any, ...]) -> bool:
        """Run ``body`` on the team; False, and nothing done, if it is at work already."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            self._number += 1
            task = self.task = _Task(self._number, body, parts, args)
            helpers = min(self.size, parts) - 1
            while len(self._workers) < helpers:
                self._workers.append(_Worker(self))
            for worker in self._workers[:helpers]:
                worker.wake()
            body(task.job, *args)
            self.task = None
            task.settle()
        finally:
            self.task = None
            self._busy.release()
        return True


_team = _Team()


def run(body: Any, nbytes: int, *args: Any) -> None:
    """``body(job, *args)`` on as many threads as moving ``nbytes`` is worth."""
    _share(body, nbytes // _PART, nbytes, args)


def run_owned(body: Any, nbytes: int, *args: Any) -> None:
    """As :func:`run`, in about one part a thread: each reads all and writes what it owns.

    The number of parts is a power of two, so that a mask of the row's bits tells the owner.
    """
    parts = max(min(_team.size, nbytes // _PART), 1)
    _share(body, 1 << (parts.bit_length() - 1), nbytes // _OWNED_WORTH, args)


def _share(body: Any, parts: int, nbytes: int, args: tuple[Any, ...]) -> None:
    many = parts > 1 and nbytes >= _WORTH_A_THREAD and _team.size > 1
    if not (many and _team.run(body, parts, args)):
        job = np.zeros(_JOB_SIZE, np.int64)
        job[PARTS] = 1
        body(job, *args)


def run_each(tasks: Sequence[Callable[[], None]], nbytes: int) -> None:
    """Call each of ``tasks``, which move ``nbytes`` in all, on a thread of its own if worth it.

    They must not depend on each other, and spend their time in compiled bodies.
    """
    many = len(tasks) > 1 and nbytes >= _WORTH_A_THREAD and _team.size > 1
    if not (many and _team.run(_each, len(tasks), (tasks,))):
        for task in tasks:
            task()


def _each(job: np.ndarray, tasks: Sequence[Callable[[], None]]) -> None:
    part = _claim(job, -1)
    while part >= 0:
        tasks[part]()
        part = _claim(job, part)


@jit
def _claim(job, finished):
    """:func:`claim` for interpreted bodies."""
    return claim(job, finished)


def set_threads(size: int) -> int:
    """Let kernels use ``size`` threads; returns how many they used before."""
    before, _team.size = _team.size, size
    return before


def _forget_threads() -> None:
    global _team
    size, _team = _team.size, _Team()
    _team.size = size


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
