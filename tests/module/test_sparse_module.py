"""SparseModule: the proposal's examples, and that no stale row is ever read."""

from __future__ import annotations

import numpy as np
import pytest
from module.nets import TWO, assert_same, factorization, linear, step, values

import symgraph as mx

X = np.array(
    [[1, 0, 0, 2, 0, 0], [0, 3, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1]], "float32"
)
Y = np.array([[1], [2], [3], [4]], "float32")
W0 = np.linspace(-1, 1, 6).reshape(6, 1).astype("float32")
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


class Apart(mx.kv.KVStore):
    """A local store that keeps its memory to itself, as one on another machine would."""

    def __init__(self):
        super().__init__("local")
        self.pulled = []

    def _lend(self, key, context):
        return None

    def row_sparse_pull(self, key, out=None, priority=0, row_ids=None):
        self.pulled.append((key, sorted(set(row_ids.asnumpy().astype(int).tolist()))))
        super().row_sparse_pull(key, out, priority, row_ids)


def sparse_batch(rows):
    return mx.io.DataBatch([mx.nd.array(X[rows]).tostype("csr")], [mx.nd.array(Y[rows])], pad=0)


BATCHES = [sparse_batch([0, 1]), sparse_batch([2, 3])]


class Rows(mx.io.DataIter):
    """The four samples in two csr batches."""

    def __init__(self):
        super().__init__(2)
        self.provide_data = [mx.io.DataDesc("data", (2, 6))]
        self.provide_label = [mx.io.DataDesc("lab", (2, 1))]
        self.reset()

    def reset(self):
        self._left = list(BATCHES)

    def next(self):
        if not self._left:
            raise StopIteration
        return self._left.pop(0)


def module_of(cls=mx.mod.SparseModule, context=None, kvstore="local", **kwargs):
    module = cls(linear(), ["data"], ["lab"], context=context, **kwargs)
    module.bind([("data", (2, 6))], [("lab", (2, 1))])
    weight = mx.nd.array(W0).tostype("row_sparse")
    module.init_params(arg_params={"w": weight, "b": mx.nd.zeros(1)})
    module.init_optimizer(kvstore, "sgd", {"learning_rate": 0.1, "lazy_update": True})
    return module


def reference(epochs=2):
    """The same training in NumPy, on dense arrays."""
    weight, bias = W0[:, 0].copy(), 0.0
    for _ in range(epochs):
        for rows in ([0, 1], [2, 3]):
            error = X[rows] @ weight + bias - Y[rows, 0]
            weight, bias = weight - 0.05 * error @ X[rows], bias - 0.05 * error.sum()
    return {"w": weight[:, None], "b": np.array([bias])}


def train(module, epochs=2, prepare=None):
    for _ in range(epochs):
        for batch in BATCHES:
            if prepare is not None:
                prepare(module, batch)
            module.forward(batch)
            module.backward()
            module.update()
    return module


def with_rows(module, batch):
    module.prepare(batch, row_id_generator=lambda b: {"w": b.data[0].indices})


# ---- the proposal -----------------------------------------------------------------------


def proposed_network():
    data = mx.sym.var("data", stype="csr")
    label = mx.sym.var("label")
    weight = mx.sym.var("w0", shape=(1000, 1), stype="row_sparse")
    bias = mx.sym.var("b0", shape=(1,))
    pred = mx.sym.broadcast_add(mx.sym.sparse.dot(data, weight), bias)
    return mx.sym.LogisticRegressionOutput(pred, label)


def proposed_batches():
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 1, 1000)
    for _ in range(5):
        columns = rng.integers(0, 1000, (16, 10))
        dense = np.zeros((16, 1000), "float32")
        np.put_along_axis(dense, columns, 1, axis=1)
        label = (dense @ truth > 0).astype("float32")[:, None]
        yield mx.io.DataBatch([mx.nd.array(dense).tostype("csr")], [mx.nd.array(label)])


@pytest.mark.parametrize("context", [mx.cpu(), TWO], ids=["one", "two"])
@pytest.mark.parametrize("asked", [True, False, {"w0": True, "b0": False}, {"w0": False}, None])
def test_the_examples_of_the_proposal(context, asked):
    batches = list(proposed_batches())
    mod = mx.module.contrib.SparseModule(
        proposed_network(), ["data"], ["label"], context=context, update_on_kvstore=asked
    )
    mod.bind([("data", (16, 1000))], [("label", (16, 1))])
    mod.init_params(arg_params={"w0": mx.nd.zeros((1000, 1)), "b0": mx.nd.zeros(1)})
    mod.init_optimizer(optimizer_params={"learning_rate": 1.0, "lazy_update": True})
    weight, bias = np.zeros(1000), 0.0
    for batch in batches:
        if asked is True:
            row_id_generator = lambda x: {"w0": x.data[0].indices}
            mod.prepare(batch, row_id_generator=row_id_generator)
        else:
            mod.prepare(batch)
        mod.forward(batch)
        mod.backward()
        mod.update()
        data, label = batch.data[0].asnumpy(), batch.label[0].asnumpy()[:, 0]
        error = 1 / (1 + np.exp(-(data @ weight + bias))) - label
        weight, bias = weight - error @ data / 16, bias - error.sum() / 16
    found = values(mod)
    np.testing.assert_allclose(found["w0"][:, 0], weight, **CLOSE)
    np.testing.assert_allclose(found["b0"], bias, **CLOSE)


