"""Composing: applying an operator to entries, naming it and making missing variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from symgraph.errors import AttributeValueError, MXNetError, close_names
from symgraph.graph.graph import NO_ATTRS, Entry, Graph, Node
from symgraph.ops import op as ops
from symgraph.ops.attrs import to_string
from symgraph.ops.op import Op
from symgraph.scopes import current_attrs, current_names, hide

MAX_TENSORS = 1 << 20
"""Inputs or outputs of one node."""

_COUNTS = ("num_outputs", "sections", "num_args", "num_weights", "num_arrays")


def variable(name: str, attrs: Mapping[str, str] = NO_ATTRS) -> Entry:
    """A new variable with the attributes of the current scope and ``attrs``."""
    return Entry(Node(None, name, {**current_attrs().get(), **attrs}))


def apply(
    called: str,
    positional: Sequence[Entry] = (),
    named: Mapping[str, Entry] = NO_ATTRS,  # pyright: ignore[reportArgumentType]  empty
    given: Mapping[str, object] = NO_ATTRS,
    *,
    name: str | None = None,
    hint: str | None = None,
    attr: Mapping[str, object] = NO_ATTRS,
    subgraphs: Sequence[Graph] = (),
) -> Node:
    """Use the operator ``called`` once.

    Parameters
    ----------
    positional, named
        Inputs; those left out become variables ``<name>_<input>``.
    given
        Attributes, as values or strings; hidden ones (``lr_mult``) too.
    name, hint
        The node's name; without one, ``hint`` (by default ``called`` in lower case, not the
        operator's canonical name) and a number.
    attr
        More hidden attributes.

    Raises
    ------
    UnknownOperatorError, AttributeValueError, MXNetError
        Naming the node.
    """
    cls = ops.find(called)
    own, extra = _split(cls, name, given, attr)
    if cls.count_attr and cls.count_attr not in own:
        own[cls.count_attr] = str(len(positional) + len(named))
    node_name = current_names().get(name, hint or called.lower())
    try:
        op = checked(ops.create(cls.name, own))
    except AttributeValueError as error:
        raise AttributeValueError(f"{node_name}: {error}") from None
    attrs = {**current_attrs().get(extra), **own}
    inputs = _inputs(op, node_name, attrs, positional, named)
    return Node(op, node_name, attrs, inputs, subgraphs)


def _split(
    cls: type[Op], name: str | None, given: Mapping[str, object], attr: Mapping[str, object]
) -> tuple[dict[str, str], dict[str, str]]:
    """(the operator's attributes, hidden ones), all as strings."""
    own: dict[str, str] = {}
    extra: dict[str, str] = {}
    for key, value in {**attr, **given}.items() if attr else given.items():
        if key in cls.attr_specs:
            own[key] = to_string(value)
        elif is_hidden(hide(key)):
            extra[hide(key)] = to_string(value)
        else:
            where = f"{name}({cls.name})" if name else cls.name
            legal = (*cls.attr_specs, *cls.contract.inputs, *cls.contract.aux)
            raise AttributeValueError(
                f"{where}: unknown argument {key!r:.200}{close_names(key, legal)} "
                f"(inputs: {', '.join(cls.contract.inputs) or 'any number'}; "
                f"attributes: {', '.join(cls.attr_specs) or 'none'})"
            )
    return own, extra


@cache
def _counts_of(cls: type[Op]) -> tuple[str, ...]:
    return tuple(key for key in _COUNTS if key in cls.attr_specs)


def checked(op: Op) -> Op:
    """``op``, unless it has more inputs or outputs than memory should be taken for.

    Raises
    ------
    AttributeValueError
    """
    for key in _counts_of(type(op)):
        count = getattr(op, key)
        if isinstance(count, int) and count > MAX_TENSORS:
            raise AttributeValueError(f"{op.name}: {key} is {count}, but at most {MAX_TENSORS} fit")
    return op


def is_hidden(key: str) -> bool:
    """Whether ``key`` has the form ``__key__`` that every node may carry."""
    return len(key) > 4 and key.startswith("__") and key.endswith("__")


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
    for slot in op.aux_init:
        if slot in filled:
            _start_as(filled[slot].node, op.aux_init[slot])
    _check_aux(op, name, filled)
    return [filled.get(slot) or missing(op, name, slot, attrs) for slot in slots]


def _start_as(node: Node, init: str) -> None:
    """What a user gives for a moving mean starts as zero too, unless told otherwise."""
    if node.is_variable and "__init__" not in node.attrs:
        node.set_attrs({"__init__": init})


def _check_aux(op: Op, name: str, filled: Mapping[str, Entry]) -> None:
    for slot in op.list_aux():
        if slot in filled and not filled[slot].node.is_variable:
            raise MXNetError(
                f"{name}({op.name}): {slot} is {filled[slot].name}, but a variable is required, "
                "because the operator changes it"
            )


def missing(op: Op, name: str, slot: str, attrs: Mapping[str, str]) -> Entry:
    """The variable that MXNet makes for an input nobody gave; it copies all attributes."""
    init = {"__init__": op.aux_init[slot]} if slot in op.aux_init else NO_ATTRS
    return Entry(Node(None, f"{name}_{slot}", {**init, **attrs}))
