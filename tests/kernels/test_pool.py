"""Pooling kernels, reference and compiled, against loops over windows."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from symgraph.kernels import use_reference
from symgraph.kernels.cpu import threads
from symgraph.kernels.pool import max_pool, max_pool_gradient, sum_pool, sum_pool_gradient

# (space, kernel, stride, pad, out): out may let windows reach over the end, or lie beyond it
WINDOWS = [
    ((7,), (3,), (2,), (1,), (4,)),
    ((5,), (2,), (4,), (1,), (3,)),
    ((1,), (1,), (1,), (0,), (1,)),
    ((5, 7), (2, 3), (1, 1), (0, 0), (4, 5)),
    ((5, 7), (2, 3), (3, 2), (0, 1), (3, 4)),
    ((5, 7), (3, 3), (1, 2), (2, 2), (7, 5)),
    ((5, 7), (5, 7), (1, 1), (0, 0), (1, 1)),
    ((9, 8), (9, 8), (1, 1), (0, 0), (1, 1)),
    ((3, 5, 4), (2, 1, 3), (1, 2, 1), (1, 0, 1), (4, 3, 4)),
]
each_window = pytest.mark.parametrize(
    "window", WINDOWS, ids=lambda w: "-".join(map(str, w[0] + w[1]))
)
BODIES = {"reference": use_reference, "compiled": nullcontext}


@pytest.fixture(params=BODIES, autouse=True)
def body(request):
    with BODIES[request.param]():
        yield request.param


def reached(window):
    """For every position, the elements under it: (tap number, place) pairs."""
    space, kernel, stride, pad, out = window
    for at in np.ndindex(out):
        found = []
        for number, tap in enumerate(np.ndindex(kernel)):
            place = tuple(a * s + t - p for a, s, t, p in zip(at, stride, tap, pad, strict=True))
            if all(0 <= i < n for i, n in zip(place, space, strict=True)):
                found.append((number, place))
        yield at, found


def slow_pool(data, window):
    """(sums, maxima, taps of the maxima)."""
    lowest = np.finfo(data.dtype).min
    sums = np.zeros((*data.shape[:2], *window[-1]), data.dtype)
    best, taps = np.full_like(sums, lowest), np.full(sums.shape, -1, "int32")
    for plane in np.ndindex(data.shape[:2]):
        for at, found in reached(window):
            for number, place in found:
                value = data[plane + place]
                sums[plane + at] += value
                if value > best[plane + at]:
                    best[plane + at], taps[plane + at] = value, number
    return sums, best, taps


def make(window, dtype="float64", kind="uniform"):
    rng = np.random.default_rng(4)
    shape = (2, 3, *window[0])
    data = rng.uniform(-1, 1, shape) if kind == "uniform" else rng.integers(-1, 2, shape)
    return data.astype(dtype), rng.uniform(-1, 1, (2, 3, *window[-1])).astype(dtype)


@each_window
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("kind", ["uniform", "ties"])
def test_max(window, dtype, kind):
    data, _ = make(window, dtype, kind)
    _, best, taps = slow_pool(data, window)
    values, places = max_pool(data, *window[1:])
    assert values.dtype == dtype and places.dtype == "int32"
    np.testing.assert_array_equal(values, best)
    np.testing.assert_array_equal(places, taps)


@each_window
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_max_gradient(window, dtype):
    data, dout = make(window, dtype, "ties")
    taps = slow_pool(data, window)[2]
    expected = np.zeros_like(data)
    for plane in np.ndindex(data.shape[:2]):
        for at, found in reached(window):
            for number, place in found:
                expected[plane + place] += dout[plane + at] * (taps[plane + at] == number)
    grad = max_pool_gradient(dout, taps, window[0], *window[1:-1])
    assert grad.dtype == dtype
    np.testing.assert_allclose(grad, expected, rtol=1e-6, atol=1e-6)


@each_window
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sum_and_its_adjoint(window, dtype):
    data, dout = make(window, dtype)
    sums = slow_pool(data, window)[0]
    found = sum_pool(data, *window[1:])
    assert found.dtype == dtype
    np.testing.assert_allclose(found, sums, rtol=1e-5, atol=1e-6)
    expected = np.zeros_like(data)
    for plane in np.ndindex(data.shape[:2]):
        for at, elements in reached(window):
            for _, place in elements:
                expected[plane + place] += dout[plane + at]
    grad = sum_pool_gradient(dout, window[0], *window[1:-1])
    assert grad.dtype == dtype
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)


def test_a_nan_is_the_maximum():
    data = np.array([1, np.nan, 3, 2, -np.inf, -np.inf]).reshape(1, 1, 6)
    values, places = max_pool(data, (2,), (1,), (0,), (5,))
    lowest = np.finfo(float).min
    np.testing.assert_array_equal(values[0, 0], [np.nan, np.nan, 3, 2, lowest])
    np.testing.assert_array_equal(places[0, 0], [1, 0, 0, 0, -1])


def test_views_with_gaps():
    window = WINDOWS[4]
    data, dout = (np.repeat(a, 2, axis=-1)[..., ::2] for a in make(window))
    sums, best, taps = slow_pool(data, window)
    np.testing.assert_allclose(sum_pool(data, *window[1:]), sums)
    np.testing.assert_array_equal(max_pool(data, *window[1:])[0], best)
    plain = max_pool_gradient(dout.copy(), taps, window[0], *window[1:-1])
    np.testing.assert_array_equal(max_pool_gradient(dout, taps, window[0], *window[1:-1]), plain)


def test_several_threads(body, monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(threads, "_PART", 100)
    before = threads.set_threads(4)
    try:
        test_max(WINDOWS[5], "float32", "ties")
        test_max_gradient(WINDOWS[5], "float32")
        test_sum_and_its_adjoint(WINDOWS[5], "float32")
    finally:
        threads.set_threads(before)
