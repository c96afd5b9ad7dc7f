"""What surrounds the compiled bodies: threads, forks, and a cache that cannot be written."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from symgraph.kernels import scatter
from symgraph.kernels.cpu import threads

ADD = """
import numpy as np
from symgraph.kernels.scatter import scatter_add
dst = np.zeros((3, 2))
scatter_add(dst, np.array([2, 0, 2]), np.ones((3, 2)))
print(dst[:, 0].tolist())
"""


@pytest.fixture
def many_threads(monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(threads, "_PART", 64)
    before = threads.set_threads(3)
    yield
    threads.set_threads(before)


def _adds_up() -> bool:
    dst = np.zeros((1000, 4))
    index = np.arange(5000) % 1000
    scatter.scatter_add(dst, index, np.ones((5000, 4)))
    return bool((dst == 5).all())


def test_several_callers_at_once(many_threads):
    right = []
    callers = [
        threading.Thread(target=lambda: right.extend(_adds_up() for _ in range(50)))
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert right == [True] * 200


def test_workers_hold_no_array_after_a_call(many_threads):
    for _ in range(20):
        assert _adds_up()
    assert threads._team.task is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(many_threads):
    assert _adds_up()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_adds_up).get(timeout=60)


def test_an_error_in_another_thread_reaches_the_caller(many_threads):
    caller = threading.get_ident()
    entered = threading.Event()

    def body(job):
        if threading.get_ident() != caller:
            job[threads.NEXT] += 1
            entered.set()
            raise MemoryError("no room")
        entered.wait(30)

    with pytest.raises(MemoryError, match="no room"):
        threads.run(body, 2 * threads._PART)


@pytest.mark.skipif(os.name == "nt", reason="a directory cannot be made read-only this way")
def test_works_where_nothing_can_be_cached(tmp_path):
    locked = tmp_path / "file"
    locked.touch()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(locked / "cache")}
    shown = subprocess.run(
        [sys.executable, "-c", ADD], env=environment, capture_output=True, text=True, timeout=120
    )
    assert shown.stdout == "[1.0, 0.0, 2.0]\n", shown.stderr


def test_works_where_numba_compiles_nothing():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    shown = subprocess.run(
        [sys.executable, "-c", ADD], env=environment, capture_output=True, text=True, timeout=120
    )
    assert shown.stdout == "[1.0, 0.0, 2.0]\n", shown.stderr
