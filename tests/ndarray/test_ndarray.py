"""Dense arrays: buffers that stay, views, contexts, copies, other libraries."""

import copy
import pickle

import numpy as np
import pytest

import symgraph as mx
from symgraph import nd
from symgraph.errors import DTypeError, MXNetError, ShapeError
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.storage import CSR, RowSparse


def fresh():
    return nd.array(np.arange(24.0).reshape(2, 3, 4))


IN_PLACE = {
    "a[:] = 1": lambda a: a.__setitem__(slice(None), 1),
    "a[:] = array": lambda a: a.__setitem__(slice(None), nd.ones((2, 3, 4))),
    "a[0] = list": lambda a: a.__setitem__(0, [1, 2, 3, 4]),
    "a[mask] = 0": lambda a: a.__setitem__(a.asnumpy() > 3, 0),
    "a += number": lambda a: a.__iadd__(1.5),
    "a -= array": lambda a: a.__isub__(nd.ones((3, 4))),
    "a *= itself": lambda a: a.__imul__(a),
    "a /= int": lambda a: a.__itruediv__(2),
    "a %= number": lambda a: a.__imod__(3),
    "copyto": lambda a: nd.ones((2, 3, 4), dtype="int32").copyto(a),
    "sparse copyto": lambda a: nd.sparse.zeros("row_sparse", (2, 3, 4)).copyto(a),
    "out=": lambda a: nd.elemwise_add(nd.ones((2, 3, 4)), nd.ones((2, 3, 4)), out=a),
    "_set_value": lambda a: a._set_value(np.ones((2, 3, 4))),
    "random out=": lambda a: nd.random.uniform(out=a),
    "full out=": lambda a: nd.full((2, 3, 4), 5, out=a),
}


@pytest.mark.parametrize("how", IN_PLACE)
def test_the_buffer_stays(how):
    a = fresh()
    buffer, before = a.value, a.asnumpy()
    IN_PLACE[how](a)
    assert a.value is buffer
    assert a.dtype is np.float32
    assert not np.array_equal(a.asnumpy(), before)


@pytest.mark.parametrize(
    "part",
    [
        lambda a: a[1],
        lambda a: a[-1, 2],
        lambda a: a[1, 2, 3],
        lambda a: a[0:1],
        lambda a: a[..., :],
        lambda a: a[None],
        lambda a: a[1, 1:3],
        lambda a: a.reshape((6, 4)),
        lambda a: a.reshape((0, -1)),
        lambda a: a.expand_dims(1, inplace=True),
        lambda a: a.flatten(inplace=True),
        lambda a: a.detach(),
        lambda a: next(iter(a)),
    ],
)
def test_contiguous_parts_are_views(part):
    a = fresh()
    view = part(a)
    view[:] = -1
    assert (a.asnumpy() == -1).sum() == view.size


@pytest.mark.parametrize(
    "part",
    [
        lambda a: a[:, 1],
        lambda a: a[::-1],
        lambda a: a[:, :, ::2],
        lambda a: a[[0, 1]],
        lambda a: a[nd.array([1.0])],
        lambda a: a.T,
        lambda a: a.copy(),
        lambda a: a.astype("float32"),
        lambda a: a.squeeze(),
        lambda a: a.flatten(),
        lambda a: a.expand_dims(0),
        lambda a: a.copyto(mx.cpu(1)),
        lambda a: nd.array(a),
        lambda a: nd.moveaxis(a, 0, 2),
        lambda a: nd.moveaxis(a, 0, 0),
        lambda a: nd.Reshape(a, shape=(4, 6)),
        lambda a: nd.identity(a),
        lambda a: nd.split(a, num_outputs=2, axis=0)[0],
        lambda a: nd.transpose(a),
        lambda a: nd.concatenate([a]),
        lambda a: copy.copy(a),
        lambda a: copy.deepcopy(a),
    ],
)
def test_other_parts_are_contiguous_copies(part):
    a = fresh()
    before = a.asnumpy()
    found = part(a)
    assert found.value.flags.c_contiguous
    found[:] = -1
    np.testing.assert_array_equal(a.asnumpy(), before)


