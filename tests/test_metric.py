"""Metrics against what MXNet answers, and on input that does not fit."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx

GOLDEN = Path(__file__).parent / "golden"
RECORDED = json.loads((GOLDEN / "module" / "metrics.json").read_text(encoding="utf-8"))
DIVERGENCES = tomllib.loads((GOLDEN / "divergences.toml").read_text(encoding="utf-8"))["metrics"]


def _doubled(label, pred):
    return np.abs(label - pred).mean() * 2


def _absdiff(label, pred):
    return np.abs(label - pred).mean()


def make(case):
    note = case.get("note", "")
    if case["metric"] == "CustomMetric":
        if "sum, count" in note:
            return mx.metric.CustomMetric(
                lambda label, pred: (float(np.abs(label - pred).sum()), label.shape[0])
            )
        return mx.metric.CustomMetric(_doubled, name="dbl")
    if case["metric"] == "np":
        return mx.metric.np(_absdiff, name="zz" if "zz" in note else None)
    if case["metric"] == "CompositeEvalMetric":
        return mx.metric.create(["acc", "ce", mx.metric.create("top_k_acc", top_k=2)])
    return getattr(mx.metric, case["metric"])(**case["args"])


def answers(case):
    metric = make(case)
    found = {"get_before_any_update": metric.get(), "str_before": str(metric)}
    after = []
    for batch in case["batches"]:
        labels, preds = ([mx.nd.array(a) for a in batch[k]] for k in ("labels", "preds"))
        metric.update(labels, preds)
        after.append(metric.get())
    found |= {"get_after_each_update": after, "get_name_value": metric.get_name_value()}
    if case.get("num_inst") is not None:
        found["num_inst"] = metric.num_inst
    if "exception" not in case["get_config"]:
        found["get_config"] = metric.get_config()
    metric.reset_local()
    found |= {"get_after_reset_local": metric.get()}
    found |= {"get_global_after_reset_local": metric.get_global()}
    metric.reset()
    return found | {"get_after_reset": metric.get()}


def assert_alike(found, wanted, where):
    if isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for one, other in zip(found, wanted, strict=True):
            assert_alike(one, other, where)
    elif wanted == "nan":
        assert math.isnan(found), where
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-9), where
    else:
        assert found == wanted, where


@pytest.mark.parametrize("number", range(len(RECORDED["cases"])))
def test_recorded_metric(number):
    case = RECORDED["cases"][number]
    if "exception" in case:
        with pytest.raises((ValueError, AssertionError)):
            answers(case)
        return
    for key, found in answers(case).items():
        if f"{case['metric']} {case['args']} {key}" not in DIVERGENCES:
            assert_alike(found, case[key], (case["metric"], case["args"], key))


@pytest.mark.parametrize("case", [c for c in RECORDED["create"] if "call" not in c], ids=str)
def test_create_by_name(case):
    name = case["name"]
    kwargs = {"top_k": 2} if name.startswith("top") else {}
    if name.lower() == "perplexity":
        kwargs = {"ignore_label": None}
    if "exception" in case:
        with pytest.raises(AssertionError, match=f"{name}.*not registered"):
            mx.metric.create(name, **kwargs)
        return
    metric = mx.metric.create(name, **kwargs)
    assert (type(metric).__name__, metric.name) == (case["cls"], case["metric_name"])


def test_create_from_everything_else():
    assert isinstance(mx.metric.create(_absdiff), mx.metric.CustomMetric)
    several = mx.metric.create(["acc", "mse"])
    assert several.get()[0] == ["accuracy", "mse"]
    one = mx.metric.MSE()
    assert mx.metric.create(one) is one
    assert mx.metric.create('["acc", {"axis": 2}]').axis == 2
    assert mx.metric.create(mx.metric.Accuracy(axis=3).get_config()).axis == 3
    with pytest.raises(AssertionError, match="by name or as an instance, not as int"):
        mx.metric.create(3)


def test_a_misspelt_name_is_answered_with_close_ones():
    with pytest.raises(mx.MXNetError, match="did you mean 'accuracy'"):
        mx.metric.create("accuraccy")


def test_users_register_metrics():
    @mx.metric.register
    class Largest(mx.metric.EvalMetric):
        def __init__(self, name="largest", **kwargs):
            super().__init__(name, **kwargs)

        def update(self, labels, preds):
            self.sum_metric += float(preds[0].asnumpy().max())
            self.num_inst += 1

    metric = mx.metric.create("largest")
    metric.update([mx.nd.zeros(2)], [mx.nd.array([3, 5])])
    assert metric.get() == ("largest", 5.0)
    assert metric.get_global() == ("largest", 5.0)


def test_update_dict_picks_by_name():
    metric = mx.metric.MSE(output_names=["p"], label_names=["y"])
    labels = {"other": mx.nd.ones(9), "y": mx.nd.array([1, 2])}
    metric.update_dict(labels, {"p": mx.nd.array([1, 4]), "q": mx.nd.ones(3)})
    assert metric.get() == ("mse", 2.0)
    with pytest.raises(KeyError, match="p"):
        metric.update_dict(labels, {"q": mx.nd.ones(2)})


def test_global_numbers_survive_a_local_reset():
    metric = mx.metric.create("acc")
    right, wrong = mx.nd.array([[0, 1]]), mx.nd.array([[1, 0]])
    metric.update([mx.nd.array([1])], [right])
    metric.reset_local()
    metric.update([mx.nd.array([1])], [wrong])
    assert metric.get() == ("accuracy", 0.0)
    assert metric.get_global() == ("accuracy", 0.5)


@pytest.mark.parametrize(
    ("name", "labels", "preds", "words"),
    [
        ("mse", (3,), (3, 2), "(3, 1) does not match shape of predictions (3, 2)"),
        ("mae", (4,), (3,), "(4, 1) does not match shape of predictions (3, 1)"),
        ("rmse", (2, 3), (6,), "(2, 3) does not match shape of predictions (6, 1)"),
        ("pearsonr", (3, 1), (3, 2), "(3, 1) does not match shape of predictions (3, 2)"),
        ("acc", (3,), (2, 3), "labels 3 does not match shape of predictions 2"),
        ("ce", (3,), (2, 3), "3 labels came with predictions of shape (2, 3)"),
        ("nll_loss", (3,), (3,), "3 labels came with predictions of shape (3,)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(name, labels, preds, words):
    with pytest.raises(ValueError) as caught:
        mx.metric.create(name).update([mx.nd.zeros(labels)], [mx.nd.zeros(preds)])
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["ce", "nll_loss", "perplexity"])
@pytest.mark.parametrize("label", [2, -1])
def test_a_label_out_of_range_is_named(name, label):
    kwargs = {"ignore_label": None} if name == "perplexity" else {}
    metric = mx.metric.create(name, **kwargs)
    with pytest.raises(IndexError, match=f"label {label} is out of range for 2 classes"):
        metric.update([mx.nd.array([label])], [mx.nd.array([[0.5, 0.5]])])


def test_perplexity_leaves_the_ignored_label_out_though_it_is_no_class():
    metric = mx.metric.Perplexity(ignore_label=-1)
    metric.update([mx.nd.array([-1, 1])], [mx.nd.array([[0.5, 0.5], [0.75, 0.25]])])
    assert metric.get()[1] == pytest.approx(4.0)


def test_micro_pearson_is_that_of_all_samples():
    rng = np.random.default_rng(3)
    label, pred = rng.random((2, 17)) * 100
    metric = mx.metric.PearsonCorrelation(average="micro")
    for part in (slice(0, 5), slice(5, 17)):
        metric.update([label[part]], [pred[part]])
    assert metric.get()[1] == pytest.approx(np.corrcoef(label, pred)[0, 1])
    metric.reset_local()
    assert metric.get_global()[1] == pytest.approx(np.corrcoef(label, pred)[0, 1])


def test_averages_other_than_macro_and_micro_are_refused():
    for metric in (mx.metric.F1, mx.metric.MCC, mx.metric.PearsonCorrelation):
        with pytest.raises(ValueError, match="'macro' or 'micro'"):
            metric(average="median")


def test_composite_takes_more_and_knows_its_own():
    metric = mx.metric.create(["acc"])
    metric.add("mse")
    assert metric.get_metric(1).name == "mse"
    with pytest.raises(IndexError, match="index 5 is out of range"):
        metric.get_metric(5)


def test_check_label_shapes_wraps():
    one, other = mx.nd.ones(2), mx.nd.zeros(2)
    assert mx.metric.check_label_shapes(one, other, wrap=True, shape=True) == ([one], [other])
