"""Initializers against what MXNet answers."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx

GOLDEN = Path(__file__).parent / "golden" / "module"
RECORDED = json.loads((GOLDEN / "initializers.json").read_text(encoding="utf-8"))
ARRAYS = np.load(GOLDEN / "initializers.npz")


def filled(initializer, name, shape):
    array = mx.nd.full(shape, 9)
    initializer(name, array)
    return array.asnumpy()


@pytest.mark.parametrize("number", range(len(RECORDED["cases"])))
def test_recorded_initializer(number):
    case = RECORDED["cases"][number]
    initializer = getattr(mx.init, case["initializer"])(**case["args"])
    assert initializer.dumps() == case["dumps"]
    assert mx.init.create(case["dumps"]) == initializer
    name = mx.init.InitDesc(case["name"])
    if "exception" in case:
        with pytest.raises((ValueError, IndexError)):
            filled(initializer, name, case["shape"])
        return
    found = filled(initializer, name, case["shape"])
    if "npz" in case:
        np.testing.assert_allclose(found, ARRAYS[case["npz"]], rtol=1e-6)
    elif found.size > 500:
        assert found.std() == pytest.approx(case["std"], rel=0.1)
        assert found.mean() == pytest.approx(0, abs=0.1 * case["std"])
        assert abs(found).max() < 1.6 * max(abs(case["min"]), case["max"])


# FusedRNN comes with the recurrent cells.
CREATED = [c for c in RECORDED["other"] if c["what"].startswith("create(")]
CREATED = [c for c in CREATED if "fusedrnn" not in c["what"]]


@pytest.mark.parametrize("case", CREATED, ids=str)
def test_create(case):
    spec = case["what"][8:-2]
    if case["exception"]:
        with pytest.raises((AssertionError, TypeError)):
            mx.init.create(spec)
    else:
        assert type(mx.init.create(spec)).__name__ == case["result"]


PLAIN = {
    "bn_moving_mean": 0.0,
    "bn_moving_var": 1.0,
    "bn_moving_inv_var": 0.0,
    "bn_moving_avg": 0.0,
    "stn_loc_weight": 0.0,
    "x_bias": 0.0,
    "x_beta": 0.0,
    "x_gamma": 1.0,
    "p_min": 0.0,
    "p_max": 1.0,
    "x_weight": 7.0,
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_string_follows_the_old_rules(name):
    assert (filled(mx.init.Constant(7), name, (2, 3)) == PLAIN[name]).all()


def test_plain_strings_of_layers_with_a_meaning():
    assert filled(mx.init.One(), "stn_loc_bias", (6,)).tolist() == [1, 0, 0, 0, 1, 0]
    enlarging = filled(mx.init.Zero(), "upsampling0_weight", (1, 1, 4, 4))
    np.testing.assert_allclose(enlarging[0, 0, 1], [0.1875, 0.5625, 0.5625, 0.1875])


def test_an_unknown_ending_says_what_to_do():
    with pytest.raises(ValueError, match=r"Unknown initialization pattern for odd.*Variable"):
        filled(mx.init.One(), mx.init.InitDesc("odd"), (2,))
    with pytest.raises(TypeError, match="name must be string"):
        mx.init.One()(3, mx.nd.ones(2))


def test_a_variables_own_initializer_goes_first():
    name = mx.init.InitDesc("odd", {"__init__": mx.init.Constant(4).dumps()})
    assert (filled(mx.init.Zero(), name, (3,)) == 4).all()


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (5, 2, 3)])
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_orthogonal_rows_or_columns_are_orthonormal(shape, kind):
    found = filled(mx.init.Orthogonal(2, kind), "x_weight", shape).reshape(shape[0], -1)
    small = found @ found.T if found.shape[0] <= found.shape[1] else found.T @ found
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)


def test_a_seed_repeats_the_values():
    def drawn():
        mx.random.seed(5)
        return filled(mx.init.Normal(1), "x_weight", (4, 3))

    assert (drawn() == drawn()).all()


def test_constant_takes_arrays():
    found = filled(mx.init.Constant([1, 2]), "x_weight", (3, 2))
    assert found.tolist() == [[1, 2]] * 3
    assert mx.init.Constant(mx.nd.array([1, 2])).dumps() == '["constant", {"value": [1.0, 2.0]}]'


def test_row_sparse_parameters_are_filled_whole():
    array = mx.nd.sparse.zeros("row_sparse", (4, 3))
    mx.init.One()(mx.init.InitDesc("x_weight"), array)
    assert (array.asnumpy() == 1).all()


def test_mixed_takes_the_first_match():
    mixed = mx.init.Mixed(["bias", ".*"], [mx.init.Constant(3), mx.init.One()])
    assert (filled(mixed, "x_weight", (2,)) == 1).all()
    with pytest.raises(ValueError, match="did not match any pattern"):
        mx.init.Mixed(["b"], [mx.init.One()])("w_weight", mx.nd.ones(2))
    with pytest.raises(AssertionError, match="1 patterns came with 2 initializers"):
        mx.init.Mixed([".*"], [mx.init.One(), mx.init.Zero()])


def test_load_takes_from_a_dict_or_file(tmp_path):
    values = {"arg:a": mx.nd.array([1, 2]), "aux:b": mx.nd.array([3])}
    file = str(tmp_path / "x.params")
    mx.nd.save(file, values)
    for source in (values, file):
        load = mx.init.Load(source, default_init=mx.init.One())
        assert filled(load, "a", (2,)).tolist() == [1, 2]
        assert filled(load, "c_weight", (2,)).tolist() == [1, 1]
    with pytest.raises(AssertionError, match=r"target \(3,\) vs loaded \(2,\)"):
        mx.init.Load(values)("a", mx.nd.ones(3))
    with pytest.raises(AssertionError, match="Cannot Initialize c"):
        mx.init.Load(values)("c", mx.nd.ones(3))


def test_verbosity_tells_what_was_done(caplog):
    caplog.set_level(logging.INFO)
    initializer = mx.init.One().set_verbosity(True, lambda array: array.shape)
    filled(initializer, mx.init.InitDesc("x_weight"), (2, 3))
    assert caplog.messages == ['Initialized x_weight as ["one", {}]: (2, 3)']


def test_vectors_are_refused_where_a_matrix_is_needed():
    with pytest.raises(ValueError, match="requires at least 2D"):
        filled(mx.init.Xavier(), "x_weight", (3,))
    with pytest.raises(mx.MXNetError, match="a matrix is required"):
        filled(mx.init.Orthogonal(), "x_weight", (3,))


def test_users_register_initializers():
    @mx.init.register
    class Threes(mx.init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 3

    assert (filled(mx.init.create("threes"), "x_weight", (2,)) == 3).all()
    assert mx.init.create("threes").dumps() == '["threes", {}]'
