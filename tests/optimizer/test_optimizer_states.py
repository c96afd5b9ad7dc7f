"""Optimizer states in files: whole, exact, and nothing that runs code."""

import json
import pickle
import struct

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import FormatError
from symgraph.optimizer.states import MAGIC

nd = mx.nd


def trained(optimizer, steps=2):
    step = mx.optimizer.get_updater(optimizer)
    weights = {0: nd.ones((2, 3)), "name": nd.ones((4,)), 7: nd.ones((2,), dtype="float16")}
    for t in range(steps):
        for key, weight in weights.items():
            step(key, nd.array(np.full(weight.shape, t + 1), dtype=weight.dtype), weight)
    return step, weights


def arrays(state):
    if isinstance(state, tuple | list):
        return [array for part in state for array in arrays(part)]
    return [] if state is None else [state.asnumpy().tolist()]


@pytest.mark.parametrize("name", sorted(mx.optimizer.Optimizer.opt_registry))
def test_round_trip(name):
    step, weights = trained(mx.optimizer.create(name, multi_precision=True))
    other = mx.optimizer.get_updater(mx.optimizer.create(name, multi_precision=True))
    other.set_states(step.get_states())
    assert list(other.states) == [0, "name", 7]
    for key in weights:
        assert arrays(other.states[key]) == arrays(step.states[key])
    copies = {key: weight.copy() for key, weight in weights.items()}
    for key, weight in weights.items():
        step(key, weight.copy(), weight)
        other(key, copies[key].copy(), copies[key])
        assert copies[key].asnumpy().tolist() == weight.asnumpy().tolist()


def test_settings_and_schedule():
    scheduler = mx.lr_scheduler.MultiFactorScheduler(step=[1, 9], factor=0.5, base_lr=0.8)
    optimizer = mx.optimizer.SGD(
        momentum=0.5, wd=0.25, lr_scheduler=scheduler, param_idx2name={0: "a_bias"}
    )
    optimizer.set_lr_mult({"a_bias": 2.0, 7: 3.0})
    step, _ = trained(optimizer)
    found = mx.optimizer.get_updater(mx.optimizer.Test())
    found.set_states(step.get_states(dump_optimizer=True))
    restored = found.optimizer
    assert isinstance(restored, mx.optimizer.SGD)
    assert (restored.momentum, restored.wd, restored.num_update) == (0.5, 0.25, 2)
    assert restored.lr_mult == {"a_bias": 2.0, 7: 3.0}
    assert restored.wd_mult == {"a_bias": 0.0}
    assert [restored.lr_scheduler(t) for t in (3, 10)] == [0.4, 0.2]
    assert restored._index_update_count == {0: 2, "name": 2, 7: 2}


def test_states_follow_their_weight_to_its_device(strict_device):
    step, _ = trained(mx.optimizer.Adam())
    other = mx.optimizer.get_updater(mx.optimizer.Adam())
    other.set_states(step.get_states())
    w = nd.ones((2, 3), ctx=mx.gpu())
    other(0, nd.ones((2, 3), ctx=mx.gpu()), w)
    assert [state.context for state in other.states[0]] == [mx.gpu()] * 2


def test_states_of_a_device_are_saved(strict_device):
    step = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.5))
    step(0, nd.ones((2,), ctx=mx.gpu()), nd.ones((2,), ctx=mx.gpu()))
    other = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.5))
    other.set_states(step.get_states())
    assert arrays(other.states[0]) == arrays(step.states[0])


def with_header(**changes):
    """The content of a file with another header."""
    content = mx.optimizer.get_updater(mx.optimizer.SGD()).get_states()
    start = len(MAGIC) + 8
    (length,) = struct.unpack("<Q", content[len(MAGIC) : start])
    header = json.dumps({**json.loads(content[start : start + length]), **changes}).encode()
    return MAGIC + struct.pack("<Q", len(header)) + header + content[start + length :]


BAD = {
    "pickle": (pickle.dumps({0: None}), "pickle"),
    "nothing": (b"", "no content"),
    "other": (b"PK\x03\x04 whatever", "PK"),
    "magic only": (MAGIC, "truncated"),
    "header longer than file": (MAGIC + struct.pack("<Q", 2**60) + b"{}", "truncated"),
    "no header": (with_header()[: len(MAGIC) + 10], "truncated"),
    "arrays cut off": (with_header()[:-3], "optimizer states"),
    "array out of range": (with_header(states=[[0, {"array": 0}]]), "no array 0"),
    "array below 0": (with_header(states=[[0, {"array": -1}]]), "no array -1"),
    "state of another form": (with_header(states=[[0, "rm -rf"]]), "none of the forms"),
    "index of another form": (with_header(states=[[1.5, None]]), "neither a number nor a name"),
    "counts": (with_header(counts=7), "damaged"),
    "unknown optimizer": (
        with_header(optimizer={"name": "os", "settings": {}, "mappings": {}, "scheduler": None}),
        "not registered",
    ),
    "unknown setting": (
        with_header(
            optimizer={
                "name": "sgd",
                "settings": {"wd": 9, "x": 1},
                "mappings": {},
                "scheduler": None,
            }
        ),
        "no setting 'x'",
    ),
    "unknown scheduler": (
        with_header(
            optimizer={
                "name": "sgd",
                "settings": {},
                "mappings": {"lr_mult": [], "wd_mult": [], "idx2name": []},
                "scheduler": {"name": "pi", "settings": {}},
            }
        ),
        "no scheduler 'pi'",
    ),
}


@pytest.mark.parametrize("content, message", BAD.values(), ids=BAD)
def test_anything_else_is_refused_and_nothing_changes(content, message):
    step, _ = trained(mx.optimizer.SGD(momentum=0.5))
    before = step.get_states(dump_optimizer=True)
    with pytest.raises(FormatError, match=message):
        step.set_states(content)
    assert step.get_states(dump_optimizer=True) == before


def test_deep_nesting_is_refused():
    text = (
        b'{"states": [[0, ' + b"[" * 100000 + b"]" * 100000 + b']], "counts": [], "num_update": 0}'
    )
    start = with_header()
    tail = start[start.index(b"}") + 1 :]
    with pytest.raises(FormatError):
        mx.optimizer.get_updater(mx.optimizer.SGD()).set_states(
            MAGIC + struct.pack("<Q", len(text)) + text + tail
        )


def test_a_state_that_cannot_be_saved_is_named():
    step, _ = trained(mx.optimizer.SGD())
    step.states["odd"] = object()
    with pytest.raises(TypeError, match="'odd' holds a object"):
        step.get_states()


def test_files(tmp_path):
    step, _ = trained(mx.optimizer.Adam())
    step.save_states(tmp_path / "s")
    other = mx.optimizer.get_updater(mx.optimizer.Adam())
    other.load_states(tmp_path / "s")
    assert other.get_states() == step.get_states()
