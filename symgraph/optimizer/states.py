"""Optimizer states in files.

A file is the line :data:`MAGIC`, the length of a JSON header (8 bytes, little endian), the header
and all arrays in the ``.params`` format. Unlike the pickles that MXNet writes it cannot run code.
The header holds::

    {"states": [[index, tree], ...],       tree: null, a number, {"array": n} or [tree, ...]
     "counts": [[index, updates], ...], "num_update": n,
     "optimizer": {"name": "adam", "settings": {"beta1": 0.9, ...},
                   "mappings": {"lr_mult": [["fc_bias", 2.0]], ...},
                   "scheduler": {"name": "FactorScheduler", "settings": {...}} or null}}

``optimizer`` is there only where the settings were asked for.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symgraph import lr_scheduler
from symgraph.context import cpu
from symgraph.errors import FormatError
from symgraph.ndarray import serialize
from symgraph.ndarray.convert import to_host
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.optimizer.base import Index, Optimizer
from symgraph.storage import Value

MAGIC = b"symgraph optimizer states 1\n"
_MAPPINGS = ("lr_mult", "wd_mult", "idx2name")
_PROGRESS = ("num_update", "lr_scheduler", *_MAPPINGS)
_SCALARS = (bool, int, float, str, type(None))


# ---- writing ------------------------------------------------------------------------


def dump_states(states: Mapping[Index, Any], optimizer: Optimizer, *, settings: bool) -> bytes:
    """The content of a file.

    Parameters
    ----------
    states : mapping
        Index to None, a number, an NDArray, or a tuple or list of such.
    optimizer : Optimizer
        Its counts of updates are written, with ``settings`` its parameters too.

    Raises
    ------
    TypeError
        If a state holds anything else.
    """
    arrays: list[Value] = []
    header = {
        "states": [[index, _tree(index, state, arrays)] for index, state in states.items()],
        "counts": list(optimizer._index_update_count.items()),
        "num_update": optimizer.num_update,
    }
    if settings:
        header["optimizer"] = _described(optimizer)
    text = json.dumps(header).encode()
    file = io.BytesIO()
    file.write(MAGIC + struct.pack("<Q", len(text)) + text)
    serialize.write(file, [], arrays)
    return file.getvalue()


def _tree(index: Index, state: Any, arrays: list[Value]) -> Any:
    if isinstance(state, NDArray):
        arrays.append(to_host(state.value, state.context))
        return {"array": len(arrays) - 1}
    if isinstance(state, tuple | list):
        return [_tree(index, part, arrays) for part in state]
    if state is None or isinstance(state, int | float):
        return state
    raise TypeError(
        f"the state of weight {index!r} holds a {type(state).__name__}, but only NDArrays, "
        "numbers, None and tuples of them can be saved"
    )


def _described(optimizer: Optimizer) -> dict[str, Any]:
    scheduler = optimizer.lr_scheduler
    return {
        "name": type(optimizer).__name__.lower(),
        "settings": _settings_of(optimizer),
        "mappings": {name: list(getattr(optimizer, name).items()) for name in _MAPPINGS},
        "scheduler": scheduler
        and {"name": type(scheduler).__name__, "settings": _settings_of(scheduler)},
    }


def _settings_of(owner: Any) -> dict[str, Any]:
    """The public attributes that JSON can hold."""
    return {
        name: value
        for name, value in vars(owner).items()
        if not name.startswith("_") and name not in _PROGRESS and _plain(value)
    }


def _plain(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _SCALARS) for item in items)


# ---- reading ------------------------------------------------------------------------


@dataclass(frozen=True)
class SavedStates:
    """What a file holds."""

    states: dict[Index, Any]
    counts: dict[Index, int]
    num_update: int
    optimizer: dict[str, Any] | None = field(default=None)

    def restored(self, optimizer: Optimizer) -> Optimizer:
        """``optimizer`` with the counts and settings of the file.

        It is a new one where the file holds the settings of another kind of optimizer.

        Raises
        ------
        FormatError
            If the file names an optimizer or scheduler that does not exist.
        """
        if self.optimizer is not None:
            optimizer = _rebuilt(self.optimizer, optimizer)
        optimizer._index_update_count.clear()
        optimizer._index_update_count.update(self.counts)
        optimizer.num_update = self.num_update
        return optimizer


def parse_states(content: bytes) -> SavedStates:
    """Read what :func:`dump_states` wrote. The arrays are on the CPU.

    Raises
    ------
    FormatError
        If it is anything else or damaged.
    """
    if not content.startswith(MAGIC):
        raise FormatError(f"these are no optimizer states of symgraph: {_guess(content)}")
    start = len(MAGIC) + 8
    (length,) = struct.unpack("<Q", content[len(MAGIC) : start].ljust(8, b"\xff"))
    if length > len(content) - start:
        raise FormatError("the optimizer states are truncated: the header is not complete")
    _, values = serialize.load_buffer(content[start + length :], "the optimizer states")
    arrays = [wrap(value, cpu()) for value in values]
    try:
        header = json.loads(content[start : start + length])
        return SavedStates(
            {_index(i): _state(tree, arrays) for i, tree in header["states"]},
            {_index(i): int(count) for i, count in header["counts"]},
            int(header["num_update"]),
            header.get("optimizer"),
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise FormatError(f"the header of the optimizer states is damaged: {error!r}") from None


def _guess(content: bytes) -> str:
    if content[:1] == b"\x80" or not content.strip():
        return (
            "they look like a pickle, as MXNet writes them. Reading a pickle can run any code, so "
            "it is refused; load the weights and start with fresh states"
            if content
            else "there is no content"
        )
    return f"they start with {content[:16]!r}"


def _index(index: Any) -> Index:
    if isinstance(index, bool) or not isinstance(index, int | str):
        raise ValueError(f"index {index!r} is neither a number nor a name")
    return index


def _state(tree: Any, arrays: list[NDArray]) -> Any:
    if isinstance(tree, list):
        return tuple(_state(part, arrays) for part in tree)
    if isinstance(tree, dict):
        number = tree["array"]
        if not 0 <= number < len(arrays):
            raise ValueError(f"there is no array {number}")
        return arrays[number]
    if tree is None or isinstance(tree, int | float):
        return tree
    raise ValueError(f"state {tree!r} is none of the forms there are")


def _rebuilt(saved: dict[str, Any], present: Optimizer) -> Optimizer:
    try:
        name, settings, mappings = saved["name"], saved["settings"], saved["mappings"]
        if type(present).__name__.lower() != name:
            present = Optimizer.create_optimizer(name)
        changes = _checked(present, settings)
        for mapping in _MAPPINGS:
            changes[mapping] = {_index(key): value for key, value in mappings[mapping]}
        changes["lr_scheduler"] = _scheduler(saved["scheduler"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"the saved settings of the optimizer are damaged: {error}") from None
    vars(present).update(changes)
    return present


def _scheduler(saved: dict[str, Any] | None) -> lr_scheduler.LRScheduler | None:
    if saved is None:
        return None
    kind = getattr(lr_scheduler, saved["name"], None)
    if not (isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler)):
        raise ValueError(f"there is no scheduler {saved['name']!r}")
    scheduler = kind.__new__(kind)
    vars(scheduler).update({str(k): v for k, v in saved["settings"].items() if _plain(v)})
    return scheduler


def _checked(owner: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """``settings``, all of which ``owner`` has: a file cannot make new ones."""
    for name, value in settings.items():
        if name not in vars(owner) or not _plain(value):
            raise ValueError(f"{type(owner).__name__} has no setting {name!r}")
    return dict(settings)
