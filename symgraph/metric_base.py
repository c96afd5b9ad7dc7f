"""The base of all metrics, their registry, and metrics made of others or of functions.

A metric adds up in ``update`` and divides in ``get``. It counts twice: since the last
``reset_local`` (``get``) and since the last ``reset`` (``get_global``), so that a progress line
every few batches does not spoil the number of the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from symgraph.errors import ShapeError
from symgraph.registry import get_alias_func, get_create_func, get_register_func

Arrays = Sequence[Any]


class EvalMetric:
    """Base of all metrics; a child overrides ``update``.

    Parameters
    ----------
    name : str
    output_names, label_names : list of str, optional
        Which outputs and labels ``update_dict`` picks; all of them by default.
    """

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """What ``create`` needs to make the metric again."""
        return {
            **self._kwargs,
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Update from arrays by name."""
        self.update(_pick(label, self.label_names), _pick(pred, self.output_names))

    def update(self, labels: Any, preds: Any) -> None:
        """Count a batch: a list of label arrays and the list of predictions for them."""
        raise NotImplementedError(f"{type(self).__name__} has no update(labels, preds)")

    def reset(self) -> None:
        """Forget everything."""
        self.num_inst: Any = 0
        self.sum_metric: Any = 0.0
        self.global_num_inst: Any = 0
        self.global_sum_metric: Any = 0.0

    def reset_local(self) -> None:
        """Forget what ``get`` counts, but not what ``get_global`` does."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def get(self) -> tuple[Any, Any]:
        """(name, value); NaN before anything was counted."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """(name, value) since the last ``reset``."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, float]]:
        """``get`` as a list of pairs."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> list[tuple[str, float]]:
        """``get_global`` as a list of pairs."""
        return _pairs(*self.get_global())

    def _value(self, total: Any, count: Any) -> float:
        return total / count if count else float("nan")

    def _count(self, total: float, count: float = 1) -> None:
        self.sum_metric += total
        self.num_inst += count
        self.global_sum_metric += total
        self.global_num_inst += count


register = get_register_func(EvalMetric, "metric")
alias = get_alias_func(EvalMetric, "metric")
_create = get_create_func(EvalMetric, "metric")


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric from its name, a function ``f(label, pred)``, an instance, or a list of these.

    Raises
    ------
    RegistryError
        If there is no metric of that name.
    """
    if callable(metric) and not isinstance(metric, EvalMetric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for child in metric:
            composite.add(create(child, *args, **kwargs))
        return composite
    return _create(metric, *args, **kwargs)


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """``labels`` and ``preds`` if they agree in length, or in shape if ``shape``.

    With ``wrap`` single arrays become lists of one.

    Raises
    ------
    ValueError
        If they do not agree.
    """
    lengths = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if lengths[0] != lengths[1]:
        none = "" if lengths[0] else ": there are no labels"
        raise ShapeError(
            f"Shape of labels {lengths[0]} does not match shape of predictions {lengths[1]}{none}"
        )
    return (listed(labels), listed(preds)) if wrap else (labels, preds)


def _pick(arrays: Mapping[str, Any], names: Sequence[str] | None) -> list[Any]:
    return list(arrays.values()) if names is None else [arrays[name] for name in names]


def _pairs(name: Any, value: Any) -> list[tuple[str, float]]:
    return list(zip(listed(name), listed(value), strict=True))


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def on_host(array: Any) -> numpy.ndarray:
    return array.asnumpy() if hasattr(array, "asnumpy") else numpy.asarray(array)


def host_pairs(labels: Any, preds: Any) -> list[tuple[numpy.ndarray, numpy.ndarray]]:
    """Pairs of host arrays."""
    labels, preds = check_label_shapes(listed(labels), listed(preds))
    return [(on_host(a), on_host(b)) for a, b in zip(labels, preds, strict=True)]


@alias("composite", "compositeevalmetric")
class CompositeEvalMetric(EvalMetric):
    """Several metrics at once; ``get`` returns lists of names and of values."""

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = [create(m) for m in metrics or ()]
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def add(self, metric: Any) -> None:
        """Add a metric, given as ``create`` takes it."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """The metric number ``index``; IndexError if there are fewer."""
        if not -len(self.metrics) <= index < len(self.metrics):
            raise IndexError(f"Metric index {index} is out of range 0 and {len(self.metrics)}")
        return self.metrics[index]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "metrics": [m.get_config() for m in self.metrics]}

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        if self.label_names is not None:
            label = {k: v for k, v in label.items() if k in self.label_names}
        if self.output_names is not None:
            pred = {k: v for k, v in pred.items() if k in self.output_names}
        for metric in self.metrics:
            metric.update_dict(label, pred)

    def update(self, labels: Any, preds: Any) -> None:
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[Any, Any]:
        return self._gather([m.get_name_value() for m in self.metrics])

    def get_global(self) -> tuple[Any, Any]:
        return self._gather([m.get_global_name_value() for m in self.metrics])

    @staticmethod
    def _gather(parts: Sequence[list[tuple[str, float]]]) -> tuple[list[str], list[float]]:
        pairs = [pair for part in parts for pair in part]
        return [name for name, _ in pairs], [value for _, value in pairs]


class CountedMetric(EvalMetric):
    """A metric that counts every batch both locally and globally."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, **kwargs)


class CustomMetric(CountedMetric):
    """``feval(label, pred)`` on NumPy arrays; it returns a value, or (sum, count)."""

    def __init__(
        self,
        feval: Callable[..., Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        given = getattr(feval, "__name__", type(feval).__name__)
        super().__init__(
            name or (f"custom({given})" if "<" in given else given), output_names, label_names
        )
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError(f"{self.name} is made from a function, which has no config")

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = listed(labels), listed(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(labels, preds)
        for label, pred in zip(labels, preds, strict=False):
            result = self._feval(on_host(label), on_host(pred))
            self._count(*(result if isinstance(result, tuple) else (result, 1)))
