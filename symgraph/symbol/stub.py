"""Write ``functions.pyi``, from which editors know every operator of ``mx.sym``.

``python -m symgraph.symbol.stub`` writes it; a test checks that it is fresh.
"""

from __future__ import annotations

import inspect
import keyword
import types
import typing
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from symgraph.dtypes import CODES
from symgraph.ops import op as ops
from symgraph.ops.op import Op
from symgraph.symbol import functions

TARGET = Path(__file__).with_name("functions.pyi")

_HEAD = """\
# Written by `python -m symgraph.symbol.stub`. Do not edit.
# ruff: noqa

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from symgraph.ops.attrs import AttrSpec
from symgraph.ops.op import Op
from symgraph.symbol.symbol import Symbol

NAMESPACES: dict[str, str]

def names_in(namespace: str) -> list[str]: ...
def lookup(namespace: str, name: str) -> Callable[..., Symbol]: ...
def make(called: str, name: str) -> Callable[..., Symbol]: ...
def signature(cls: type[Op]) -> inspect.Signature: ...
def docstring(cls: type[Op], name: str) -> str: ...
def describe(spec: AttrSpec) -> list[str]: ...
"""

_COMMON = (
    "name: str | None = ...",
    "attr: Mapping[str, str] | None = ...",
    "out: Any = ...",
    "**kwargs: Any",
)


def render() -> str:
    """The stub's text."""
    names = [name for name in functions.names_in("") if not keyword.iskeyword(name)]
    listed = "".join(f'    "{name}",\n' for name in names)
    parts = [_HEAD, f"__all__ = [\n{listed}]\n"]
    return "\n".join(parts + [_function(name, ops.find(name)) for name in names])


def _function(name: str, cls: type[Op]) -> str:
    contract, hints = cls.contract, typing.get_type_hints(cls)
    attrs = [f"{key}: {_annotation(hints[key])} = ..." for key in cls.attr_specs]
    if contract.variadic:
        first = [f"*{contract.variadic}: Symbol"]
    else:
        first = [f"{key}: Symbol | None = ..." for key in (*contract.inputs, *contract.aux)]
    parameters = ",\n    ".join([*first, *attrs, *_COMMON])
    summary = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    text = summary.replace("\\", "\\\\").replace('"""', "'''")
    return f'def {name}(\n    {parameters},\n) -> Symbol:\n    """{text}"""\n'


def _annotation(hint: Any) -> str:
    """What a user may give for an attribute of this type."""
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in get_args(hint) if a is not type(None)]
        return f"{_annotation(inner[0])} | None"
    if origin is Literal:
        words = [str(word) for word in get_args(hint)]
        if set(words) & set(CODES):
            return "Any"
        return f"Literal[{', '.join(map(repr, words))}]"
    if origin is tuple:
        number = "float" if get_args(hint)[0] is float else "int"
        return f"Sequence[{number} | None] | {number}"
    return hint.__name__


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
