"""Layers and losses against more recorded answers, see ``tests/golden/record_nn.py``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ops import test_golden
from ops.test_golden import GOLDEN, check, known_divergence

RECORDED = json.loads((GOLDEN / "ops_nn.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def blobs():
    with np.load(GOLDEN / "ops_nn.npz") as arrays:
        return dict(arrays)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", RECORDED, ids=lambda c: c["id"])
def test_recorded_answers(case, blobs, monkeypatch):
    monkeypatch.setattr(test_golden, "BLOBS", blobs)
    reason = known_divergence("operators", case["id"])
    if reason is None:
        check(case)
    else:
        with pytest.raises(AssertionError):  # it agrees? then it is no divergence
            check(case)
