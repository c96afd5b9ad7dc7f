"""Every kernel, its reference and its compiled body, against plain loops."""

from __future__ import annotations

import copy
from contextlib import nullcontext

import numpy as np
import pytest
from kernel_cases import CASES, equal

from symgraph.kernels import use_reference
from symgraph.kernels.cpu import threads

BODIES = {"reference": use_reference, "compiled": nullcontext}


@pytest.fixture(params=BODIES)
def body(request):
    with BODIES[request.param]():
        yield request.param


def _check(case, args, dtype):
    """Call the kernel and compare results, changed arrays and unchanged ones."""
    expected_args = copy.deepcopy(args)
    expected = case.expect(*expected_args)
    results = case.kernel(*args)
    equal(results, expected, dtype)
    for got, wanted in zip(args, expected_args, strict=True):
        equal(got, wanted, dtype)


def _strided(value):
    """The same array over memory with gaps; rows stay where they are."""
    if not isinstance(value, np.ndarray):
        return value
    wide = np.zeros((*value.shape, 2), value.dtype)
    wide[..., 0] = value
    return wide[..., 0]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_values(case, dtype, index_dtype, body):
    rng = np.random.default_rng(7)
    _check(case, case.make(rng, dtype, index_dtype, 29), dtype)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("count", [0, 1])
def test_nothing_and_one(case, count, body):
    _check(case, case.make(np.random.default_rng(1), "float32", "int64", count), "float32")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_arrays_with_gaps(case, body):
    args = case.make(np.random.default_rng(2), "float32", "int64", 23)
    _check(case, [_strided(a) for a in args], "float32")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_several_threads(case, monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(threads, "_PART", 100)
    before = threads.set_threads(4)
    try:
        for seed in range(5):
            args = case.make(np.random.default_rng(seed), "float32", "int64", 31)
            _check(case, args, "float32")
    finally:
        threads.set_threads(before)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_small_integers_as_indices(case, body):
    args = case.make(np.random.default_rng(3), "float32", "int8", 17)
    _check(case, args, "float32")
