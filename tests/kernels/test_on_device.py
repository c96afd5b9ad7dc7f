"""The reference bodies on the strict stand-in of a device: right, and without waiting for it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from kernel_cases import CASES, equal
from strict.device import DeviceArray, make_backend, no_syncs, sync_count

from symgraph.kernels import scatter

BACKEND = make_backend()
SIZE_DEPENDS_ON_DATA = {"unique_rows", "unique_rows_sum", "csr_dot_transposed"}


def _moved(value):
    return BACKEND.from_host(value) if isinstance(value, np.ndarray) else value


def _back(value):
    if isinstance(value, tuple):
        return tuple(_back(v) for v in value)
    return BACKEND.to_host(value) if isinstance(value, DeviceArray) else value


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("count", [0, 1, 29])
def test_values_without_waiting(case, index_dtype, count):
    args = case.make(np.random.default_rng(5), "float32", index_dtype, count)
    expected_args = copy.deepcopy(args)
    expected = case.expect(*expected_args)
    moved = [_moved(a) for a in args]
    if case.name in SIZE_DEPENDS_ON_DATA:
        before = sync_count()
        results = case.kernel(*moved)
        assert sync_count() == before + 1
    else:
        with no_syncs():
            results = case.kernel(*moved)
    equal(_back(results), expected, "float32")
    for got, wanted in zip(moved, expected_args, strict=True):
        equal(_back(got), wanted, "float32")


def test_adds_integers_which_a_device_cannot_add_atomically():
    dst = BACKEND.from_host(np.array([1, -5, 7]))
    with no_syncs():
        scatter.scatter_add(dst, _moved(np.array([1, 1, 0])), _moved(np.array([-2, 9, -8])))
    np.testing.assert_array_equal(BACKEND.to_host(dst), [-7, 2, 7])
