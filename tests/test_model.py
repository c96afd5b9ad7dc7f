"""Checkpoint files."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import symgraph as mx


def network():
    layer = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc")
    return mx.sym.BatchNorm(layer, name="bn")


ARGS = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros(2), "bn_gamma": mx.nd.ones(2)}
ARGS |= {"bn_beta": mx.nd.array([3, 4])}
AUX = {"bn_moving_mean": mx.nd.array([1, 2]), "bn_moving_var": mx.nd.ones(2)}


def assert_equal(found, wanted):
    assert list(found) == list(wanted)
    for name, array in found.items():
        np.testing.assert_array_equal(array.asnumpy(), wanted[name].asnumpy())


def test_a_checkpoint_comes_back(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    prefix = str(tmp_path / "m")
    mx.model.save_checkpoint(prefix, 7, network(), ARGS, AUX)
    assert caplog.messages == [f'Saved checkpoint to "{prefix}-0007.params"']
    assert next(iter(mx.nd.load(f"{prefix}-0007.params"))) == "arg:fc_weight"
    symbol, args, aux = mx.model.load_checkpoint(prefix, 7)
    assert symbol.tojson() == network().tojson()
    assert_equal(args, ARGS)
    assert_equal(aux, AUX)
    args, aux = mx.model.load_params(prefix, 7)
    assert_equal(args, ARGS)
    assert_equal(aux, AUX)


def test_names_without_a_prefix_are_sorted_by_the_network(tmp_path):
    prefix = str(tmp_path / "m")
    network().save(f"{prefix}-symbol.json")
    mx.nd.save(f"{prefix}-0000.params", {**ARGS, **AUX})
    _, args, aux = mx.model.load_checkpoint(prefix, 0)
    assert_equal(args, ARGS)
    assert_equal(aux, AUX)


def test_arrays_without_names_are_refused(tmp_path):
    prefix = str(tmp_path / "m")
    mx.nd.save(f"{prefix}-0000.params", [mx.nd.ones(2)])
    with pytest.raises(mx.MXNetError, match="'arg:NAME' and 'aux:NAME'"):
        mx.model.load_params(prefix, 0)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(mx.MXNetError, match=r"m-symbol\.json"):
        mx.model.load_checkpoint(str(tmp_path / "m"), 3)
    with pytest.raises(mx.MXNetError, match=r"m-0003\.params"):
        mx.model.load_params(str(tmp_path / "m"), 3)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    prefix = str(tmp_path / "m")
    mx.model.save_checkpoint(prefix, 1, network(), ARGS, AUX)
    before = (tmp_path / "m-0001.params").read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mx.model.save_checkpoint(prefix, 1, None, {"fc_weight": mx.nd.zeros(9)}, {})
    assert (tmp_path / "m-0001.params").read_bytes() == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["m-0001.params", "m-symbol.json"]