# ---- right, whatever the user forgets ---------------------------------------------------


def stores():
    return {"lent": "local", "device": "device", "apart": Apart(), "none": None}


@pytest.mark.parametrize("context", [mx.cpu(), TWO, mx.cpu(1)], ids=["one", "two", "other"])
@pytest.mark.parametrize("store", stores())
@pytest.mark.parametrize("cls", [mx.mod.Module, mx.mod.SparseModule])
@pytest.mark.parametrize("prepare", [None, with_rows], ids=["forgotten", "prepared"])
def test_training_is_that_of_dense_arrays(cls, context, store, prepare):
    if cls is mx.mod.Module and prepare is not None:
        prepare = lambda module, batch: module.prepare(
            batch, sparse_row_id_fn=lambda b: {"w": b.data[0].indices}
        )
    module = train(module_of(cls, context, stores()[store]), prepare=prepare)
    assert_same(values(module), reference(), **CLOSE)
    true = X @ reference()["w"] + reference()["b"]
    np.testing.assert_allclose(module.predict(Rows()).asnumpy(), true, **CLOSE)
    error = ((true - Y) ** 2).mean()
    assert dict(module.score(Rows(), "mse"))["mse"] == pytest.approx(error, rel=1e-4)
    parts = [outs[0].asnumpy() for outs, _, _ in module.iter_predict(Rows())]
    np.testing.assert_allclose(np.vstack(parts), true, **CLOSE)


@pytest.mark.parametrize("store", stores())
@pytest.mark.parametrize("context", [mx.cpu(), TWO], ids=["one", "two"])
def test_fit_needs_no_hand_written_loop(store, context):
    module = mx.mod.SparseModule(linear(), ["data"], ["lab"], context=context)
    module.fit(
        Rows(),
        eval_data=Rows(),
        eval_metric="mse",
        kvstore=stores()[store],
        optimizer_params={"learning_rate": 0.1, "lazy_update": True},
        num_epoch=2,
        arg_params={"w": mx.nd.array(W0), "b": mx.nd.zeros(1)},
    )
    assert_same(values(module), reference(), **CLOSE)


def test_a_store_apart_is_asked_for_the_rows_of_the_batch_only():
    store = Apart()
    train(module_of(kvstore=store), epochs=1)
    assert store.pulled == [("w", [0, 1, 3]), ("w", [0, 4, 5])]


def test_rows_that_the_network_does_not_tell_are_all_fetched_or_told():
    def network():
        data = mx.sym.Variable("data", stype="csr")
        weight = mx.sym.Variable("w", shape=(6, 1), stype="row_sparse")
        pred = mx.sym.dot(data, weight * 1)
        return mx.sym.LinearRegressionOutput(pred, mx.sym.Variable("lab"), name="lro")

    for told, wanted in ((False, list(range(6))), (True, [0, 1, 3])):
        store = Apart()
        module = mx.mod.SparseModule(network(), ["data"], ["lab"])
        module.bind([("data", (2, 6))], [("lab", (2, 1))])
        module.init_params(arg_params={"w": W0})
        module.init_optimizer(store, optimizer_params={"learning_rate": 0.1})
        if told:
            with_rows(module, BATCHES[0])
        module.forward(BATCHES[0], is_train=False)
        assert store.pulled[-1] == ("w", wanted)
        np.testing.assert_allclose(module.get_outputs()[0].asnumpy(), X[:2] @ W0, **CLOSE)


def test_what_a_generator_leaves_out_is_fetched_nevertheless():
    module = module_of(kvstore=Apart())
    for batch in BATCHES * 2:
        module.prepare(batch, lambda b: {"w": [0]})
        module.forward_backward(batch)
        module.update()
    assert_same(values(module), reference(), **CLOSE)