def test_construction_never_aliases():
    host = np.ones(3, np.float32)
    a = nd.array(host)
    host[:] = 5
    assert a.asnumpy().tolist() == [1, 1, 1]
    shown = a.asnumpy()
    shown[:] = 7
    assert a.asnumpy().tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int8", "uint8"])
@pytest.mark.parametrize(
    "f", [lambda a: a + 1, lambda a: 2.0 * a, lambda a: a / 2, lambda a: a > 1]
)
def test_types_are_kept(dtype, f):
    assert f(nd.ones((2, 3), dtype=dtype)).dtype is np.dtype(dtype).type


def test_quick_arithmetic_equals_the_operators():
    rng = np.random.default_rng(0)
    a, b = (nd.array(rng.uniform(0.5, 2, (3, 4))) for _ in range(2))
    pairs = {
        "elemwise_add": a + b,
        "elemwise_sub": a - b,
        "elemwise_mul": a * b,
        "elemwise_div": a / b,
        "_power": a**b,
        "_greater": a > b,
        "_lesser_equal": a <= b,
        "_equal": a == b,
    }
    for name, found in pairs.items():
        run = getattr(nd._internal, name, None) or getattr(nd, name)
        np.testing.assert_array_equal(found.asnumpy(), run(a, b).asnumpy(), err_msg=name)
    numbers = {
        "_plus_scalar": a + 1.5,
        "_rminus_scalar": 1.5 - a,
        "_rdiv_scalar": 1.5 / a,
        "_power_scalar": a**1.5,
        "_rpower_scalar": 1.5**a,
        "_greater_scalar": a > 1.5,
    }
    for name, found in numbers.items():
        run = getattr(nd._internal, name)
        np.testing.assert_array_equal(found.asnumpy(), run(a, scalar=1.5).asnumpy(), err_msg=name)


def test_scalars_without_dimensions():
    a = nd.array(3)
    assert a.shape == ()
    for found, value in ((a + 1, 4), (a + a, 6), (-a, -3), (a > 2, 1), (2 / a, 2 / 3)):
        assert isinstance(found.value, np.ndarray)
        assert found.dtype is np.float32
        assert found.asscalar() == pytest.approx(value)
    a += 1
    assert a.asscalar() == 4
    with pytest.raises(TypeError, match="no length"):
        len(a)
    with pytest.raises(IndexError):
        a[0]


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda: nd.ones((2, 3)) + nd.ones((2, 2)), ShapeError, r"\(2, 3\) and \(2, 2\)"),
        (lambda: nd.ones((2, 3)).__iadd__(nd.ones((4, 2, 3))), ShapeError, "broadcast"),
        (lambda: nd.ones(2) + nd.ones(2, dtype="float64"), DTypeError, "float64"),
        (lambda: nd.ones(2).__iadd__(nd.ones(2, dtype="int32")), DTypeError, "int32"),
        (lambda: nd.ones(2) + "a", TypeError, "not supported"),
        (lambda: nd.ones(2) == None, TypeError, "NoneType"),  # noqa: E711
        (lambda: bool(nd.ones(2)), ValueError, "ambiguous"),
        (lambda: nd.ones(2).asscalar(), ValueError, r"shape is \(2,\)"),
        (lambda: nd.ones(3).copyto(nd.ones(2)), ShapeError, r"\(2,\), but \(3,\)"),
        (lambda: nd.ones(3)[3], IndexError, "out of bounds"),
        (lambda: nd.ones(3)[0.5], ValueError, "0.5"),
        (lambda: nd.ones(3).__setitem__(0, "x"), TypeError, "numbers"),
        (lambda: nd.ones(3).__setitem__(slice(None), [1, 2]), ShapeError, r"shape \(3,\)"),
        (lambda: nd.ones((2, 3)).reshape((4, 2)), ShapeError, "6 elements cannot fill 8"),
        (lambda: nd.ones((2, 3)).reshape((-1, -1)), ShapeError, "only one"),
        (lambda: nd.zeros((2, -1)), ShapeError, "negative"),
        (lambda: nd.zeros("ab"), ShapeError, "integers"),
        (lambda: nd.zeros(2, "cpu"), TypeError, "Context"),
        (lambda: nd.array("x"), TypeError, "source_array"),
        (lambda: nd.array([[1, 2], [3]]), TypeError, "source_array"),
        (lambda: nd.array(["1"]), TypeError, "source_array"),
        (lambda: nd.array([1], dtype="int16"), TypeError, "int16"),
        (lambda: nd.concatenate([nd.ones((2, 3)), nd.ones((3, 2))]), ShapeError, "do not fit"),
        (lambda: nd.concatenate([]), ValueError, "at least one"),
        (lambda: nd.ones(2).no_such_method, AttributeError, "no_such_method"),
        (lambda: nd.FullyConected, AttributeError, "did you mean 'FullyConnected'"),
        (lambda: nd.ones((1, 3)).squeeze(1), ShapeError, "no axis 1 of length one"),
        (lambda: nd.ones(3).tostype("nosuch"), ValueError, "nosuch"),
    ],
)
def test_errors_say_what_is_wrong(f, error, words):
    with pytest.raises(error, match=words):
        f()


