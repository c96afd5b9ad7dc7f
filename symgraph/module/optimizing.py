"""What ``init_optimizer`` decides: the store, the optimizer and its numbers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from symgraph import optimizer as optimizers
from symgraph.context import Context, cpu
from symgraph.kvstore.base import create
from symgraph.kvstore.local import KVStore
from symgraph.ndarray.convert import share_memory


class Settings(NamedTuple):
    """What ``init_optimizer`` was asked for."""

    kvstore: Any
    optimizer: Any
    params: dict[str, Any]


def choose_store(kvstore: Any, contexts: Sequence[Context], wanted: bool | None) -> Any:
    """The store to use, or None.

    Parameters
    ----------
    kvstore : str, KVStore or None
        What one device other than the host computes need not travel: a store named ``"local"``
        keeps its values on that device then.
    contexts : list of Context
    wanted : bool, optional
        Whether parameters are to live in a store. If nobody said, one device needs none that was
        only named, as in MXNet.

    Raises
    ------
    KVStoreError
        If there is no store of that name.
    ValueError
        If a store is wanted, but none was given.
    """
    if kvstore is None and wanted:
        raise ValueError("update_on_kvstore=True needs a kvstore, but kvstore=None was given")
    if not isinstance(kvstore, str):
        return kvstore
    first = contexts[0]
    together = all(context == first for context in contexts)
    if kvstore == "local" and together and not share_memory(first, cpu()):
        kvstore = "device"
    store = create(kvstore)
    needless = len(contexts) == 1 and isinstance(store, KVStore) and not wanted
    return None if needless else store


def make_optimizer(
    given: Any,
    params: Mapping[str, Any],
    symbol: Any,
    rescale_grad: float,
    idx2name: Mapping[int, str],
) -> Any:
    """The optimizer, told the names of the parameters and the multipliers in the symbol.

    An object gets them as well as one made by name; what the user set on it goes first.

    Raises
    ------
    UnknownOptimizerError, TypeError
        If there is no such optimizer or parameter.
    """
    if isinstance(given, str):
        own = {"rescale_grad": rescale_grad, **params}
        return optimizers.create(given, sym=symbol, param_idx2name=dict(idx2name), **own)
    if not isinstance(given, optimizers.Optimizer):
        raise TypeError(f"an optimizer is a name or an Optimizer, not {type(given).__name__}")
    if given.rescale_grad != rescale_grad:
        warnings.warn(
            "Optimizer created manually outside Module but rescale_grad is not normalized to "
            f"1.0/batch_size/num_workers ({given.rescale_grad} vs. {rescale_grad}). "
            "Is this intended?",
            stacklevel=3,
        )
    rates, decays = dict(given.lr_mult), dict(given.wd_mult)
    given.idx2name = dict(idx2name)
    if not given.sym_info:
        given.sym_info = (symbol.attr_dict(), symbol.list_arguments())
    given.set_lr_mult(rates)
    given.set_wd_mult(decays)
    return given


def numbers_of(names: Sequence[str], devices: int, in_store: bool) -> dict[int, str]:
    """The optimizer's numbers: of each parameter, or of each one's copy on each device."""
    copies = 1 if in_store else devices
    return {i * copies + k: name for i, name in enumerate(names) for k in range(copies)}


def workers_of(store: Any) -> int:
    """By how many workers' batches a gradient is summed before it is applied."""
    if store is None or "dist" not in store.type or "_sync" not in store.type:
        return 1
    return store.num_workers
