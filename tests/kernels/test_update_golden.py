"""Optimizer steps against the recorded results of MXNet 1.9.1's update operators."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from symgraph.kernels import update, use_reference

with np.load(Path(__file__).parents[1] / "golden" / "kernel_updates.npz") as file:
    GOLDEN = dict(file)
STEPS = sorted({key.rpartition("/")[0] for key in GOLDEN if "/" in key})


def _arrays(step):
    count = sum(key.startswith(f"{step}/before:") for key in GOLDEN)
    before = [GOLDEN[f"{step}/before:{i}"].copy() for i in range(count)]
    after = [GOLDEN[f"{step}/after:{i}"] for i in range(count)]
    return before, after, GOLDEN[f"{step}/grad"], GOLDEN[f"{step}/values"].tolist()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("body", [use_reference, nullcontext], ids=["reference", "compiled"])
def test_rows(step, body):
    tables, after, grad, options = _arrays(step)
    kernel = getattr(update, f"{step.partition('/')[0]}_rows")
    with body():
        kernel(*tables, GOLDEN["rows"], grad, *options)
    for table, wanted in zip(tables, after, strict=True):
        np.testing.assert_allclose(table, wanted, rtol=1e-6, atol=3e-7)


@pytest.mark.parametrize("step", [s for s in STEPS if hasattr(update, s.split("/")[0] + "_dense")])
@pytest.mark.parametrize("body", [use_reference, nullcontext], ids=["reference", "compiled"])
def test_dense(step, body):
    tables, after, grad, options = _arrays(step)
    rows = GOLDEN["rows"]
    picked = [np.ascontiguousarray(table[rows]) for table in tables]
    with body():
        getattr(update, f"{step.partition('/')[0]}_dense")(*picked, grad, *options)
    for table, wanted in zip(picked, after, strict=True):
        np.testing.assert_allclose(table, wanted[rows], rtol=1e-6, atol=3e-7)
