"""Metrics of classifiers: accuracy and its kin, agreement beyond chance, and log losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symgraph.errors import ShapeError
from symgraph.metric_base import CountedMetric, alias, check_label_shapes, host_pairs, register


def _classes(label: np.ndarray, pred: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Class numbers, flat: of the label, and of the prediction, the largest along ``axis``."""
    if pred.shape != label.shape:
        pred = pred.argmax(axis)
    return check_label_shapes(label.ravel().astype("int32"), pred.ravel().astype("int32"))


@alias("acc", "accuracy")
class Accuracy(CountedMetric):
    """The part of the samples whose label is the class of largest prediction.

    Shapes: labels (n,) or (n, 1), predictions (n, classes), or class numbers in the labels' shape;
    more dimensions with the classes along ``axis``.
    """

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Any = None,
        label_names: Any = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis)
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            label, pred = _classes(label, pred, self.axis)
            self._count(int((label == pred).sum()), len(label))


@alias("top_k_accuracy", "top_k_acc", "topkaccuracy")
class TopKAccuracy(CountedMetric):
    """The part of the samples whose label is among the ``top_k`` largest predictions.

    Shapes: labels (n,) or (n, 1), predictions (n, classes).
    """

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Any = None,
        label_names: Any = None,
    ) -> None:
        if top_k <= 1:
            raise AssertionError("Please use Accuracy if top_k is no more than 1")
        super().__init__(f"{name}_{top_k}", output_names, label_names, top_k=top_k)
        self.top_k = top_k

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            if pred.ndim != 2 or pred.shape[1] < self.top_k:
                raise ShapeError(
                    f"{self.name}: predictions have shape {pred.shape}, "
                    f"but (n, at least {self.top_k} classes) is required"
                )
            label = label.ravel().astype("int32")
            check_label_shapes(label, pred)
            best = np.argpartition(pred, -self.top_k, axis=1)[:, -self.top_k :]
            self._count(int((best == label[:, None]).any(1).sum()), len(label))


class _Confusion:
    """Counts of a binary classifier; class 1 is positive."""

    def __init__(self) -> None:
        self.counts = np.zeros((2, 2))  # [label, prediction]

    def add(self, label: np.ndarray, pred: np.ndarray) -> None:
        label, pred = _classes(label, pred, 1)
        if np.unique(label).size > 2 or label.size == 0:
            raise ValueError(
                f"F1 and MCC are for two classes, but the labels have {np.unique(label).size}"
            )
        np.add.at(self.counts, ((label == 1).astype(int), (pred == 1).astype(int)), 1)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def fscore(self) -> float:
        """Harmonic mean of precision and recall."""
        (_, fp), (fn, tp) = self.counts
        return float(2 * tp / (2 * tp + fp + fn)) if tp else 0.0

    @property
    def matthews(self) -> float:
        """Correlation of labels and predictions; an empty row or column counts as one sample."""
        (tn, fp), (fn, tp) = self.counts
        product = math.prod(float(s) for s in (tp + fp, tp + fn, tn + fp, tn + fn) if s)
        return float((tp * tn - fp * fn) / math.sqrt(product)) if self.total else 0.0


class _Binary(CountedMetric):
    """A number of a confusion matrix: of each batch and averaged ("macro"), or of all batches."""

    def __init__(self, name: str, output_names: Any, label_names: Any, average: str) -> None:
        if average not in ("macro", "micro"):
            raise ValueError(f"{name}: average is {average!r}, but 'macro' or 'micro' is required")
        self.average = average
        super().__init__(name, output_names, label_names)

    def _score(self, confusion: _Confusion) -> float:
        raise NotImplementedError

    def reset(self) -> None:
        super().reset()
        self._local, self._global = _Confusion(), _Confusion()

    def reset_local(self) -> None:
        super().reset_local()
        self._local = _Confusion()

    def update(self, labels: Any, preds: Any) -> None:
        pairs = host_pairs(labels, preds)
        if self.average == "macro":
            batch = _Confusion()
            for label, pred in pairs:
                batch.add(label, pred)
            self._count(self._score(batch))
            return
        for label, pred in pairs:
            self._local.add(label, pred)
            self._global.add(label, pred)
        self.num_inst, self.global_num_inst = self._local.total, self._global.total
        self.sum_metric = self._score(self._local) * self.num_inst
        self.global_sum_metric = self._score(self._global) * self.global_num_inst


