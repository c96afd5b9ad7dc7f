"""Metrics: what ``fit`` and ``score`` measure, averaged over an epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from symgraph.metric_base import (
    CompositeEvalMetric,
    CountedMetric,
    CustomMetric,
    EvalMetric,
    alias,
    check_label_shapes,
    create,
    host_pairs,
    listed,
    on_host,
    register,
)
from symgraph.metric_classification import (
    F1,
    MCC,
    PCC,
    Accuracy,
    CrossEntropy,
    NegativeLogLikelihood,
    Perplexity,
    TopKAccuracy,
)

__all__ = [
    "F1",
    "MAE",
    "MCC",
    "MSE",
    "PCC",
    "RMSE",
    "Accuracy",
    "Caffe",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "NegativeLogLikelihood",
    "PearsonCorrelation",
    "Perplexity",
    "TopKAccuracy",
    "Torch",
    "alias",
    "check_label_shapes",
    "create",
    "np",
    "register",
]


def np(
    numpy_feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False
) -> CustomMetric:
    """A metric from a function of NumPy arrays ``numpy_feval(label, pred)``."""
    return CustomMetric(numpy_feval, name, allow_extra_outputs)


# ---- regression ----------------------------------------------------------------------


class _Regression(CountedMetric):
    """The mean over batches of a distance between labels and predictions of equal shape.

    Shapes: both (n, ...); (n,) is taken as (n, 1). MXNet broadcasts other shapes against each
    other without a word; here they are refused.
    """

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            if label.ndim == 1:
                label = label[:, None]
            if pred.ndim == 1:
                pred = pred[:, None]
            check_label_shapes(label, pred, shape=True)
            self._count(float(self._distance(label - pred)))

    @staticmethod
    def _distance(difference: numpy.ndarray) -> Any:
        raise NotImplementedError


@register
class MAE(_Regression):
    """Mean absolute error."""

    def __init__(self, name: str = "mae", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _distance(difference: numpy.ndarray) -> Any:
        return numpy.abs(difference).mean()


@register
class MSE(_Regression):
    """Mean squared error."""

    def __init__(self, name: str = "mse", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _distance(difference: numpy.ndarray) -> Any:
        return numpy.square(difference).mean()


@register
class RMSE(_Regression):
    """Root of the mean squared error of each batch, averaged over batches as MXNet does."""

    def __init__(self, name: str = "rmse", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _distance(difference: numpy.ndarray) -> Any:
        return math.sqrt(numpy.square(difference).mean())


class _Moments:
    """Sums from which the correlation of two variables follows, however many samples came."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = numpy.zeros(2)
        self.spread = numpy.zeros((2, 2))

    def add(self, label: numpy.ndarray, pred: numpy.ndarray) -> None:
        """Merge a batch in. Source: Chan, Golub, LeVeque, "Updating formulae", 1979."""
        batch = numpy.stack([label.ravel(), pred.ravel()]).astype("float64")
        count, mean = batch.shape[1], batch.mean(1)
        centred, shift = batch - mean[:, None], mean - self.mean
        total = self.count + count
        self.spread += centred @ centred.T
        self.spread += numpy.outer(shift, shift) * (self.count * count / total)
        self.mean += shift * (count / total)
        self.count = total

    @property
    def correlation(self) -> float:
        scale = math.sqrt(self.spread[0, 0] * self.spread[1, 1])
        return float(self.spread[0, 1] / scale) if scale else float("nan")


@alias("pearsonr", "pearsoncorrelation")
class PearsonCorrelation(CountedMetric):
    """Correlation of predictions and labels: of each batch, averaged ("macro"), or of all.

    Shapes: labels and predictions of one shape.
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Any = None,
        label_names: Any = None,
        average: str = "macro",
    ) -> None:
        if average not in ("macro", "micro"):
            raise ValueError(f"{name}: average is {average!r}, but 'macro' or 'micro' is required")
        self.average = average
        super().__init__(name, output_names, label_names)

    def reset(self) -> None:
        super().reset()
        self._local, self._global = _Moments(), _Moments()

    def reset_local(self) -> None:
        super().reset_local()
        self._local = _Moments()

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in host_pairs(labels, preds):
            check_label_shapes(label, pred, shape=True)
            if self.average == "macro":
                batch = _Moments()
                batch.add(label, pred)
                self._count(batch.correlation)
                continue
            self._local.add(label, pred)
            self._global.add(label, pred)
            self.num_inst += 1
            self.global_num_inst += 1
            self.sum_metric = self._local.correlation * self.num_inst
            self.global_sum_metric = self._global.correlation * self.global_num_inst


@register
class Loss(CountedMetric):
    """The mean of the outputs themselves, for networks that end in a loss; labels are unused."""

    def __init__(self, name: str = "loss", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)

    def update(self, labels: Any, preds: Any) -> None:
        for pred in map(on_host, listed(preds)):
            self._count(float(pred.sum()), pred.size)


@register
class Torch(Loss):
    """A :class:`Loss` under the name that scripts of the Torch plugin use."""

    def __init__(self, name: str = "torch", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """A :class:`Loss` under the name that scripts of the Caffe plugin use."""

    def __init__(self, name: str = "caffe", output_names: Any = None, label_names: Any = None):
        super().__init__(name, output_names, label_names)
