"""How a kernel chooses its body, and what it refuses."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from symgraph.kernels import kernel, scatter, segment, sparse, update, use_reference


class Tagged(np.ndarray):
    """An array type of its own."""


@kernel
def which(xp, array, factor=1):
    """Name of the body that ran."""
    return f"reference of {xp.__name__} * {factor}"


def test_reference_gets_the_namespace_of_its_argument():
    assert which(np.zeros(1), factor=3) == "reference of numpy * 3"


def test_registered_body_serves_its_type_and_subclasses_until_a_nearer_one_comes():
    probe = kernel(which.reference)
    assert probe(np.zeros(1)) == "reference of numpy * 1"
    probe.register(np.ndarray)(lambda array, factor=1: "array")
    assert probe(np.zeros(1).view(Tagged)) == "array"
    probe.register(Tagged)(lambda array, factor=1: "tagged")
    assert [probe(np.zeros(1).view(Tagged)), probe(np.zeros(1))] == ["tagged", "array"]


def test_use_reference_chooses_the_reference_and_ends():
    probe = kernel(which.reference)
    probe.register(np.ndarray)(lambda array, factor=1: "array")
    chosen_before = probe.body_for(np.zeros(1))
    with use_reference():
        assert probe(np.zeros(1)) == "reference of numpy * 1"
        assert chosen_before(np.zeros(1)) == "array"
    assert probe(np.zeros(1)) == "array"


def test_a_list_is_refused_by_name():
    with pytest.raises(TypeError, match=r"got a list where an array is required \(numpy.ndarray"):
        which([1, 2])


def test_signature_and_name_are_those_of_the_reference_without_the_namespace():
    assert str(inspect.signature(which)) == "(array, factor=1)"
    assert which.__name__ == "which"
    assert which.__doc__ == "Name of the body that ran."


def test_numba_stays_out_until_an_array_comes():
    script = (
        "import sys, symgraph.kernels.update as u, symgraph.kernels.sparse\n"
        "assert 'numba' not in sys.modules\n"
        "import numpy as np\n"
        "u.sgd_dense(np.zeros(3), np.ones(3), .1, 0, 1, None)\n"
        "assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
OPTIONS = (0.1, 0.0, 1.0, None)
CALLS = {
    "scatter_add": lambda i: scatter.scatter_add(TABLE, i, np.ones((i.size, 3), "f")),
    "put_rows": lambda i: scatter.put_rows(TABLE, i, np.ones((i.size, 3), "f")),
    "take_rows": lambda i: scatter.take_rows(np.ones((4, 3), "f"), i, TABLE[: i.size]),
    "unique_rows": lambda i: segment.unique_rows(i, 4),
    "unique_rows_sum": lambda i: segment.unique_rows_sum(i, np.ones((i.size, 3), "f"), 4),
    "sgd_rows": lambda i: update.sgd_rows(TABLE, i, np.ones((i.size, 3), "f"), *OPTIONS),
    "csr_dot": lambda i: sparse.csr_dot(
        np.ones(i.size, "f"), i, np.array([0, i.size]), np.ones((4, 3), "f"), TABLE[:1]
    ),
    "csr_dot_transposed": lambda i: sparse.csr_dot_transposed(
        np.ones(i.size, "f"), i, np.array([0, i.size]), np.ones((1, 3), "f"), 4
    ),
    "csr_dot_transposed_dense": lambda i: sparse.csr_dot_transposed_dense(
        np.ones(i.size, "f"), i, np.array([0, i.size]), np.ones((1, 3), "f"), TABLE
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("bad", [4, -1, 2**31, -(2**62)])
@pytest.mark.parametrize("reference", [False, True])
def test_a_bad_index_is_named_and_nothing_is_changed(call, bad, reference):
    before = TABLE.copy()
    with pytest.raises(IndexError, match=f"index {bad} at position 2"):
        if reference:
            with use_reference():
                CALLS[call](np.array([3, 0, bad]))
        else:
            CALLS[call](np.array([3, 0, bad]))
    np.testing.assert_array_equal(TABLE, before)


@pytest.mark.parametrize("indptr", [[0, 2], [1, 3], [0, 4, 3], [0, -1, 3], []])
@pytest.mark.parametrize("reference", [False, True])
def test_a_bad_indptr_is_refused(indptr, reference):
    rows = max(len(indptr) - 1, 0)
    starts = np.array(indptr, np.int64)
    args = np.ones(3, "f"), np.zeros(3, np.int64), starts

    def call():
        with pytest.raises(IndexError, match="indptr does not ascend from 0 to 3"):
            sparse.csr_dot(*args, np.ones((4, 2), "f"), np.ones((rows, 2), "f"))
        with pytest.raises(IndexError, match="indptr does not ascend from 0 to 3"):
            sparse.csr_dot_transposed(*args, np.ones((rows, 2), "f"), 4)

    if reference:
        with use_reference():
            call()
    else:
        call()


@pytest.mark.parametrize("wrong", [(3, 2), (2, 3), (3,)])
def test_rows_that_do_not_fit_are_refused_rather_than_read_past_their_end(wrong):
    index, src = np.array([0, 1, 2]), np.ones(wrong, "f")
    before = TABLE.copy()
    for call in (
        lambda: scatter.scatter_add(TABLE, index, src[:, :2] if len(wrong) > 1 else src[:2]),
        lambda: update.sgd_rows(TABLE, index, src[:2], *OPTIONS),
    ):
        with pytest.raises((ValueError, IndexError)):
            call()
    np.testing.assert_array_equal(TABLE, before)


def test_float_indices_are_refused():
    with pytest.raises(TypeError, match="indices are float32, but integers are required"):
        segment.unique_rows(np.ones(3, "f"), 4)


@pytest.mark.parametrize("index", [[], [0], [3, 1, 3]])
def test_check_rows_finds_none(index):
    assert scatter.check_rows(np.array(index, np.int64), 4) == -1


def test_check_rows_of_no_rows():
    assert scatter.check_rows(np.array([0]), 0) == 0