def test_integers_out_of_range_wrap():
    a = nd.zeros(2, dtype="uint8")
    a[0] = 300
    a[1] = -1
    assert a.asnumpy().tolist() == [44, 255]


def test_contexts():
    a = nd.ones(2, mx.cpu(1))
    assert (a + 1).context == mx.cpu(1)
    assert a.as_in_context(mx.cpu(1)) is a
    assert (nd.ones(2) + a).context == mx.cpu(0)  # all CPU contexts lie in host memory
    with mx.cpu(2):
        assert nd.ones(2).context == mx.cpu(2)
        assert nd.array(a).context == mx.cpu(2)
        assert nd.random.uniform(shape=2).context == mx.cpu(2)


def test_devices_do_not_mix(strict_device):
    a, b = nd.ones(2), nd.ones(2, mx.gpu(0))
    with pytest.raises(MXNetError, match=r"arrays on cpu\(0\) and gpu\(0\)"):
        a + b
    with pytest.raises(MXNetError, match="as_in_context"):
        nd.concatenate([a, b])
    b[:] = 5
    a[:] = b  # assigning crosses devices, as in MXNet
    assert a.asnumpy().tolist() == [5, 5]
    b[:] = a + 1
    assert b.asnumpy().tolist() == [6, 6]
    assert b.copyto(a) is a
    assert b.as_in_context(mx.cpu(0)).context == mx.cpu(0)
    assert b[nd.array([0], mx.cpu(0))].asnumpy().tolist() == [6]
    assert repr(b) == "\n[6. 6.]\n<NDArray 2 @gpu(0)>"


def test_a_missing_gpu_is_named():
    from importlib.util import find_spec

    if find_spec("cupy"):
        pytest.skip("this machine has CuPy")
    with pytest.raises(MXNetError, match="needs CuPy"):
        nd.ones(2, mx.gpu(0))


def test_pickles():
    for a in (fresh(), nd.array(3), fresh().reshape((6, 4)).tostype("csr")):
        back = pickle.loads(pickle.dumps(a))
        assert type(back) is type(a)
        np.testing.assert_array_equal(back.asnumpy(), a.asnumpy())
        assert back.context == mx.cpu(0)


def test_other_libraries_read_and_share():
    a = fresh()
    np.testing.assert_array_equal(np.asarray(a), a.asnumpy())
    assert np.asarray(a, dtype="int32").dtype == np.int32
    shared = np.from_dlpack(a)
    a[0, 0, 0] = 42
    assert shared[0, 0, 0] == 42
    back = nd.from_dlpack(nd.to_dlpack_for_read(a))
    assert back.asnumpy()[0, 0, 0] == 42
    with pytest.raises(ValueError, match="copy"):
        np.array(a, copy=False) if np.__version__ >= "2" else a.__array__(copy=False)


