"""Reading and setting the attributes of one node, hidden ones under both spellings."""

from __future__ import annotations

from collections.abc import Mapping

from symgraph.errors import AttributeValueError, close_names
from symgraph.graph.build import is_hidden
from symgraph.graph.graph import Node
from symgraph.ops import op as ops
from symgraph.scopes import HIDDEN_KEYS, hide


def read(node: Node, key: str) -> str | None:
    """The attribute ``key``; ``lr_mult`` finds ``__lr_mult__``."""
    found = node.attrs.get(key)
    return node.attrs.get(hide(key)) if found is None else found


def spelled(node: Node) -> dict[str, str]:
    """All attributes; ``__lr_mult__`` and its kin under the plain name too."""
    plain = {hide(key): key for key in HIDDEN_KEYS}
    found: dict[str, str] = {}
    for key, value in node.attrs.items():
        found[key] = value
        if key in plain:
            found[plain[key]] = value
    return found


def strings(given: Mapping[str, object], what: str) -> dict[str, str]:
    """``given`` with hidden keys in their stored form.

    Raises
    ------
    AttributeValueError
        If a value is no string.
    """
    for key, value in given.items():
        if not isinstance(value, str):
            raise AttributeValueError(
                f"{what}: {key} is {value!r}, but attributes need to be strings"
            )
    return {hide(key): str(value) for key, value in given.items()}


def write(node: Node, given: Mapping[str, object]) -> None:
    """Set attributes of a node, in every graph that shares it.

    Raises
    ------
    AttributeValueError
        If a value is no string, does not fit the operator or would change its inputs.
    """
    changes = strings(given, node.name)
    op = node.op
    for key in changes:
        if op is not None and op.attr_specs and key not in op.attr_specs and not is_hidden(key):
            raise AttributeValueError(
                f"{node}: there is no attribute {key!r}{close_names(key, op.attr_specs)} "
                f"(it has {', '.join(op.attr_specs)}; free ones need the form __name__)"
            )
    own = changes.keys() & op.attr_specs.keys() if op is not None else ()
    if op is not None and own:
        values = {k: v for k, v in {**node.attrs, **changes}.items() if k in op.attr_specs}
        try:
            changed = ops.create(op.name, values)
        except AttributeValueError as error:
            raise AttributeValueError(f"{node.name}: {error}") from None
        if changed.list_inputs() != op.list_inputs() or changed.list_aux() != op.list_aux():
            raise AttributeValueError(
                f"{node}: setting {', '.join(sorted(own))} would change its inputs; "
                "make a new symbol instead"
            )
        node.op = changed
    node.set_attrs(changes)
