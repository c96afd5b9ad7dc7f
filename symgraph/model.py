"""Checkpoints: ``prefix-symbol.json`` and ``prefix-0001.params``."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from symgraph.errors import FormatError
from symgraph.ndarray import NDArray, load, save
from symgraph.symbol import loading

Params = dict[str, NDArray]


class BatchEndParam(NamedTuple):
    """What a callback at the end of a batch or an evaluation receives."""

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Any,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Write ``prefix-symbol.json`` and ``prefix-EPOCH.params`` with ``arg:`` and ``aux:`` names.

    Raises
    ------
    MXNetError
        If a file cannot be written; the old one is whole then.
    """
    if symbol is not None:
        symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    name = params_file(prefix, epoch)
    save(name, named_params(arg_params, aux_params))
    logging.info('Saved checkpoint to "%s"', name)


def params_file(prefix: str, epoch: int) -> str:
    """``prefix-0001.params``."""
    return f"{prefix}-{epoch:04d}.params"


def named_params(
    arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
) -> dict[str, NDArray]:
    """Both in one dict, as they stand in a file."""
    return {
        **{f"arg:{name}": array for name, array in arg_params.items()},
        **{f"aux:{name}": array for name, array in aux_params.items()},
    }


def split_params(
    found: Any, auxiliary: frozenset[str] = frozenset(), source: str = "the file"
) -> tuple[Params, Params]:
    """(arguments, auxiliary states) of what a ``.params`` file holds.

    Names without ``arg:`` or ``aux:``, as Gluon and hand-written scripts save them, are sorted by
    ``auxiliary``, the names of auxiliary states.

    Raises
    ------
    FormatError
        If the arrays have no names.
    """
    if not isinstance(found, Mapping):
        raise FormatError(
            f"{source} holds arrays without names; parameters are saved as a dict of "
            "'arg:NAME' and 'aux:NAME'"
        )
    args: Params = {}
    aux: Params = {}
    for key, array in found.items():
        kind, colon, name = key.partition(":")
        if not colon or kind not in ("arg", "aux"):
            kind, name = ("aux" if key in auxiliary else "arg"), key
        (args if kind == "arg" else aux)[name] = array
    return args, aux


def load_params(prefix: str, epoch: int) -> tuple[Params, Params]:
    """(arguments, auxiliary states) of ``prefix-EPOCH.params``.

    Raises
    ------
    MXNetError
        If the file is missing or damaged.
    """
    name = params_file(prefix, epoch)
    return split_params(load(name), source=name)


def load_checkpoint(prefix: str, epoch: int) -> tuple[Any, Params, Params]:
    """(symbol, arguments, auxiliary states) that :func:`save_checkpoint` wrote.

    Raises
    ------
    MXNetError
        If a file is missing or damaged.
    """
    net = loading.load(f"{prefix}-symbol.json")
    name = params_file(prefix, epoch)
    auxiliary = frozenset(net.list_auxiliary_states())
    return (net, *split_params(load(name), auxiliary, name))
