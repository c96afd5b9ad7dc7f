"""Composing: applying an operator to entries, naming it and making missing variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgraph.errors import AttributeValueError, MXNetError, close_names
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ops import op as ops
from symgraph.ops.attrs import to_string
from symgraph.ops.op import Op
from symgraph.scopes import current_attrs, current_names, hide


def variable(name: str, attrs: Mapping[str, str] | None = None) -> Entry:
    """A new variable with the attributes of the current scope and ``attrs``."""
    return Entry(Node(None, name, current_attrs().get(dict(attrs or {}))))


def apply(
    called: str,
    positional: Sequence[Entry],
    named: Mapping[str, Entry],
    given: Mapping[str, object],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    subgraphs: Sequence[Graph] = (),
) -> Node:
    """Use the operator ``called`` once; the auto name is numbered after that very name.

    Parameters
    ----------
    positional, named
        Inputs; those left out become variables ``<name>_<input>``.
    given
        Attributes, as values or strings; hidden ones (``lr_mult``) too.
    attr
        More hidden attributes.

    Raises
    ------
    UnknownOperatorError, AttributeValueError, MXNetError
        Naming the node.
    """
    cls = ops.find(called)
    own, extra = _split(cls, given, attr or {})
    if cls.count_attr and cls.count_attr not in own:
        own[cls.count_attr] = str(len(positional) + len(named))
    node_name = current_names().get(name, called.lower())
    try:
        op = ops.create(cls.name, own)
    except AttributeValueError as error:
        raise AttributeValueError(f"{node_name}: {error}") from None
    attrs = {**current_attrs().get(extra), **own}
    inputs = _inputs(op, node_name, attrs, positional, named)
    return Node(op, node_name, attrs, inputs, subgraphs)


def _split(
    cls: type[Op], given: Mapping[str, object], attr: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """(the operator's attributes, hidden ones), all as strings."""
    own: dict[str, str] = {}
    extra: dict[str, str] = {}
    for key, value in {**attr, **given}.items():
        if key in cls.attr_specs:
            own[key] = to_string(value)
        elif hide(key) != key or (key.startswith("__") and key.endswith("__")):
            extra[hide(key)] = to_string(value)
        else:
            legal = {*cls.attr_specs, *cls.contract.inputs, *cls.contract.aux}
            raise AttributeValueError(
                f"{cls.name}: unknown argument {key!r}{close_names(key, legal)} "
                f"(inputs: {', '.join(cls.contract.inputs) or 'any number'}; "
                f"attributes: {', '.join(cls.attr_specs) or 'none'})"
            )
    return own, extra


def _inputs(
    op: Op,
    name: str,
    attrs: Mapping[str, str],
    positional: Sequence[Entry],
    named: Mapping[str, Entry],
) -> list[Entry]:
    slots = op.list_inputs() + op.list_aux()
    if len(positional) > len(slots):
        raise MXNetError(
            f"{name}({op.name}): {len(positional)} inputs given, but it takes {len(slots)}: "
            f"{', '.join(slots) or 'none'}"
        )
    filled = dict(zip(slots, positional, strict=False))
    for key, entry in named.items():
        if key not in slots:
            raise MXNetError(
                f"{name}({op.name}): no input is called {key!r}{close_names(key, slots)} "
                f"(inputs: {', '.join(slots) or 'none'})"
            )
        if key in filled:
            raise MXNetError(f"{name}({op.name}): input {key!r} is given twice")
        filled[key] = entry
    return [filled.get(slot) or _missing(op, name, slot, attrs) for slot in slots]


def _missing(op: Op, name: str, slot: str, attrs: Mapping[str, str]) -> Entry:
    """The variable that MXNet makes for an input nobody gave; it copies all attributes."""
    init = {"__init__": op.aux_init[slot]} if slot in op.aux_init else {}
    return Entry(Node(None, f"{name}_{slot}", {**init, **attrs}))
