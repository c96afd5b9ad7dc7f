"""Iterators against what MXNet hands out, and on what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx

GOLDEN = Path(__file__).parents[1] / "golden" / "module"
RECORDED = json.loads((GOLDEN / "iterators.json").read_text(encoding="utf-8"))
ARRAYS = np.load(GOLDEN / "iterators.npz")


def recorded_array(described):
    where = described["npz"]
    return ARRAYS[where if isinstance(where, str) else where["dense"]]


def recorded_rows(case, count):
    first = [b for b in RECORDED[case]["batches"] if b["epoch"] == 0]
    return np.concatenate([recorded_array(b["data"][0]) for b in first])[:count]


X = recorded_rows("ndarrayiter_pad", 10)
Y = np.arange(10, dtype="float32")
SPARSE = recorded_rows("ndarrayiter_csr", 6)


def over(**kwargs):
    return mx.io.NDArrayIter(X, Y, **kwargs)


MAKE = {
    "libsvm_batch3": lambda: mx.io.LibSVMIter(
        data_libsvm=GOLDEN / "a.libsvm", data_shape=(10,), batch_size=3
    ),
    "libsvm_label_file": lambda: mx.io.LibSVMIter(
        data_libsvm=GOLDEN / "a.libsvm",
        data_shape=(10,),
        label_libsvm=GOLDEN / "labels.libsvm",
        label_shape=(3,),
        batch_size=7,
    ),
    "csv_batch3": lambda: mx.io.CSVIter(
        data_csv=GOLDEN / "x.csv", data_shape=(4,), label_csv=GOLDEN / "y.csv", batch_size=3
    ),
    "csv_2x2_no_round": lambda: mx.io.CSVIter(
        data_csv=GOLDEN / "x.csv", data_shape=(2, 2), batch_size=2, round_batch=False
    ),
    "ndarrayiter_pad": lambda: over(batch_size=4),
    "ndarrayiter_discard": lambda: over(batch_size=4, last_batch_handle="discard"),
    "ndarrayiter_roll_over": lambda: over(batch_size=4, last_batch_handle="roll_over"),
    "ndarrayiter_dict": lambda: mx.io.NDArrayIter(
        {"b": X, "a": X * 2}, {"lab2": Y, "lab1": Y + 1}, 5
    ),
    "ndarrayiter_list": lambda: mx.io.NDArrayIter([X, X * 3], Y, 5, data_name="d", label_name="l"),
    "ndarrayiter_nolabel": lambda: mx.io.NDArrayIter(X, None, 5),
    "ndarrayiter_csr": lambda: mx.io.NDArrayIter(
        mx.nd.array(SPARSE).tostype("csr"), Y[:6], 2, last_batch_handle="discard"
    ),
    "ndarrayiter_too_big_batch": lambda: over(batch_size=20),
    "resize_iter": lambda: mx.io.ResizeIter(over(batch_size=4), 5),
    "prefetching_iter": lambda: mx.io.PrefetchingIter(over(batch_size=5)),
}


@pytest.mark.parametrize("name", MAKE)
def test_recorded_batches(name):
    recorded = RECORDED[name]
    iterator = MAKE[name]()
    assert [str(d) for d in iterator.provide_data] == recorded["provide_data"]
    assert [str(d) for d in iterator.provide_label] == recorded["provide_label"]
    epochs = sorted({b["epoch"] for b in recorded["batches"]})
    for epoch in epochs:
        wanted = [b for b in recorded["batches"] if b["epoch"] == epoch]
        batches = list(iterator)
        assert len(batches) == len(wanted)
        for batch, want in zip(batches, wanted, strict=True):
            assert (batch.pad or 0) == want["pad"]
            if want["index"] is not None:
                assert batch.index.tolist() == want["index"]
            check_arrays(batch.data, want["data"])
            check_arrays(batch.label, want["label"] or [])
        iterator.reset()


def check_arrays(found, wanted):
    assert len(found) == len(wanted)
    for array, described in zip(found, wanted, strict=True):
        # MXNet's own parser of numbers is off by one unit in the last place.
        np.testing.assert_allclose(array.asnumpy(), recorded_array(described), rtol=2e-7)
        if described["stype"] == "csr":
            assert array.stype == "csr"


def test_refusals_of_mxnet_are_refusals_here():
    with pytest.raises(mx.MXNetError, match="round_batch"):
        mx.io.LibSVMIter(GOLDEN / "a.libsvm", (10,), 3, round_batch=False)
    with pytest.raises(mx.MXNetError, match="data has 3 rows, but softmax_label has 4"):
        mx.io.NDArrayIter(np.ones(3), np.ones(4), 1)


def test_csr_stays_csr_and_wraps_around():
    rows = np.arange(20, dtype="float32").reshape(5, 4)
    batches = list(mx.io.NDArrayIter(mx.nd.array(rows).tostype("csr"), np.arange(5), 2))
    assert [b.pad for b in batches] == [0, 0, 1]
    assert {b.data[0].stype for b in batches} == {"csr"}
    np.testing.assert_array_equal(batches[-1].data[0].asnumpy(), rows[[4, 0]])


@pytest.mark.parametrize("sparse", [False, True])
def test_shuffled_rows_stay_with_their_labels(sparse):
    rows = np.arange(1, 15, dtype="float32").reshape(7, 2)
    data = mx.nd.array(rows).tostype("csr") if sparse else rows
    iterator = mx.io.NDArrayIter(data, np.arange(7), 3, shuffle=True)
    orders = []
    for _ in range(3):
        order = []
        for batch in iterator:
            labels = batch.label[0].asnumpy().astype(int)
            np.testing.assert_array_equal(batch.data[0].asnumpy(), rows[labels])
            order += labels[: 3 - batch.pad].tolist()
        assert sorted(order) == list(range(7))
        orders.append(order)
        iterator.reset()
    assert orders[0] != orders[1] or orders[1] != orders[2]


def test_numpys_seed_repeats_the_order():
    def order():
        np.random.seed(1)
        iterator = mx.io.NDArrayIter(np.arange(6), None, 2, shuffle=True)
        return [b.data[0].asnumpy().tolist() for b in iterator]

    assert order() == [[2, 1], [4, 0], [3, 5]]
    assert order() == order()


def test_the_callers_dict_is_left_alone():
    given = {"b": np.ones(4), "a": [1, 2, 3, 4]}
    iterator = mx.io.NDArrayIter(given, None, 2)
    assert isinstance(given["b"], np.ndarray)
    assert given["a"] == [1, 2, 3, 4]
    assert [d.name for d in iterator.provide_data] == ["a", "b"]


def test_integers_become_float32_unless_that_would_round_them():
    small = mx.io.NDArrayIter(np.arange(4), None, 2)
    assert small.provide_data[0].dtype == np.float32
    ids = np.array([2**24 + 1, 5, 7, 9])
    exact = mx.io.NDArrayIter(ids, None, 2)
    assert exact.provide_data[0].dtype == np.int64
    assert next(exact).data[0].asnumpy().tolist() == [2**24 + 1, 5]
    kept = mx.io.NDArrayIter(mx.nd.array([1, 2], dtype="int32"), None, 1)
    assert kept.provide_data[0].dtype == np.int32


@pytest.mark.parametrize(
    ("rows", "size", "epochs"),
    [
        (5, 4, [[([0, 1, 2, 3], 0)], [([4, 0, 1, 2], 1)], [([3, 4, 0, 1], 2)]]),
        (7, 4, [[([0, 1, 2, 3], 0)], [([4, 5, 6, 0], 3), ([1, 2, 3, 4], 0)]]),
    ],
)
def test_rows_roll_over(rows, size, epochs):
    iterator = mx.io.NDArrayIter(np.arange(rows), None, size, last_batch_handle="roll_over")
    for wanted in epochs:
        assert [(b.data[0].asnumpy().tolist(), b.pad) for b in iterator] == wanted
        iterator.reset()


def test_an_interrupted_epoch_rolls_nothing_over():
    iterator = mx.io.NDArrayIter(np.arange(5), None, 2, last_batch_handle="roll_over")
    next(iterator)
    iterator.reset()
    assert next(iterator).data[0].asnumpy().tolist() == [0, 1]
    list(iterator)
    iterator.hard_reset()
    assert next(iterator).data[0].asnumpy().tolist() == [0, 1]


def test_fewer_rows_than_a_batch():
    assert list(mx.io.NDArrayIter(np.ones(3), None, 5, last_batch_handle="discard")) == []
    assert list(mx.io.NDArrayIter(np.ones(3), None, 5, last_batch_handle="roll_over")) == []


def test_getters_follow_iter_next():
    iterator = mx.io.NDArrayIter(np.arange(3), np.arange(3) * 2, 2)
    with pytest.raises(ValueError, match="no current batch"):
        iterator.getdata()
    assert iterator.iter_next()
    assert iterator.iter_next()
    assert iterator.getdata()[0].asnumpy().tolist() == [2, 0]
    assert iterator.getlabel()[0].asnumpy().tolist() == [4, 0]
    assert (iterator.getpad(), iterator.getindex()) == (1, None)
    assert not iterator.iter_next()


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"data": "x"}, TypeError, "Invalid type"),
        ({"data": {"a": "x"}}, TypeError, "for a"),
        ({"data": None}, AssertionError, "at least one array"),
        ({"data": np.float32(3)}, ValueError, "an axis of samples"),
        ({"data": X, "last_batch_handle": "keep"}, ValueError, "'keep'"),
        ({"data": X, "batch_size": 0}, ValueError, "at least 1"),
        ({"data": mx.nd.sparse.zeros("row_sparse", (3, 2))}, TypeError, "row_sparse"),
    ],
)
def test_what_cannot_be_iterated_is_refused(kwargs, error, words):
    with pytest.raises(error, match=words):
        mx.io.NDArrayIter(**kwargs)


def test_descriptions_are_pairs_with_more_beside():
    desc = mx.io.DataDesc("a", (2, 3), "float16", "TNC")
    name, shape = desc
    assert (name, shape, desc.dtype, desc.layout) == ("a", (2, 3), "float16", "TNC")
    assert desc == ("a", (2, 3))
    assert [mx.io.DataDesc.get_batch_axis(layout) for layout in ("TNC", None, "TC")] == [1, 0, -1]
    typed = mx.io.DataDesc.get_list([("a", (1,))], [("a", "int32")])
    assert str(typed) == "[DataDesc[a,(1,),int32,NCHW]]"


def test_a_batch_holds_lists():
    with pytest.raises(AssertionError, match="must be list"):
        mx.io.DataBatch(mx.nd.ones(2))
    batch = mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones(2)])
    assert str(batch) == "DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]"


def test_prefetching_joins_iterators_under_other_names():
    one = mx.io.NDArrayIter({"z": np.arange(4), "a": np.arange(4) + 10}, None, 2)
    other = mx.io.NDArrayIter(np.arange(4) + 20, np.arange(4), 2)
    both = mx.io.PrefetchingIter([one, other], rename_data=[{"a": "aa"}, {"data": "dd"}])
    assert [d.name for d in both.provide_data] == ["aa", "z", "dd"]
    for _ in range(2):
        batches = list(both)
        assert [a.asnumpy().tolist() for a in batches[1].data] == [[12, 13], [2, 3], [22, 23]]
        both.reset()


def test_prefetching_passes_an_error_on():
    class Broken(mx.io.DataIter):
        provide_data = (mx.io.DataDesc("data", (2,)),)
        provide_label = ()

        def next(self):
            raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        next(mx.io.PrefetchingIter(Broken()))


def libsvm(tmp_path, text, **kwargs):
    file = tmp_path / "a.txt"
    file.write_text(text)
    return mx.io.LibSVMIter(file, **{"data_shape": (4,), "batch_size": 1, **kwargs})


def test_libsvm_comments_and_several_labels(tmp_path):
    text = "# head\n1,2 qid:3 0:5 3:7  # note\n\n+1,-1 1:2\n"
    first, second = libsvm(tmp_path, text, label_shape=(2,))
    assert first.label[0].asnumpy().tolist() == [[1, 2]]
    assert first.data[0].asnumpy().tolist() == [[5, 0, 0, 7]]
    assert second.label[0].asnumpy().tolist() == [[1, -1]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0:1\n1 4:1\n", "line 2: index 4 is out of range for 4 features counted from zero"),
        ("1 -1:1\n", "index -1 is out of range"),
        ("1 0:x\n", "line 1: 'label index:value ...' is required"),
        ("1,2 0:1\n", "2 labels came, 1 are required"),
    ],
)
def test_libsvm_says_in_which_line_it_went_wrong(tmp_path, text, words):
    with pytest.raises(mx.MXNetError) as caught:
        libsvm(tmp_path, text)
    assert words in str(caught.value)


def test_csv_of_another_width_is_refused(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("1,2,3\n")
    with pytest.raises(mx.MXNetError, match="3 numbers a line"):
        mx.io.CSVIter(file, (2,), 1)
    with pytest.raises(mx.MXNetError, match="cannot read"):
        mx.io.CSVIter(tmp_path / "missing.csv", (2,), 1)