def test_from_numpy_shares_what_it_can():
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    nd.from_numpy(host)[:] = 7
    assert (host == 7).all()
    for other in (host.T, host.astype(">f4")):
        found = nd.from_numpy(other)
        assert found.value.flags.c_contiguous
        assert found.value.dtype.isnative
        np.testing.assert_array_equal(found.asnumpy(), other)
    with pytest.raises(DTypeError):
        nd.from_numpy(np.ones(2, complex))


def test_loaded_arrays_take_the_quick_way(tmp_path):
    nd.save(tmp_path / "x", fresh())
    (a,) = nd.load(tmp_path / "x")
    assert a.value.dtype is fresh().value.dtype  # NumPy keeps one object for each plain type


def test_wrap_chooses_the_class_without_a_copy():
    ctx, dense = mx.cpu(0), np.ones((2, 3), np.float32)
    assert type(wrap(dense, ctx)) is NDArray
    assert wrap(dense, ctx).value is dense
    rows = RowSparse(dense[:1], np.array([1]), (4, 3))
    assert wrap(rows, ctx).value is rows
    csr = CSR(np.ones(1), np.array([0]), np.array([0, 1]), (1, 1))
    assert wrap(csr, ctx).stype == "csr"


def test_hash_and_identity():
    a, b = nd.ones(2), nd.ones(2)
    assert len({a, b}) == 2
    assert hash(a) == hash(a)


def test_masks():
    a = fresh()
    host = a.asnumpy()
    mask = host % 5 == 0
    np.testing.assert_array_equal(a[mask].asnumpy(), host[mask])
    np.testing.assert_array_equal(a[nd.array(mask, dtype="bool")].asnumpy(), host[mask])
    np.testing.assert_array_equal(a[[True, False]].asnumpy(), host[[True, False]])


def test_saving_and_loading(tmp_path):
    path = tmp_path / "x.params"
    given = {"arg:w": fresh(), "aux:r": fresh().tostype("row_sparse"), "s": nd.array(3)}
    nd.save(path, given)
    back = nd.load(path)
    assert list(back) == list(given)
    for name, array in back.items():
        assert array.stype == given[name].stype
        np.testing.assert_array_equal(array.asnumpy(), given[name].asnumpy())
    again = nd.load_frombuffer(path.read_bytes())
    assert again.keys() == given.keys()
    nd.save(path, [fresh()])
    assert isinstance(nd.load(path), list)


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.params"
    nd.save(path, fresh())
    before = path.read_bytes()
    with pytest.raises(TypeError):
        nd.save(path, [nd.ones(2), "no array"])
    broken = nd.ones(2)
    broken.value = object()
    with pytest.raises(Exception):  # noqa: B017  whatever it is, the file stays
        nd.save(path, [nd.ones(2), broken])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.params"]


def test_names_that_stand_twice_are_refused(tmp_path):
    nd.save(tmp_path / "x", {"ab": nd.ones(1), "ac": nd.ones(1)})
    raw = (tmp_path / "x").read_bytes().replace(b"ac", b"ab")
    with pytest.raises(MXNetError, match="'ab' stands for two arrays"):
        nd.load_frombuffer(raw)


def test_arrays_of_a_device_are_saved_and_come_back_to_the_host(strict_device, tmp_path):
    a = nd.ones((2, 3), mx.gpu(0))
    nd.save(tmp_path / "x", {"a": a, "s": a.tostype("row_sparse")})
    raw = (tmp_path / "x").read_bytes()
    assert raw[52:60] == (2).to_bytes(4, "little") + (0).to_bytes(4, "little")
    back = nd.load(tmp_path / "x")
    assert back["a"].context == mx.cpu(0)
    np.testing.assert_array_equal(back["s"].asnumpy(), np.ones((2, 3)))


def test_arithmetic_on_a_device_waits_for_nothing(strict_device):
    from strict.device import no_syncs

    a = nd.ones((2, 3), mx.gpu(0))
    with no_syncs():
        b = (a + a) * 2 - a[0] / 3
        b += a
        b[:] = a
        b[0, 1] = 7
        nd.elemwise_add(a, b, out=b)
        c = b.reshape((3, 2)).copy().astype("float16")
    assert c.asnumpy().shape == (3, 2)