@register
class F1(_Binary):
    """F1 score of a two-class problem.

    Shapes: labels (n,), predictions (n, 2).
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Any = None,
        label_names: Any = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def _score(self, confusion: _Confusion) -> float:
        return confusion.fscore


@register
class MCC(_Binary):
    """Matthews correlation coefficient of a two-class problem.

    Shapes: labels (n,), predictions (n, 2).
    """

    def __init__(
        self,
        name: str = "mcc",
        output_names: Any = None,
        label_names: Any = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def _score(self, confusion: _Confusion) -> float:
        return confusion.matthews


@register
class PCC(CountedMetric):
    """Pearson correlation of labels and predictions of any number of classes, over all batches.

    Shapes: labels (n,), predictions (n, classes). For two classes it is :class:`MCC` ("micro").
    Source: Gorodkin, "Comparing two K-category assignments by a K-category correlation
    coefficient", 2004.
    """

    def __init__(
        self,
        name: str = "pcc",
        output_names: Any = None,
        label_names: Any = None,
        has_global_stats: bool = True,
    ) -> None:
        super().__init__(name, output_names, label_names)
        self._has_global_stats = has_global_stats

    def reset(self) -> None:
        super().reset()
        self._local = np.zeros((0, 0))  # [prediction, label]
        self._global = np.zeros((0, 0))

    def reset_local(self) -> None:
        super().reset_local()
        self._local = np.zeros((0, 0))

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            label, pred = _classes(label, pred, 1)
            size = max(len(self._global), int(max(label.max(), pred.max())) + 1)
            batch = np.zeros((size, size))
            np.add.at(batch, (pred, label), 1)
            self._local = _grown(self._local, size) + batch
            self._global = _grown(self._global, size) + batch
        self.num_inst += 1
        self.global_num_inst += 1
        self.sum_metric = _correlation(self._local) * self.num_inst
        self.global_sum_metric = _correlation(self._global) * self.global_num_inst


def _grown(matrix: np.ndarray, size: int) -> np.ndarray:
    return np.pad(matrix, (0, size - len(matrix)))


def _correlation(confusion: np.ndarray) -> float:
    n, rows, columns = confusion.sum(), confusion.sum(1), confusion.sum(0)
    spread = (rows * (n - rows)).sum() * (columns * (n - columns)).sum()
    shared = (confusion.diagonal() * n - rows * columns).sum()
    return float(shared / math.sqrt(spread)) if spread else float("nan")


def _probabilities(label: np.ndarray, pred: np.ndarray, name: str) -> np.ndarray:
    """The predicted probability of each label. Shapes: (n,), (n, classes) -> (n,)."""
    if pred.ndim != 2 or len(label) != len(pred):
        raise ShapeError(
            f"{name}: {len(label)} labels came with predictions of shape {pred.shape}, "
            f"but (n, classes) with equal n is required"
        )
    label = label.astype("int64")
    bad = label[(label < 0) | (label >= pred.shape[1])]
    if bad.size:
        raise IndexError(f"{name}: label {bad[0]} is out of range for {pred.shape[1]} classes")
    return pred[np.arange(len(label)), label]


class _LogLoss(CountedMetric):
    """Mean of -log(probability of the label + eps).

    Shapes: labels (n,) or (n, 1), predictions (n, classes), each row a distribution.
    """

    def __init__(self, eps: float, name: str, output_names: Any, label_names: Any) -> None:
        super().__init__(name, output_names, label_names, eps=eps)
        self.eps = eps

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            found = _probabilities(label.ravel(), pred, self.name)
            self._count(float(-np.log(found + self.eps).sum()), len(found))


@alias("ce", "crossentropy")
class CrossEntropy(_LogLoss):
    __doc__ = _LogLoss.__doc__

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Any = None,
        label_names: Any = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@alias("nll_loss", "negativeloglikelihood")
class NegativeLogLikelihood(_LogLoss):
    __doc__ = _LogLoss.__doc__

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Any = None,
        label_names: Any = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(CountedMetric):
    """exp of the mean log loss over all labels but ``ignore_label``.

    Shapes: labels of n items in any shape, predictions (n, classes).
    """

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Any = None,
        label_names: Any = None,
    ) -> None:
        super().__init__(name, output_names, label_names, ignore_label=ignore_label)
        self.ignore_label = ignore_label
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            label, pred = label.ravel(), np.moveaxis(pred, self.axis, -1)
            pred = pred.reshape(-1, pred.shape[-1])
            if len(label) == len(pred) and self.ignore_label is not None:
                kept = label.astype("int64") != self.ignore_label
                label, pred = label[kept], pred[kept]
            found = _probabilities(label, pred, self.name)
            self._count(float(-np.log(np.maximum(found, 1e-10)).sum()), len(found))

    def _value(self, total: Any, count: Any) -> float:
        return math.exp(total / count) if count else float("nan")
