"""row_sparse and csr arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp

import symgraph as mx
from symgraph import nd
from symgraph.errors import MXNetError, ShapeError, StorageError

DENSE = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 4, 5]], np.float32)


def csr():
    return nd.array(DENSE).tostype("csr")


def rows():
    return nd.array(DENSE).tostype("row_sparse")


def test_conversions_keep_the_values():
    assert csr().indptr.asnumpy().tolist() == [0, 2, 2, 5]
    assert csr().indices.asnumpy().tolist() == [1, 3, 0, 2, 3]
    assert rows().indices.asnumpy().tolist() == [0, 2]
    for a in (csr(), rows()):
        assert a.dtype is np.float32
        np.testing.assert_array_equal(a.asnumpy(), DENSE)
        np.testing.assert_array_equal(a.tostype("default").asnumpy(), DENSE)
        np.testing.assert_array_equal(a.copy().asnumpy(), DENSE)
        np.testing.assert_array_equal(a.T.asnumpy(), DENSE.T)
        np.testing.assert_array_equal(a.astype("int32").asnumpy(), DENSE)
        assert a.as_in_context(mx.cpu(1)).context == mx.cpu(1)
    with pytest.raises(StorageError, match="no direct way from csr to row_sparse"):
        csr().tostype("row_sparse")


def test_nan_is_stored():
    a = nd.array([[0, np.nan]]).tostype("csr")
    assert a.indices.asnumpy().tolist() == [1]


UNORDERED_CSR = {
    "parts": lambda: nd.sparse.csr_matrix(
        ([4, 3, 5, 2, 1], [2, 0, 3, 3, 1], [0, 0, 0, 5]), shape=(3, 4)
    ),
    "coordinates": lambda: nd.sparse.csr_matrix(
        ([4, 3, 5, 2, 1], ([2, 2, 2, 2, 2], [2, 0, 3, 3, 1])), shape=(3, 4)
    ),
}


@pytest.mark.parametrize("how", UNORDERED_CSR)
def test_columns_are_sorted_and_repeated_ones_summed(how):
    a = UNORDERED_CSR[how]()
    assert a.indices.asnumpy().tolist() == [0, 1, 2, 3]
    assert a.data.asnumpy().tolist() == [3, 1, 4, 7]
    assert a.indptr.asnumpy().tolist() == [0, 0, 0, 4]


def test_rows_are_sorted_and_repeated_ones_summed():
    a = nd.sparse.row_sparse_array(([[1, 2], [3, 4], [5, 6]], [3, 1, 3]), shape=(4, 2))
    assert a.indices.asnumpy().tolist() == [1, 3]
    assert a.data.asnumpy().tolist() == [[3, 4], [6, 8]]


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda s: s.row_sparse_array(([[1, 1]], [9]), shape=(4, 2)), "row 9 is out of range"),
        (lambda s: s.row_sparse_array(([[1, 1]], [-1]), shape=(4, 2)), "row -1"),
        (lambda s: s.row_sparse_array(([[1, 1, 1]], [1]), shape=(4, 2)), r"\(1, 3\), but \(1, 2\)"),
        (lambda s: s.row_sparse_array(([[1, 1]], [1, 2]), shape=(4, 2)), "for 2 rows"),
        (lambda s: s.row_sparse_array(([[1, 1]], [0.5]), shape=(4, 2)), "integers"),
        (lambda s: s.csr_matrix(([1.0], [5], [0, 1]), shape=(1, 2)), "column 5"),
        (lambda s: s.csr_matrix(([1.0], [0], [0, 1]), shape=(2, 2)), "2 items, 3 are required"),
        (lambda s: s.csr_matrix(([1.0], [0], [0, 2]), shape=(1, 2)), "must ascend from 0"),
        (lambda s: s.csr_matrix(([1.0, 2], [0, 1], [0, 2, 1, 2]), shape=(3, 2)), "ascend"),
        (lambda s: s.csr_matrix(([1.0], ([3], [0])), shape=(2, 2)), "row 3"),
        (lambda s: s.csr_matrix(np.eye(2), shape=(3, 3)), r"\(2, 2\)"),
        (lambda s: s.csr_matrix([1, 2]), "two dimensions"),
        (lambda s: s.zeros("csr", (2, 3, 4)), "two dimensions"),
        (lambda s: s.zeros("foo", (2, 3)), "unknown storage type 'foo'"),
    ],
)
def test_contradictions_are_refused(f, words):
    with pytest.raises(MXNetError, match=words):
        f(nd.sparse)


def test_shapes_follow_from_the_indices_where_not_given():
    assert nd.sparse.csr_matrix(([1.0, 2], [0, 4], [0, 1, 2])).shape == (2, 5)
    assert nd.sparse.csr_matrix(([1.0, 2], ([0, 1], [2, 0]))).shape == (2, 3)
    assert nd.sparse.row_sparse_array(([[1.0, 2]], [3])).shape == (4, 2)


def test_scipy_both_ways():
    matrix = sp.csr_matrix(DENSE)
    for source in (matrix, matrix.tocoo(), matrix.tocsc()):
        np.testing.assert_array_equal(nd.sparse.csr_matrix(source).asnumpy(), DENSE)
        np.testing.assert_array_equal(nd.array(source).asnumpy(), DENSE)
        assert nd.sparse.array(source).stype == "csr"
    back = csr().asscipy()
    assert (back != matrix).nnz == 0
    back.data[:] = 9
    np.testing.assert_array_equal(csr().asnumpy(), DENSE)


KEYS = [
    1,
    -1,
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(2, 1),
    [0, 2],
    [2, 0, 2],
    np.array([True, False, True]),
    (slice(1, 3), slice(1, 3)),
    (slice(None), 1),
    (2, slice(None)),
    (slice(None), slice(None, None, -1)),
    (slice(None), [3, 0]),
    ([2, 0], [1, 2]),
    (slice(None), slice(1, 1)),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts_of_csr(key):
    found = csr()[key]
    first, second = key if isinstance(key, tuple) else (key, slice(None))
    kept = [np.arange(n)[k] for n, k in zip((3, 4), (first, second), strict=True)]
    expected = DENSE[np.ix_(*map(np.atleast_1d, kept))]
    assert found.stype == "csr"
    np.testing.assert_array_equal(found.asnumpy(), expected)
    found.check_format()


def test_elements_and_bad_keys_of_csr():
    a = csr()
    assert a[2, 3].asnumpy().tolist() == [5]
    assert a[1, -1].asnumpy().tolist() == [0]
    assert a[:] is a
    np.testing.assert_array_equal(a[nd.array([2])].asnumpy(), DENSE[[2]])
    for key in (3, -4, [0, 3], (0, 4), None, "x", 0.5):
        with pytest.raises(IndexError):
            a[key]
    with pytest.raises(StorageError, match="only once"):
        a[:, [1, 1]]


def test_assignment_replaces_the_whole():
    for a in (csr(), rows()):
        a[:] = np.ones((3, 4))
        assert (a.asnumpy() == 1).all()
        a[:] = 0
        assert a.data.shape[0] == 0
        a[:] = nd.array(DENSE)
        np.testing.assert_array_equal(a.asnumpy(), DENSE)
        with pytest.raises(StorageError, match=r"only \[:\]"):
            a[0] = 1
        with pytest.raises(ShapeError):
            a[:] = np.ones((2, 2))
        with pytest.raises(StorageError, match="tostype"):
            a.reshape((4, 3))


def test_copies_do_not_share_memory():
    a, b = rows(), nd.sparse.zeros("row_sparse", (3, 4))
    a.copyto(b)
    b.value.data[:] = 9
    np.testing.assert_array_equal(a.asnumpy(), DENSE)
    part = a.data
    part[:] = 7
    np.testing.assert_array_equal(a.asnumpy(), DENSE)


def test_types_are_kept_on_copying():
    b = nd.sparse.zeros("row_sparse", (3, 4), dtype="float64")
    rows().copyto(b)
    assert b.dtype is np.float64
    assert b.value.data.dtype == np.float64


def test_retain():
    a = rows()
    kept = a.retain(nd.array([2, 1]))
    assert kept.indices.asnumpy().tolist() == [2]
    assert nd.sparse.retain(a, nd.array([0], dtype="int64")).indices.asnumpy().tolist() == [0]
    with pytest.raises(StorageError):
        nd.sparse.retain(csr(), nd.array([0]))


def test_in_place_arithmetic():
    a = rows()
    a += rows()
    np.testing.assert_array_equal(a.asnumpy(), 2 * DENSE)
    a *= 2
    assert a.indices.asnumpy().tolist() == [0, 2]
    a += 1
    np.testing.assert_array_equal(a.asnumpy(), 4 * DENSE + 1)
    assert a.stype == "row_sparse"


def test_format_check():
    from symgraph.storage import RowSparse

    a = rows()
    a.check_format()
    a.value = RowSparse(np.ones((2, 4), np.float32), np.array([2, 2]), (3, 4))
    with pytest.raises(ShapeError, match="stored twice"):
        a.check_format()


def test_on_a_device(strict_device):
    with mx.gpu(0):
        c = nd.array(DENSE).tostype("csr")
        r = nd.array(DENSE).tostype("row_sparse")
        assert c.context == r.context == mx.gpu(0)
        for key in KEYS:
            np.testing.assert_array_equal(c[key].asnumpy(), csr()[key].asnumpy())
        np.testing.assert_array_equal(r.retain(nd.array([2])).asnumpy()[2], DENSE[2])
        r[:] = nd.ones((3, 4), mx.cpu(0))
        assert (r.asnumpy() == 1).all()
        np.testing.assert_array_equal(c.as_in_context(mx.cpu(0)).asnumpy(), DENSE)
        assert nd.sparse.csr_matrix(([1.0], [0], [0, 1])).context == mx.gpu(0)
        assert nd.sparse.zeros("csr", (2, 2)).asnumpy().tolist() == [[0, 0], [0, 0]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(-3, 3)), max_size=20))
def test_coordinates_sum_as_in_a_dense_matrix(items):
    expected = np.zeros((5, 7), np.float32)
    for i, j, v in items:
        expected[i, j] += v
    i, j, v = (np.array([t[k] for t in items], np.int64) for k in range(3))
    a = nd.sparse.csr_matrix((v.astype(np.float32), (i, j)), shape=(5, 7))
    np.testing.assert_array_equal(a.asnumpy(), expected)
    r = nd.sparse.row_sparse_array((v.astype(np.float32), i), shape=(5,))
    np.testing.assert_array_equal(r.asnumpy(), expected.sum(axis=1))
    a.check_format()
    r.check_format()
