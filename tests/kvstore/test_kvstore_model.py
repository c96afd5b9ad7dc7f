"""Random calls on a store, and on a dict of NumPy arrays that says what must come out."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import symgraph as mx

KEYS = ["a", "b", "c"]
SHAPES = [(3, 2), (5, 1), (4, 3)]
ELEMENTS = st.integers(-4, 4)


@st.composite
def arrays(draw, shape):
    """A NumPy array of small integers, and an NDArray of some storage type that holds it."""
    count = shape[0] * shape[1]
    values = np.array(draw(st.lists(ELEMENTS, min_size=count, max_size=count)), "float32")
    values = values.reshape(shape)
    if draw(st.booleans()):
        values[draw(st.integers(0, shape[0] - 1))] = 0
    stype = draw(st.sampled_from(["default", "row_sparse", "csr"]))
    return values, mx.nd.array(values, ctx=mx.cpu(draw(st.integers(0, 2)))).tostype(stype)


class StoreMachine(RuleBasedStateMachine):
    @initialize(kind=st.sampled_from(["local", "device"]))
    def start(self, kind):
        self.kv = mx.kv.create(kind)
        self.model = {}
        self.update = None

    @rule(data=st.data(), key=st.sampled_from(KEYS), shape=st.sampled_from(SHAPES))
    def init(self, data, key, shape):
        values, array = data.draw(arrays(shape))
        if array.stype == "csr":
            array = array.tostype("default")
        self.kv.init(key, array)
        self.model[key] = values
        array[:] = 99

    @rule(data=st.data(), keys=st.lists(st.sampled_from(KEYS), min_size=1, unique=True))
    def push(self, data, keys):
        pushed = {}
        for key in keys:
            shape = self.model[key].shape if key in self.model else (2, 2)
            pushed[key] = data.draw(st.lists(arrays(shape), min_size=1, max_size=3))
        values = [[array for _, array in pairs] for pairs in pushed.values()]
        if not set(keys) <= set(self.model):
            with pytest.raises(mx.MXNetError):
                self.kv.push(keys, values)
            return
        self.kv.push(keys, values)
        for key, pairs in pushed.items():
            total = sum(array for array, _ in pairs)
            self.model[key] = {
                None: total,
                "add": self.model[key] + 2 * total,
                "sgd": self.model[key] - total,
            }[self.update]

    @rule(data=st.data(), key=st.sampled_from(KEYS))
    def push_of_another_shape(self, data, key):
        if key in self.model:
            good = data.draw(arrays(self.model[key].shape))[1]
            with pytest.raises(mx.MXNetError):
                self.kv.push(key, [good, mx.nd.ones((7, 7))])

    @rule(update=st.sampled_from([None, "add", "sgd"]))
    def set_update(self, update):
        self.update = update
        if update == "sgd":
            self.kv.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
        elif update == "add":
            self.kv.set_updater(lambda key, came, stored: (stored + came * 2).copyto(stored))
        else:
            self.kv.set_updater(None)

    @rule(
        data=st.data(), key=st.sampled_from(KEYS), stype=st.sampled_from(["default", "row_sparse"])
    )
    def row_sparse_pull(self, data, key, stype):
        if key not in self.model:
            return
        want = self.model[key]
        ids = data.draw(st.lists(st.integers(0, want.shape[0] - 1), max_size=6))
        out = mx.nd.ones(want.shape).tostype(stype)
        self.kv.row_sparse_pull(
            key, out=out, row_ids=mx.nd.array(np.array(ids, "int64"), dtype="int64")
        )
        kept = np.zeros_like(want)
        kept[ids] = want[ids]
        np.testing.assert_array_equal(out.asnumpy(), kept)
        if stype == "row_sparse":
            assert out.indices.asnumpy().tolist() == sorted(set(ids))

    @invariant()
    def pull_gives_the_model(self):
        for key, want in getattr(self, "model", {}).items():
            outs = [mx.nd.ones(want.shape), mx.nd.sparse.zeros("row_sparse", want.shape)]
            self.kv.pull(key, out=outs)
            for out in outs:
                np.testing.assert_array_equal(out.asnumpy(), want)


StoreMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestStoreMachine = StoreMachine.TestCase
