"""Whole networks give MXNet 1.9.1's outputs, gradients and auxiliary states.

``tests/golden/nets.zip`` holds, for each network, its symbol JSON as MXNet saved it, the arrays it
was bound to and MXNet's answers: ``out_eval`` of a forward pass, then ``out_train``, the gradients
and the auxiliary states of one training pass.
"""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx
from symgraph.errors import UnknownOperatorError

ARCHIVE = Path(__file__).parents[1] / "golden" / "nets.zip"

NOT_YET = {
    "cond": "_cond",
    "fcn_deconv_crop": "Crop",
    "foreach_rnn": "_foreach",
    "gru_fused_bi": "RNN",
    "linalg_ops": "_linalg_gemm2",
    "lstm_fused": "RNN",
    "rcnn_head": "ROIPooling",
    "rnn_op_gru": "RNN",
    "rnn_op_lstm": "RNN",
    "sequence_ops": "SequenceMask",
    "shape_ops": "Pad",
    "spatial_transformer": "SpatialTransformer",
}
"""Networks that need an operator which symgraph has not, with its name: they load and are refused
at inference. A network leaves this list when its operator is there."""


def names() -> list[str]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        ending = ".symbol.json"
        return [n.removesuffix(ending) for n in archive.namelist() if n.endswith(ending)]


@cache
def load(name: str):
    """(symbol, its description, arrays) of a network."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        symbol = mx.sym.load_json(archive.read(f"{name}.symbol.json").decode())
        about = json.loads(archive.read(f"{name}.json"))
        arrays = dict(np.load(io.BytesIO(archive.read(f"{name}.npz"))))
    return symbol, about, arrays


def bind(name: str):
    symbol, _, arrays = load(name)
    wanted = {n for n in symbol.list_arguments() if f"grad:{n}" in arrays}
    args = {n: mx.nd.array(arrays[_key(arrays, n)]) for n in symbol.list_arguments()}
    return symbol.bind(
        mx.cpu(),
        args,
        args_grad={n: mx.nd.zeros(args[n].shape) for n in wanted},
        aux_states={n: mx.nd.array(arrays[f"aux:{n}"]) for n in symbol.list_auxiliary_states()},
    )


def _key(arrays, name: str) -> str:
    return f"arg:{name}" if f"arg:{name}" in arrays else f"in:{name}"


def close(came: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Equal to 1e-5 of the largest element, or of 0.1 where sums cancel in another order."""
    scale = max(float(np.abs(expected).max(initial=0)), 0.1)
    np.testing.assert_allclose(came, expected, rtol=1e-4, atol=1e-5 * scale, err_msg=what)


@pytest.mark.parametrize("name", [n for n in names() if n not in NOT_YET])
def test_network(name: str) -> None:
    _, _, arrays = load(name)
    executor = bind(name)
    for i, out in enumerate(executor.forward(is_train=False)):
        close(out.asnumpy(), arrays[f"out_eval:{i}"], f"output {i}")
    if "out_train:0" not in arrays:
        return
    outputs = executor.forward(is_train=True)
    for i, out in enumerate(outputs):
        close(out.asnumpy(), arrays[f"out_train:{i}"], f"training output {i}")
    executor.backward([mx.nd.array(arrays[f"head_grad:{i}"]) for i in range(len(outputs))])
    for node, grad in executor.grad_dict.items():
        if grad is not None:
            close(grad.asnumpy(), arrays[f"grad:{node}"], f"gradient of {node}")
    for node, state in executor.aux_dict.items():
        key = f"aux_after_train_forward:{node}"
        if key in arrays:
            close(state.asnumpy(), arrays[key], node)


@pytest.mark.parametrize("name", NOT_YET)
def test_a_network_with_a_missing_operator_is_refused_by_name(name: str) -> None:
    symbol, about, _ = load(name)
    assert symbol.list_arguments() == about["arguments"]
    with pytest.raises(UnknownOperatorError, match=f"'{NOT_YET[name]}' is not known"):
        bind(name)
