"""What older generations of symbol files wrote differently, brought into today's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.graph.build import is_hidden
from symgraph.graph.graph import Entry
from symgraph.ops.op import Op
from symgraph.scopes import HIDDEN_KEYS, hide

CURRENT = 10901
"""The version that is written: MXNet 1.9.1."""

FIRST = 800
"""The version of files that do not tell theirs: 0.8."""

_BEFORE_NNVM = 900  # missing inputs and auxiliary states were understood
_LAST_OLD_ARGMAX = 904  # axis=-1 stood for the default, all axes, which axis=-1 no longer means


ATTR_KEYS = ("param", "attr", "attrs")
"""Where the generations keep a node's attributes."""

_MULTIPLIERS = tuple(f"_{key}" for key in HIDDEN_KEYS)


def hide_keys(attrs: dict[str, str]) -> dict[str, str]:
    """``lr_mult`` and its kin as ``__lr_mult__``; the plain spelling wins over the hidden one."""
    plain = [key for key in HIDDEN_KEYS if key in attrs] if attrs else ()
    if not plain:
        return attrs
    rest = {key: value for key, value in attrs.items() if key not in HIDDEN_KEYS}
    return rest | {hide(key): attrs[key] for key in plain}


def fix_argmax(op_name: str, attrs: dict[str, str], version: int) -> None:
    """Drop the ``axis=-1`` that old versions wrote for "all axes"."""
    old = version <= _LAST_OLD_ARGMAX and op_name in ("argmax", "argmin")
    if old and attrs.get("axis") == "-1":
        del attrs["axis"]


def understands_missing_inputs(version: int) -> bool:
    """Whether files of this version leave out inputs that have a variable of their own."""
    return version < _BEFORE_NNVM


def split_multipliers(
    attrs: dict[str, str], slots: Sequence[str]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """(the node's own, by input what is meant for it): ``weight_lr_mult`` is for ``weight``."""
    own: dict[str, str] = {}
    moved: dict[str, dict[str, str]] = {}
    if not any(key.endswith(_MULTIPLIERS) for key in attrs):
        return attrs, moved
    for key, value in attrs.items():
        hidden = next((h for h in HIDDEN_KEYS if key.endswith(f"_{h}")), None)
        slot = key[: -len(hidden) - 1] if hidden else ""
        if hidden and slot in slots:
            moved.setdefault(slot, {})[hide(hidden)] = value
        else:
            own[key] = value
    return own, moved


def move_multipliers(moved: Mapping[str, Mapping[str, str]], inputs: Mapping[str, Entry]) -> None:
    """Give variables the attributes that an old file kept at their reader."""
    for slot, attrs in moved.items():
        if inputs[slot].node.is_variable:
            inputs[slot].node.set_attrs(attrs)


def hide_notes(cls: type[Op], raw: Mapping[str, Any], attrs: dict[str, str]) -> dict[str, str]:
    """Notes of a user at an operator, which 0.8 kept apart in ``attr``, under a hidden name.

    Today an operator refuses an attribute that it does not declare.
    """
    if "param" not in raw:
        return attrs
    notes = (raw.get("attr") or {}).keys() - cls.attr_specs.keys()
    return {
        f"__{k}__" if k in notes and not is_hidden(k) else k: value for k, value in attrs.items()
    }
