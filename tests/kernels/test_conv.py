"""Convolution kernels against loops over every tap, and each gradient against its adjoint."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from symgraph.kernels import conv
from symgraph.kernels.conv import (
    col2im,
    convolve,
    convolve_data_gradient,
    convolve_weight_gradient,
    im2col,
)

# (space, kernel, stride, dilate, pad)
WINDOWS = [
    ((7,), (3,), (1,), (1,), (0,)),
    ((7,), (2,), (3,), (2,), (2,)),
    ((1,), (1,), (1,), (1,), (0,)),
    ((5, 7), (2, 3), (2, 1), (3, 2), (1, 2)),
    ((5, 7), (1, 1), (1, 1), (1, 1), (0, 0)),
    ((5, 7), (1, 1), (2, 3), (1, 1), (0, 0)),
    ((5, 7), (1, 1), (1, 2), (1, 1), (1, 0)),
    ((5, 7), (5, 7), (1, 1), (1, 1), (0, 0)),
    ((3, 5, 4), (2, 1, 3), (1, 2, 1), (1, 1, 1), (0, 1, 2)),
]
each_window = pytest.mark.parametrize(
    "window", WINDOWS, ids=lambda w: "-".join(map(str, w[0] + w[1]))
)


def positions(space, kernel, stride, dilate, pad):
    sizes = zip(space, kernel, stride, dilate, pad, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in sizes)


def slow_convolve(data, weight, stride, dilate, pad, groups):
    space, kernel = data.shape[2:], weight.shape[2:]
    out = positions(space, kernel, stride, dilate, pad)
    result = np.zeros((data.shape[0], weight.shape[0], *out), data.dtype)
    filters, channels = weight.shape[0] // groups, weight.shape[1]
    for at, tap in product(np.ndindex(out), np.ndindex(kernel)):
        place = tuple(
            a * s + t * d - p for a, s, t, d, p in zip(at, stride, tap, dilate, pad, strict=True)
        )
        if any(i < 0 or i >= n for i, n in zip(place, space, strict=True)):
            continue
        for g in range(groups):
            x = data[(slice(None), slice(g * channels, (g + 1) * channels), *place)]
            w = weight[(slice(g * filters, (g + 1) * filters), slice(None), *tap)]
            result[(slice(None), slice(g * filters, (g + 1) * filters), *at)] += x @ w.T
    return result


def make(window, groups=1, dtype="float64", samples=2):
    space, kernel, *geometry = window
    rng = np.random.default_rng(5)
    channels, filters = 3 * groups, 2 * groups
    data = rng.uniform(-1, 1, (samples, channels, *space)).astype(dtype)
    weight = rng.uniform(-1, 1, (filters, 3, *kernel)).astype(dtype)
    out = positions(space, kernel, *geometry)
    dout = rng.uniform(-1, 1, (samples, filters, *out)).astype(dtype)
    return data, weight, dout, (*geometry, groups)


@each_window
@pytest.mark.parametrize("groups", [1, 2])
def test_convolve(window, groups):
    data, weight, _, rest = make(window, groups)
    expected = slow_convolve(data, weight, *rest)
    np.testing.assert_allclose(convolve(data, weight, *rest), expected, atol=1e-12)


@each_window
@pytest.mark.parametrize("groups", [1, 2])
def test_gradients_are_adjoints(window, groups):
    """<dout, convolve(x, w)> is linear in x and in w: its gradients reproduce it."""
    data, weight, dout, rest = make(window, groups)
    total = (dout * slow_convolve(data, weight, *rest)).sum()
    ddata = convolve_data_gradient(dout, weight, data.shape[2:], *rest)
    dweight = convolve_weight_gradient(dout, data, weight.shape[2:], *rest)
    assert ddata.shape == data.shape and dweight.shape == weight.shape
    np.testing.assert_allclose((ddata * data).sum(), total)
    np.testing.assert_allclose((dweight * weight).sum(), total)
    other = np.random.default_rng(6).uniform(-1, 1, data.shape)
    expected = (dout * slow_convolve(other, weight, *rest)).sum()
    np.testing.assert_allclose((ddata * other).sum(), expected)
    other = np.random.default_rng(7).uniform(-1, 1, weight.shape)
    expected = (dout * slow_convolve(data, other, *rest)).sum()
    np.testing.assert_allclose((dweight * other).sum(), expected)


@each_window
def test_im2col_and_its_adjoint(window):
    space, kernel, stride, dilate, pad = window
    out = positions(*window)
    data = np.random.default_rng(8).uniform(-1, 1, (2, 3, *space))
    columns = im2col(data, kernel, stride, dilate, pad, out)
    assert columns.shape == (2, 3, *kernel, *out) and columns.flags.c_contiguous
    weight = np.zeros((1, 3, *kernel))
    for tap in np.ndindex(kernel):  # a filter of one tap picks one row of every patch
        weight[:] = 0
        weight[(0, 1, *tap)] = 1
        picked = slow_convolve(data, weight, stride, dilate, pad, 1)[:, 0]
        np.testing.assert_array_equal(columns[(slice(None), 1, *tap)], picked)
    other = np.random.default_rng(9).uniform(-1, 1, columns.shape)
    back = col2im(other, space, kernel, stride, dilate, pad)
    assert back.shape == data.shape
    np.testing.assert_allclose((back * data).sum(), (other * columns).sum())


def test_samples_are_worked_on_in_parts(monkeypatch):
    data, weight, dout, rest = make(WINDOWS[3], samples=5)
    whole = [
        convolve(data, weight, *rest),
        convolve_data_gradient(dout, weight, (5, 7), *rest),
        convolve_weight_gradient(dout, data, (2, 3), *rest),
    ]
    monkeypatch.setattr(conv, "_PATCH_ELEMENTS", 700)  # two samples at a time, then one
    parts = [
        convolve(data, weight, *rest),
        convolve_data_gradient(dout, weight, (5, 7), *rest),
        convolve_weight_gradient(dout, data, (2, 3), *rest),
    ]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-12)


def test_no_sample():
    data, weight, dout, rest = make(WINDOWS[3], samples=0)
    assert convolve(data, weight, *rest).shape == dout.shape
    assert convolve_data_gradient(dout, weight, (5, 7), *rest).shape == data.shape
    assert not convolve_weight_gradient(dout, data, (2, 3), *rest).any()


def test_single_precision_stays_single():
    data, weight, dout, rest = make(WINDOWS[3], dtype="float32")
    assert convolve(data, weight, *rest).dtype == "float32"
    assert convolve_data_gradient(dout, weight, (5, 7), *rest).dtype == "float32"
    assert convolve_weight_gradient(dout, data, (2, 3), *rest).dtype == "float32"
