"""What variables say of themselves: ``__shape__``, ``__dtype__``, ``__storage_type__``."""

from __future__ import annotations

from symgraph.dtypes import dtype_name
from symgraph.errors import AttributeValueError, FormatError
from symgraph.graph.graph import Graph, Node
from symgraph.ops.attrs import tuple_of
from symgraph.storage import STYPE_CODES, Shape, SType

_shape = tuple_of(int)[0]
_stypes: dict[str | None, SType] = {str(code): stype for stype, code in STYPE_CODES.items()}


def declared_shapes(graph: Graph) -> dict[Node, Shape]:
    """Shapes that variables were declared with; a length of 0 is unknown."""
    found = {}
    for node in graph.variables:
        if text := node.attrs.get("__shape__"):
            try:
                found[node] = tuple(max(n, 0) for n in _shape(text))
            except (ValueError, SyntaxError, TypeError):
                raise AttributeValueError(
                    f"variable {node.name}: __shape__ is {text!r}, but a shape is required"
                ) from None
    return found


def declared_dtypes(graph: Graph) -> dict[Node, str]:
    """Element types that variables were declared with."""
    found = {}
    for node in graph.variables:
        text = node.attrs.get("__dtype__")
        if text is not None and text != "-1":
            found[node] = dtype_name(int(text) if text.lstrip("-").isdigit() else text)
    return found


def declared_stypes(graph: Graph) -> dict[Node, SType]:
    """Storage types that variables were declared with."""
    found: dict[Node, SType] = {}
    for node in graph.variables:
        text = node.attrs.get("__storage_type__")
        if text in _stypes:
            found[node] = _stypes[text]
        elif text not in (None, "-1"):
            raise FormatError(f"variable {node.name}: unknown storage type {text!r}")
    return found
