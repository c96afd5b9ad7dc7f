"""The stand-in device gives NumPy's values, and refuses and counts what a GPU would."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from strict.device import (
    XP,
    DeviceArray,
    UnexpectedSyncError,
    make_backend,
    no_syncs,
    sync_count,
    sync_places,
)

HOST = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def array():
    return XP.asarray(HOST)


def same(device, host):
    assert isinstance(device, DeviceArray)
    assert device.dtype == host.dtype
    assert device.shape == host.shape
    np.testing.assert_array_equal(device.get(), host)


VALUES = {
    "arithmetic": lambda xp, a: (a * 2 + a) / (1 + a) - a**2,
    "swapped": lambda xp, a: 3 - a,
    "number of numpy": lambda xp, a: np.float32(2) * a,
    "comparison": lambda xp, a: (a > 3) & ~(a == 5),
    "matmul": lambda xp, a: a @ a.T,
    "sum": lambda xp, a: a.sum(),
    "mean over an axis": lambda xp, a: xp.mean(a, axis=1, keepdims=True),
    "largest": lambda xp, a: a.argmax(axis=0),
    "one element": lambda xp, a: a[1, 2] + 1,
    "slices": lambda xp, a: a[::-1, None, 1:3],
    "rows": lambda xp, a: a[xp.asarray(np.array([2, 0, 2]))],
    "mask": lambda xp, a: a[a > 4],
    "where": lambda xp, a: xp.where(a > 4, a, -a),
    "ufunc": lambda xp, a: xp.exp(a, dtype=xp.float64),
    "reduce": lambda xp, a: xp.add.reduce(a, axis=1),
    "concatenate": lambda xp, a: xp.concatenate([a, a[:1]], axis=0),
    "stack of numbers": lambda xp, a: xp.stack([a[0, 0], a[1, 1]]),
    "linalg": lambda xp, a: xp.linalg.norm(a, axis=1),
    "windows": lambda xp, a: xp.lib.stride_tricks.as_strided(a, (2, 3), (16, 4)),
    "made": lambda xp, a: xp.arange(5, dtype=xp.int64),
    "numpy's ufunc": lambda xp, a: np.tanh(a),
    "numpy's function": lambda xp, a: np.sum(a, axis=0),
    "transposed": lambda xp, a: a.T.reshape(2, -1),
    "cast": lambda xp, a: a.astype(xp.int32),
    "equal": lambda xp, a: xp.array_equal(a, a).astype(xp.float32),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_numpy(name, array):
    device, host = VALUES[name](XP, array), VALUES[name](np, HOST) if name != "equal" else None
    same(device, np.asarray(host) if host is not None else np.float32(1).reshape(()))


def test_several_results_are_all_on_the_device(array):
    parts = XP.split(array, 2, axis=1)
    assert [type(p) for p in parts] == [DeviceArray] * 2
    quotient, rest = divmod(array, 5)
    same(quotient, HOST // 5)
    same(rest, HOST % 5)


def test_parts_are_views(array):
    array[1][2] = 50
    array[0, 0][...] = 70
    row = array[2]
    row += 1
    same(array[1, 2], np.array(50, np.float32))
    same(array[0], np.array([70, 1, 2, 3], np.float32))
    same(array[2], HOST[2] + 1)


def test_in_place_work_keeps_the_object(array):
    before = array
    array += 1
    assert array is before
    assert XP.multiply(array, 2, out=array) is before
    assert array.astype(np.float32, copy=False) is before
    assert XP.asarray(array) is before
    same(array, (HOST + 1) * 2)


def test_the_hosts_array_is_copied(array):
    host = HOST.copy()
    moved = XP.asarray(host)
    moved += 1
    np.testing.assert_array_equal(host, HOST)
    got = moved.get()
    got[...] = 0
    same(moved, HOST + 1)


REFUSED = {
    "asarray of numpy": lambda a: np.asarray(a),
    "array of numpy": lambda a: np.array(a),
    "numpy into operator": lambda a: a + HOST,
    "numpy from the left": lambda a: HOST + a,
    "numpy in place": lambda a: a.__iadd__(HOST),
    "device into numpy in place": lambda a: HOST.copy().__iadd__(a),
    "numpy out": lambda a: XP.add(a, a, out=HOST.copy()),
    "numpy's ufunc with host out": lambda a: np.add(a, a, out=HOST.copy()),
    "numpy in a function": lambda a: XP.maximum(a, HOST),
    "numpy in a list": lambda a: XP.concatenate([a, HOST]),
    "numpy in a method": lambda a: a.dot(HOST.T),
    "numpy as index": lambda a: a[np.array([0, 1])],
    "numpy as value": lambda a: a.__setitem__(slice(None), HOST),
    "assignment to numpy": lambda a: HOST.copy().__setitem__(slice(None), a),
    "list as operand": lambda a: a * [1, 2, 3, 4],
    "list in a ufunc": lambda a: XP.add(a, [1, 2, 3, 4]),
    "where of a ufunc": lambda a: XP.add(a, a, where=a > 1),
    "initial of sum": lambda a: XP.sum(a, initial=0),
    "initial of a method": lambda a: a.max(initial=0),
    "hash": lambda a: hash(a),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_with_a_type_error(name, array):
    before = sync_count()
    with pytest.raises(TypeError):
        REFUSED[name](array)
    assert sync_count() == before


def test_repeats_cannot_be_on_the_device(array):
    with pytest.raises(ValueError, match="repeats"):
        XP.repeat(array, XP.arange(3), axis=0)


def test_adds_at_what_a_device_adds_atomically(array):
    index = XP.asarray(np.array([0, 2, 0]))
    XP.add.at(array, index, 1)
    same(array, HOST + np.array([[2], [0], [1]], np.float32))
    with pytest.raises(TypeError, match="int64"):
        XP.add.at(XP.zeros(3, XP.int64), index, 1)
    with pytest.raises(NotImplementedError):
        XP.multiply.at(array, index, 2)


def test_only_known_names(array):
    for name in ("char", "memmap", "nditer", "recarray", "rec"):
        assert hasattr(np, name)
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(XP, name)
    for name in ("setflags", "newbyteorder", "ctypes", "__array_interface__"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(array, name)
    for name in ("float32", "inf", "newaxis", "take_along_axis", "einsum", "ndarray"):
        assert hasattr(XP, name)
    with pytest.raises(AttributeError):
        XP.random.Generator(0).normal()
    with pytest.raises(ValueError, match="Unsupported dtype"):
        XP.asarray(np.array(["a"]))


SYNCS = {
    "bool": lambda a: bool(a[0, 0]),
    "if": lambda a: 1 if a.any() else 0,
    "int": lambda a: int(a[0, 1]),
    "float": lambda a: float(a[0, 1]),
    "as an index of the host": lambda a: [5, 6][a.astype(XP.int64)[0, 1]],
    "slice": lambda a: a[: a.astype(XP.int64)[0, 1]],
    "item": lambda a: a.sum().item(),
    "tolist": lambda a: a.tolist(),
    "get": lambda a: a.get(),
    "asnumpy": lambda a: XP.asnumpy(a),
    "repr": repr,
    "str": str,
    "f-string": lambda a: f"{a[0, 0]:.2f}",
    "print": lambda a: print(a),
    "mask": lambda a: a[XP.ones((3, 4), bool)],
    "values for a mask": lambda a: a.__setitem__(a > 4, a[1:2, :].repeat(2, 0)[0, :1].repeat(7)),
    "nonzero": lambda a: XP.nonzero(a),
    "nonzero method": lambda a: a.nonzero(),
    "flatnonzero": lambda a: XP.flatnonzero(a),
    "where of one": lambda a: XP.where(a > 4),
    "argwhere": lambda a: XP.argwhere(a),
    "unique": lambda a: XP.unique(a),
    "numpy's unique": lambda a: np.unique(a),
    "contains": lambda a: 0 in a[0],
}


@pytest.mark.parametrize("name", SYNCS)
def test_counts_waiting(name, array):
    before = sync_count()
    SYNCS[name](array)
    assert sync_count() == before + 1
    assert any("test_device.py" in place for place in sync_places())
    with pytest.raises(UnexpectedSyncError, match=r"test_device.py:\d+ in "), no_syncs():
        SYNCS[name](array)


def test_counts_nothing_else(array):
    with no_syncs():
        array[array > 4] = 0
        array[1:] = array[:-1] * 2
        for row in array:
            row += len(row)
        XP.clip(array.sum(axis=0), -1, 1, out=array[0])
        XP.searchsorted(XP.arange(4), XP.asarray(np.array([1, 3])))
        XP.copyto(array, 1)
        copy.deepcopy(array).fill(2)
        assert array.flags.c_contiguous
        assert array.size == 12
    assert array[0, 0].get() == 1


def test_backend():
    backend = make_backend()
    assert (backend.name, backend.xp) == ("gpu", XP)
    moved = backend.from_host(HOST)
    np.testing.assert_array_equal(backend.to_host(moved), HOST)
    first, second = (backend.rng(7).standard_normal((2, 3), dtype=XP.float32) for _ in range(2))
    assert isinstance(first, DeviceArray)
    np.testing.assert_array_equal(first.get(), second.get())
    with backend.on_device(0):
        same(backend.xp.full((2,), 3.0), np.full(2, 3.0))
    backend.synchronize()