def test_embeddings_with_row_sparse_weights():
    weights = {name: mx.sym.Variable(f"{name}_weight", stype="row_sparse") for name in ("ue", "ie")}
    net = factorization()
    user, item = mx.sym.Variable("user"), mx.sym.Variable("item")
    tables = [
        mx.sym.Embedding(ids, weights[n], input_dim=rows, output_dim=3, sparse_grad=True, name=n)
        for ids, n, rows in ((user, "ue", 11), (item, "ie", 7))
    ]
    pred = mx.sym.sum(tables[0] * tables[1], axis=1, keepdims=True)
    sparse = mx.sym.LinearRegressionOutput(pred, mx.sym.Variable("score"), name="lro")
    rng = np.random.default_rng(1)
    ids = [(rng.integers(0, 11, 8), rng.integers(0, 7, 8)) for _ in range(4)]
    score = rng.random((8, 1))
    found, store = [], Apart()
    for symbol, kvstore in ((net, None), (sparse, store), (sparse, "local")):
        mx.random.seed(1)
        module = mx.mod.SparseModule(symbol, ["user", "item"], ["score"])
        module.bind([("user", (8,)), ("item", (8,))], [("score", (8, 1))])
        module.init_params(mx.init.Normal(1))
        module.init_optimizer(kvstore, "adam", {"learning_rate": 0.1, "lazy_update": True})
        for u, i in ids:
            step(module, [u, i], score)
        found.append(values(module))
    assert_same(found[0], found[1], **CLOSE)
    assert_same(found[0], found[2], **CLOSE)
    last = dict(store.pulled[-2 - 2 : -2])
    assert last["ue_weight"] == sorted(set(ids[-1][0].tolist()))


# ---- checkpoints and parameters ---------------------------------------------------------


@pytest.mark.parametrize(
    ("store", "asked"),
    [
        *[(s, a) for s in ("lent", "device", "apart") for a in (True, {"w": True, "b": False})],
        *[(s, False) for s in stores()],
    ],
)
def test_checkpoints_are_of_the_current_weights_and_resume(tmp_path, store, asked):
    kvstore = stores()[store]
    prefix = str(tmp_path / "model")
    module = train(module_of(kvstore=kvstore, update_on_kvstore=asked), epochs=1)
    module.save_checkpoint(prefix, 1, save_optimizer_states=True)
    saved = mx.nd.load(f"{prefix}-0001.params")
    np.testing.assert_allclose(saved["arg:w"].asnumpy(), reference(1)["w"], **CLOSE)
    other = mx.mod.SparseModule.load(
        prefix, 1, True, data_names=["data"], label_names=["lab"], update_on_kvstore=asked
    )
    assert isinstance(other, mx.mod.SparseModule)
    other.bind([("data", (2, 6))], [("lab", (2, 1))])
    kvstore = stores()[store]
    other.init_optimizer(kvstore, "sgd", {"learning_rate": 0.1, "lazy_update": True})
    assert_same(values(train(other, epochs=1)), reference(2), **CLOSE)


@pytest.mark.parametrize("store", stores())
def test_set_params_reaches_the_store(store):
    module = train(module_of(kvstore=stores()[store]), epochs=1)
    module.set_params({"w": mx.nd.array(W0), "b": mx.nd.zeros(1)}, {})
    assert_same(values(train(module)), reference(), **CLOSE)


def test_load_params_and_save_params(tmp_path):
    file = str(tmp_path / "x.params")
    one, other = train(module_of(kvstore=Apart())), module_of(kvstore=Apart())
    one.save_params(file)
    other.load_params(file)
    assert_same(values(other), values(one))
    assert other.get_params()[0]["w"].stype == "row_sparse"


# ---- misuse -----------------------------------------------------------------------------


@pytest.mark.parametrize("store", stores())
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nope": [1]}, "'nope' is no parameter"),
        ([1, 2], "must return a dict"),
        ({"w": [6]}, "row 6 of w is asked for, but it has 6 rows"),
        ({"w": [-1]}, "row -1 of w"),
        ({"w": [0.5]}, "whole numbers"),
    ],
)
def test_what_a_generator_must_not_return_is_named(store, given, words):
    module = module_of(kvstore=stores()[store])
    with pytest.raises(mx.MXNetError, match=words):
        module.prepare(BATCHES[0], row_id_generator=lambda batch: given)


@pytest.mark.parametrize("ids", [[3, 0, 3], np.array([0, 3]), mx.nd.array([0, 3])], ids=type)
def test_row_ids_come_in_any_form(ids):
    store = Apart()
    module = module_of(kvstore=store)
    module.prepare(BATCHES[0], lambda batch: {"w": ids})
    assert store.pulled == [("w", [0, 3])]


def test_prepare_without_a_batch_takes_all_that_the_function_says():
    store = Apart()
    module = module_of(kvstore=store)
    module.prepare(None, sparse_row_id_fn=lambda batch: {"w": range(6)})
    assert store.pulled == [("w", list(range(6)))]


def test_update_on_kvstore_is_checked():
    with pytest.raises(ValueError, match="'v' is no parameter"):
        mx.mod.SparseModule(linear(), ["data"], ["lab"], update_on_kvstore={"v": True})
    with pytest.raises(ValueError, match="needs a kvstore"):
        module_of(kvstore=None, update_on_kvstore=True)


def test_where_parameters_live():
    module = module_of(update_on_kvstore={"w": True, "b": False})
    assert list(module._kvstore._values) == ["w"]
    assert module._update_on_kvstore
    everywhere = module_of(update_on_kvstore=False)
    assert not everywhere._update_on_kvstore
    assert everywhere._kvstore is None
