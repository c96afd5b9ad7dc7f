"""The ``local`` store in detail: refusals that change nothing, storage types, memory, threads."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import DTypeError, FormatError, KVStoreError, ShapeError, StorageError
from symgraph.kvstore import KVStoreBase

nd = mx.nd


@pytest.fixture
def kv():
    store = mx.kv.create("local")
    store.init(["w", "e"], [nd.ones((2, 3)), table(4).tostype("row_sparse")])
    return store


def table(rows, width=2):
    return nd.array(np.arange(1, rows * width + 1).reshape(rows, width))


def sparse(data, indices, shape):
    return nd.sparse.row_sparse_array((np.array(data, "float32"), indices), shape=shape)


def value_of(kv, key, shape):
    out = nd.zeros(shape)
    kv.pull(key, out=out)
    return out.asnumpy()


def contents(kv):
    return {key: value_of(kv, key, stored.shape).tolist() for key, stored in kv._values.items()}


# ---- refusals -----------------------------------------------------------------------

REFUSED = {
    "push shape": (
        lambda kv: kv.push(["w", "e"], [nd.ones((2, 3)) * 5, nd.ones((4, 3))]),
        ShapeError,
        r"key 'e' holds shape \(4, 2\), but a value of shape \(4, 3\)",
    ),
    "push one of a list": (
        lambda kv: kv.push("w", [nd.ones((2, 3)), nd.ones((3, 2))]),
        ShapeError,
        r"'w'.*\(2, 3\).*\(3, 2\)",
    ),
    "push unknown": (
        lambda kv: kv.push(["w", "x"], [nd.ones((2, 3)) * 5, nd.ones((2, 3))]),
        KVStoreError,
        "'x' was never initialised",
    ),
    "push int key": (
        lambda kv: kv.push(3, nd.ones((2, 3))),
        KVStoreError,
        "key 3 is int, but this store has str keys such as 'w'",
    ),
    "init mixed": (
        lambda kv: kv.init(["v", 3], [nd.ones((1,)), nd.ones((1,))]),
        KVStoreError,
        "cannot be mixed",
    ),
    "init twice": (
        lambda kv: kv.init(["v", "v"], [nd.ones((1,)), nd.ones((1,))]),
        KVStoreError,
        "2 values came for key 'v'",
    ),
    "init csr": (
        lambda kv: kv.init(["v", "c"], [nd.ones((1,)), nd.ones((2, 2)).tostype("csr")]),
        StorageError,
        "'c' is csr",
    ),
    "init numpy": (
        lambda kv: kv.init("v", np.ones(2)),
        TypeError,
        "NDArray is required for key 'v', but a numpy.ndarray",
    ),
    "init float key": (lambda kv: kv.init(1.5, nd.ones((1,))), TypeError, "1.5"),
    "init bool key": (lambda kv: kv.init(True, nd.ones((1,))), TypeError, "True"),
    "lists differ": (
        lambda kv: kv.push(["w", "e"], [nd.ones((2, 3))]),
        KVStoreError,
        "2 keys came in a list, so a list of 2 items is required, but a list of 1",
    ),
    "pull without out": (lambda kv: kv.pull("w"), KVStoreError, "out is required for key 'w'"),
    "pull shape": (
        lambda kv: kv.pull(["w", "e"], out=[nd.zeros((2, 3)), nd.zeros((2, 3))]),
        ShapeError,
        r"'e' holds shape \(4, 2\), but out has shape \(2, 3\)",
    ),
    "pull csr": (
        lambda kv: kv.pull("w", out=nd.zeros((2, 3)).tostype("csr")),
        StorageError,
        "csr",
    ),
    "pushpull": (
        lambda kv: kv.pushpull("w", nd.ones((2, 3)) * 5, out=nd.ones((3,))),
        ShapeError,
        "pushpull: key 'w'",
    ),
    "broadcast": (
        lambda kv: kv.broadcast("v", nd.ones((2,)), out=nd.ones((3,))),
        ShapeError,
        "broadcast: key 'v'",
    ),
    "row out of range": (
        lambda kv: kv.row_sparse_pull("e", out=nd.zeros((4, 2)), row_ids=nd.array([1, 4, 0])),
        KVStoreError,
        "row 4 of key 'e' is asked for, but it has the rows 0 to 3",
    ),
    "row below 0": (
        lambda kv: kv.row_sparse_pull("e", out=nd.zeros((4, 2)), row_ids=nd.array([-1])),
        KVStoreError,
        "row -1 of key 'e'",
    ),
    "row and a half": (
        lambda kv: kv.row_sparse_pull("e", out=nd.zeros((4, 2)), row_ids=nd.array([1.5])),
        KVStoreError,
        "1.5 of key 'e' is not a whole number",
    ),
    "row not a number": (
        lambda kv: kv.row_sparse_pull("e", out=nd.zeros((4, 2)), row_ids=nd.array([np.nan])),
        KVStoreError,
        "nan",
    ),
    "rows without ids": (
        lambda kv: kv.row_sparse_pull("e", out=nd.zeros((4, 2))),
        KVStoreError,
        "row_ids is required",
    ),
    "too many ids": (
        lambda kv: kv.row_sparse_pull("e", out=[nd.zeros((4, 2))], row_ids=[nd.array([1])] * 2),
        KVStoreError,
        "2 arrays of row_ids came for key 'e'",
    ),
    "updater": (lambda kv: kv.set_updater(3), TypeError, "function of three"),
    "optimizer": (lambda kv: kv.set_optimizer("sgd"), TypeError, "mx.optimizer.create"),
    "states": (lambda kv: kv.save_optimizer_states("x"), KVStoreError, "set_optimizer"),
    "compression": (
        lambda kv: kv.set_gradient_compression({"type": "2bit"}),
        KVStoreError,
        "use 'device'",
    ),
    "capability": (lambda kv: kv.is_capable("flight"), ValueError, "flight"),
}


@pytest.mark.parametrize("call, error, message", REFUSED.values(), ids=REFUSED)
def test_refused_and_nothing_lost(kv, call, error, message):
    before = contents(kv)
    with pytest.raises(error, match=message):
        call(kv)
    assert contents(kv) == before


@pytest.mark.parametrize("name", ["nosuch", "", "loca", "horovod"])
def test_unknown_type(name):
    with pytest.raises(KVStoreError, match=r"there is no KVStore type.*local"):
        mx.kv.create(name)


def test_type_is_found_in_any_case_and_must_be_a_string():
    assert mx.kv.create("LOCAL").type == "local"
    with pytest.raises(TypeError, match="3"):
        mx.kv.create(3)


@pytest.mark.parametrize("given", [{}, {"DMLC_ROLE": "worker", "DMLC_NUM_WORKER": "1"}])
def test_distributed_says_what_is_missing(given):
    env = {k: v for k, v in os.environ.items() if not k.startswith("DMLC_")} | given
    code = "import symgraph; symgraph.kv.create('dist_sync')"
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 1
    assert "DMLC_PS_ROOT_URI" in run.stderr
    assert ("DMLC_ROLE" in run.stderr.splitlines()[-1]) is not bool(given)


def test_a_store_of_ones_own():
    @KVStoreBase.register
    class Counting(KVStoreBase):
        pass

    try:
        kv = mx.kv.create("counting")
        assert kv.type == "counting"
        with pytest.raises(NotImplementedError, match="Counting cannot pushpull"):
            kv.pushpull("w", nd.ones((1,)))
    finally:
        del KVStoreBase.kv_registry["counting"]


# ---- what belongs to whom -----------------------------------------------------------


def test_nothing_is_shared_with_the_user(kv):
    value = nd.ones((2, 3))
    kv.init(["a", "b"], [value, value])
    kv.push("a", value)
    value[:] = 5
    out = nd.zeros((2, 3))
    kv.pull("b", out=out)
    out[:] = 9
    assert (value_of(kv, "a", (2, 3)) == 1).all()
    assert (value_of(kv, "b", (2, 3)) == 1).all()


def test_a_row_sparse_value_is_not_shared(kv):
    value = table(4).tostype("row_sparse")
    kv.push("e", value)
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    kv.push("e", sparse([[1, 1]], [2], (4, 2)))
    np.testing.assert_array_equal(value.asnumpy(), table(4).asnumpy())


def test_row_ids_may_change_afterwards(kv):
    ids, out = nd.array([0, 1], dtype="int64"), nd.sparse.zeros("row_sparse", (4, 2))
    kv.row_sparse_pull("e", out=out, row_ids=ids)
    ids[:] = 3
    assert out.indices.asnumpy().tolist() == [0, 1]


def test_an_updater_may_change_its_input(kv):
    def update(key, came, stored):
        came[:] = came * 3
        stored[:] = came

    value = nd.ones((2, 3))
    kv.set_updater(update)
    kv.push("w", value)
    assert (value.asnumpy() == 1).all()
    assert (value_of(kv, "w", (2, 3)) == 3).all()


def test_an_updater_that_fails_undoes_the_push(kv):
    def update(key, came, stored):
        stored[:] = 0
        if key == "e":
            raise ZeroDivisionError

    before = contents(kv)
    kv.set_updater(update)
    with pytest.raises(ZeroDivisionError):
        kv.push(["w", "e"], [nd.ones((2, 3)), table(4)])
    assert contents(kv) == before


def test_an_updater_of_an_optimizer(kv):
    kv.set_updater(mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1.0)))
    kv.push("w", nd.ones((2, 3)))
    assert (value_of(kv, "w", (2, 3)) == 0).all()


def test_lent_memory_is_the_stores_own(kv):
    lent = kv._lend("w", mx.cpu())
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.5))
    kv.push("w", nd.ones((2, 3)))
    assert (lent.asnumpy() == 0.5).all()
    buffer = lent.value
    kv.pull("w", out=lent)
    kv.init("w", nd.ones((2, 3)) * 7)
    assert lent.value is buffer
    assert (lent.asnumpy() == 7).all()
    assert kv._lend("w", mx.cpu(1)) is None


def test_a_table_is_updated_in_place(kv):
    lent = kv._lend("e", mx.cpu())
    buffer = lent.value.data
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    kv.push("e", sparse([[1, 1]], [2], (4, 2)))
    assert lent.value.data is buffer
    assert buffer[2].tolist() == [4, 5]


# ---- storage types ------------------------------------------------------------------

PUSHED = {
    "dense": [nd.ones((4, 2)) * 3],
    "row_sparse": [sparse([[1, 2], [3, 4]], [0, 3], (4, 2))],
    "csr": [nd.array([[0, 1], [0, 0], [2, 0], [0, 0]]).tostype("csr")],
    "rows and rows": [sparse([[1, 2]], [3], (4, 2)), sparse([[3, 4], [5, 6]], [3, 0], (4, 2))],
    "rows and dense": [nd.ones((4, 2)), sparse([[1, 2]], [3], (4, 2))],
    "csr and dense": [nd.array([[0, 1], [0, 0], [2, 0], [0, 0]]).tostype("csr"), nd.ones((4, 2))],
    "no rows": [nd.sparse.zeros("row_sparse", (4, 2)), nd.sparse.zeros("row_sparse", (4, 2))],
    "doubles": [nd.array(np.full((4, 2), 0.5), dtype="float64"), nd.ones((4, 2))],
    "integers": [nd.array(np.full((4, 2), 3), dtype="int32")],
}


@pytest.mark.parametrize("values", PUSHED.values(), ids=PUSHED)
@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("update", ["assign", "function", "optimizer"])
def test_push_of_any_kind_into_any_kind(values, stype, update):
    kv = mx.kv.create("local")
    start = table(4)
    kv.init("k", start.tostype(stype))
    total = sum(value.asnumpy() for value in values)
    want = {"assign": total, "function": total * 2, "optimizer": start.asnumpy() - total}[update]
    if update == "function":
        kv.set_updater(lambda key, came, stored: (came * 2).copyto(stored))
    if update == "optimizer":
        kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    kv.push("k", values)
    np.testing.assert_allclose(value_of(kv, "k", (4, 2)), want)
    out = nd.sparse.zeros("row_sparse", (4, 2))
    kv.row_sparse_pull("k", out=out, row_ids=nd.array([3, 0]))
    np.testing.assert_allclose(out.asnumpy()[[0, 3]], want[[0, 3]])
    assert kv._values["k"].stype == stype


def test_fractions_are_not_lost_silently():
    kv = mx.kv.create("local")
    kv.init("n", nd.array([1, 2], dtype="int32"))
    with pytest.raises(DTypeError, match="holds int32, but float32 came"):
        kv.push("n", nd.array([0.5, 1]))


def test_pull_converts_the_element_type(kv):
    out = nd.zeros((2, 3), dtype="float16")
    kv.pull("w", out=out)
    assert out.value.dtype == "float16"
    assert (out.asnumpy() == 1).all()


def test_missing_rows_are_zeros(kv):
    kv.init("few", sparse([[1, 2]], [2], (4, 2)))
    out = nd.sparse.zeros("row_sparse", (4, 2))
    kv.row_sparse_pull("few", out=out, row_ids=nd.array([2, 3]))
    assert out.indices.asnumpy().tolist() == [2, 3]
    assert out.data.asnumpy().tolist() == [[1, 2], [0, 0]]


def test_a_row_sparse_value_need_not_fit_into_memory():
    kv = mx.kv.create("local")
    shape = (10**12, 64)
    kv.init("huge", nd.sparse.zeros("row_sparse", shape))
    kv.push("huge", [sparse(np.ones((1, 64)), [n], shape) for n in (7, 10**12 - 1)])
    out = nd.sparse.zeros("row_sparse", shape)
    ids = nd.array([10**12 - 1, 5], dtype="int64")
    kv.row_sparse_pull("huge", out=out, row_ids=ids)
    assert out.indices.asnumpy().tolist() == [5, 10**12 - 1]
    assert out.data.asnumpy()[:, 0].tolist() == [0, 1]
    kv.set_optimizer(mx.optimizer.SGD())
    with pytest.raises(StorageError, match="do not fit into memory"):
        kv.push("huge", sparse(np.ones((1, 64)), [7], shape))


def test_an_optimizer_fills_in_missing_rows():
    kv = mx.kv.create("local")
    kv.init("z", nd.sparse.zeros("row_sparse", (4, 2)))
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    kv.push("z", sparse([[1, 2]], [2], (4, 2)))
    assert value_of(kv, "z", (4, 2)).tolist() == [[0, 0], [0, 0], [-1, -2], [0, 0]]


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32", "float64"])
def test_row_ids_of_any_type(kv, dtype):
    out = nd.sparse.zeros("row_sparse", (4, 2))
    kv.row_sparse_pull("e", out=out, row_ids=nd.array([3, 1, 3], dtype=dtype))
    assert out.indices.asnumpy().tolist() == [1, 3]
    kv.row_sparse_pull("e", out=out, row_ids=nd.array(np.zeros((0,)), dtype=dtype))
    assert out.indices.asnumpy().tolist() == []


def test_rounded_row_ids_are_refused():
    kv = mx.kv.create("local")
    n = 2**24 + 8
    kv.init("w", nd.sparse.zeros("row_sparse", (n, 1)))
    out = nd.sparse.zeros("row_sparse", (n, 1))
    kv.row_sparse_pull("w", out=out, row_ids=nd.array([2**24 + 1], dtype="int64"))
    assert out.indices.asnumpy().tolist() == [2**24 + 1]
    kv.row_sparse_pull("w", out=out, row_ids=nd.array([2**24 - 1]))
    assert out.indices.asnumpy().tolist() == [2**24 - 1]
    with pytest.raises(DTypeError, match=r"float32.*dtype='int64'"):
        kv.row_sparse_pull("w", out=out, row_ids=nd.array([2**24 + 1]))


def test_ids_for_each_array_and_each_key(kv):
    kv.init("f", table(3))
    outs = [nd.sparse.zeros("row_sparse", (4, 2)) for _ in range(2)]
    other = nd.zeros((3, 2))
    kv.row_sparse_pull(
        ["e", "f"],
        out=[outs, other],
        row_ids=[[nd.array([1]), nd.array([2, 0])], nd.array([2])],
    )
    assert [out.indices.asnumpy().tolist() for out in outs] == [[1], [0, 2]]
    assert other.asnumpy().tolist() == [[0, 0], [0, 0], [5, 6]]


# ---- optimizers ---------------------------------------------------------------------


def test_states_go_through_a_file(kv, tmp_path):
    path = tmp_path / "states"
    adam = {"learning_rate": 0.1, "lazy_update": True}
    kv.set_optimizer(mx.optimizer.Adam(**adam))
    kv.push(["w", "e"], [nd.ones((2, 3)), sparse([[1, 2]], [2], (4, 2))])
    kv.save_optimizer_states(path)
    other = mx.kv.create("device")
    other.init(
        ["w", "e"], [nd.array(value_of(kv, k, s)) for k, s in (("w", (2, 3)), ("e", (4, 2)))]
    )
    other.set_optimizer(mx.optimizer.Adam(**adam))
    other.load_optimizer_states(path)
    for store in (kv, other):
        store.push(["w", "e"], [nd.ones((2, 3)) * 3, sparse([[3, 1]], [2], (4, 2))])
    assert contents(kv) == contents(other)


def test_settings_go_along_where_asked(kv, tmp_path):
    path = tmp_path / "states"
    kv.set_optimizer(mx.optimizer.Adam(learning_rate=0.25, beta1=0.5, lazy_update=False))
    kv.push("w", nd.ones((2, 3)))
    kv.save_optimizer_states(path, dump_optimizer=True)
    kv.set_optimizer(mx.optimizer.SGD())
    kv.load_optimizer_states(path)
    optimizer = kv._updater.optimizer
    assert isinstance(optimizer, mx.optimizer.Adam)
    assert (optimizer.lr, optimizer.beta1, optimizer.lazy_update) == (0.25, 0.5, False)
    assert optimizer.num_update == 1


def test_unreadable_states_change_nothing(kv, tmp_path):
    kv.set_optimizer(mx.optimizer.SGD(momentum=0.9))
    kv.push("w", nd.ones((2, 3)))
    before = kv._updater.get_states()
    (tmp_path / "pickle").write_bytes(b"\x80\x04}\x94.")
    with pytest.raises(FormatError, match="pickle"):
        kv.load_optimizer_states(tmp_path / "pickle")
    with pytest.raises(mx.MXNetError, match="cannot read"):
        kv.load_optimizer_states(tmp_path / "missing")
    assert kv._updater.get_states() == before


def test_init_again_forgets_the_momentum(kv):
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0, momentum=0.5))
    for _ in range(2):
        kv.init("w", nd.ones((2, 3)))
        kv.push("w", nd.ones((2, 3)))
        assert (value_of(kv, "w", (2, 3)) == 0).all()


# ---- threads ------------------------------------------------------------------------


def test_threads_lose_no_update():
    kv = mx.kv.create("local")
    kv.init(["a", "b"], [nd.zeros((50,)), nd.zeros((50,))])

    def add(key, came, stored):
        stored[:] = stored + came

    kv.set_updater(add)

    def work():
        for _ in range(100):
            kv.push(["a", "b"], [nd.ones((50,)), [nd.ones((50,)), nd.ones((50,))]])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (value_of(kv, "a", (50,)) == 400).all()
    assert (value_of(kv, "b", (50,)) == 800).all()
