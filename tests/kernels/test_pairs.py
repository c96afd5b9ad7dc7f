"""Inner products of rows: compiled and reference bodies against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from symgraph.kernels import use_reference
from symgraph.kernels.pairs import row_dot, row_dot_gradients
from symgraph.kernels.segment import without_repeats


@pytest.fixture(params=["compiled", "reference"])
def body(request):
    if request.param == "compiled":
        yield
    else:
        with use_reference():
            yield


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("count", "width"), [(0, 3), (5, 1), (40, 7), (9000, 64)])
def test_row_dot_and_its_gradient(body, dtype, count, width) -> None:
    rng = np.random.RandomState(count + width)
    lhs, rhs = rng.randn(30, width).astype(dtype), rng.randn(50, width).astype(dtype)
    a, b = rng.randint(30, size=count), rng.randint(50, size=count)
    out = np.empty(count, dtype)
    row_dot(lhs, a, rhs, b, out)
    tight = 1e-4 if dtype == "float32" else 1e-11
    expected = (lhs[a].astype("float64") * rhs[b]).sum(1)
    np.testing.assert_allclose(out, expected, rtol=tight, atol=tight)
    scale = rng.randn(count).astype(dtype)
    grads = row_dot_gradients(scale, lhs, a, rhs, b, (True, True))
    for grad, table, rows, factors in zip(grads, (lhs, rhs), (a, b), (rhs[b], lhs[a]), strict=True):
        dense = np.zeros(table.shape)
        np.add.at(dense, rows, scale[:, None].astype("float64") * factors)
        grad = without_repeats(grad)
        assert grad.indices.tolist() == sorted(set(rows))
        assert grad.data.dtype == dtype
        np.testing.assert_allclose(grad.data, dense[grad.indices], rtol=10 * tight, atol=10 * tight)


def test_only_what_is_wanted_is_computed(body) -> None:
    table, rows, scale = np.ones((4, 2)), np.array([1, 1]), np.array([2.0, 3.0])
    left, right = row_dot_gradients(scale, table, rows, table, rows, (False, True))
    assert left is None
    assert without_repeats(right).data.tolist() == [[5, 5]]


def test_nan_and_infinity_go_through(body) -> None:
    lhs = np.array([[np.nan, 1], [np.inf, 1], [1, 2]], "float32")
    out = np.empty(3, "float32")
    row_dot(lhs, np.arange(3), np.ones((1, 2), "float32"), np.zeros(3, "int64"), out)
    np.testing.assert_array_equal(out, [np.nan, np.inf, 3])


def test_strided_tables(body) -> None:
    wide = np.arange(24, dtype="float32").reshape(4, 6)
    out = np.empty(2, "float32")
    row_dot(wide[:, ::2], np.array([0, 3]), wide[:, ::2], np.array([1, 1]), out)
    assert out.tolist() == [0 * 6 + 2 * 8 + 4 * 10, 18 * 6 + 20 * 8 + 22 * 10]


@pytest.mark.parametrize("bad", [-1, 4, 10**12, -(10**12)])
@pytest.mark.parametrize("many", [1, 9000])
def test_a_row_out_of_range_is_refused(bad: int, many: int) -> None:
    table, out = np.ones((4, 2), "float32"), np.zeros(many, "float32")
    good, wrong = np.zeros(many, "int64"), np.zeros(many, "int64")
    wrong[-1] = bad
    for a, b in ((good, wrong), (wrong, good)):
        with pytest.raises(IndexError, match=f"index {bad} at position {many - 1} is given"):
            row_dot(table, a, table, b, out)
        with pytest.raises(IndexError, match=f"index {bad} at position {many - 1} is given"):
            row_dot_gradients(out, table, a, table, b, (True, True))
    assert out[-1] == 0
