"""The loop of ``fit``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from symgraph import metric as metrics
from symgraph.errors import MXNetError
from symgraph.model import BatchEndParam


def train(module: Any, given: Mapping[str, Any]) -> None:
    """Train a bound and initialised module.

    Parameters
    ----------
    module : BaseModule
    given : mapping
        The arguments of ``fit`` by name; callbacks find them in ``BatchEndParam.locals``, with
        the variables of the loop.

    Raises
    ------
    MXNetError
        If the training data has no batch.
    """
    eval_metric = metrics.create(given["eval_metric"])
    validation = given["validation_metric"]
    validation = eval_metric if validation is None else metrics.create(validation)
    seen = {**given, "eval_metric": eval_metric, "validation_metric": validation}
    for epoch in range(given["begin_epoch"], given["num_epoch"]):
        _train_epoch(module, epoch, seen)
        _end_epoch(module, epoch, seen)


def _train_epoch(module: Any, epoch: int, given: Mapping[str, Any]) -> None:
    eval_metric, monitor = given["eval_metric"], given["monitor"]
    start = time.perf_counter()
    eval_metric.reset()
    data_iter = iter(given["train_data"])
    seen = {**given, "epoch": epoch, "tic": start, "data_iter": data_iter}
    values: list[tuple[str, float]] = []
    nbatch, batch = 0, next(data_iter, None)
    if batch is None:
        raise MXNetError("fit: the training data has no batch; one read to its end needs reset()")
    while batch is not None:
        _step(module, batch, given)
        if monitor is not None:
            monitor.toc_print()
        # Read only now, as an iterator may use a batch's memory again for the next one.
        following = next(data_iter, None)
        if following is None:
            # Before the callbacks, as a Speedometer resets what the metric counts.
            values = eval_metric.get_global_name_value()
        now = {**seen, "nbatch": nbatch, "data_batch": batch}
        now |= {"next_data_batch": following, "end_of_batch": following is None}
        call_all(given["batch_end_callback"], BatchEndParam(epoch, nbatch, eval_metric, now))
        nbatch, batch = nbatch + 1, following
    for name, value in values:
        module.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
    module.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.perf_counter() - start)


def _step(module: Any, batch: Any, given: Mapping[str, Any]) -> None:
    if given["monitor"] is not None:
        given["monitor"].tic()
    module.prepare(batch, sparse_row_id_fn=given["sparse_row_id_fn"])
    module.forward_backward(batch)
    module.update()
    module.update_metric(given["eval_metric"], batch.label)


def _end_epoch(module: Any, epoch: int, given: Mapping[str, Any]) -> None:
    module._end_epoch()
    if given["epoch_end_callback"] is not None:
        args, aux = module.get_params()
        call_all(given["epoch_end_callback"], epoch, module.symbol, args, aux)
    if given["eval_data"] is not None:
        values = module.score(
            given["eval_data"],
            given["validation_metric"],
            score_end_callback=given["eval_end_callback"],
            batch_end_callback=given["eval_batch_end_callback"],
            epoch=epoch,
            sparse_row_id_fn=given["sparse_row_id_fn"],
        )
        for name, value in values:
            module.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
    given["train_data"].reset()


def call_all(callbacks: Any, *args: Any) -> None:
    """Call one callback, each of a list, or none."""
    if callbacks is None:
        return
    for callback in callbacks if isinstance(callbacks, list | tuple) else [callbacks]:
        callback(*args)
