"""Typed operator attributes: declaring, parsing, printing and describing them."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args, get_origin

from symgraph.errors import AttributeValueError, DTypeError, close_names

MISSING = dataclasses.MISSING
_TRUE = {"true", "1"}
_FALSE = {"false", "0"}


def attr(
    *,
    default: Any = MISSING,
    ge: float | None = None,
    le: float | None = None,
    gt: float | None = None,
    lt: float | None = None,
    doc: str = "",
) -> Any:
    """Declare an attribute of an operator; its type is the field's annotation.

    The bounds hold for the value, or for each element of a tuple.
    """
    meta = {"bounds": {"ge": ge, "le": le, "gt": gt, "lt": lt}, "doc": doc}
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class AttrSpec:
    """One declared attribute, ready to parse what users and files give.

    Attributes
    ----------
    kind : str
        Its type in words, for documentation and errors.
    default : Any
        ``MISSING`` where the attribute is required.
    """

    name: str
    kind: str
    default: Any
    doc: str
    choices: tuple[str, ...]
    _convert: Callable[[str], Any]
    _bounds: Mapping[str, float | None]

    @property
    def required(self) -> bool:
        return self.default is MISSING

    def parse(self, text: str) -> Any:
        """The value that ``text`` stands for.

        Raises
        ------
        ValueError
            Saying what is required instead.
        """
        try:
            value = self._convert(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise ValueError(f"{self.name} is {text!r:.200}, but {self.kind} is required") from None
        for item in value if isinstance(value, tuple) else (value,):
            self._check(item, text)
        return value

    def _check(self, item: Any, text: str) -> None:
        if item is None or isinstance(item, str | bool):
            return
        tests = {"ge": (">=", operator.ge), "le": ("<=", operator.le)}
        tests |= {"gt": (">", operator.gt), "lt": ("<", operator.lt)}
        for key, bound in self._bounds.items():
            sign, holds = tests[key]
            if bound is not None and not holds(item, bound):
                raise ValueError(f"{self.name} is {text:.200}, but it must be {sign} {bound}")


def specs_of(cls: type) -> dict[str, AttrSpec]:
    """The attributes that the dataclass ``cls`` declares, in order."""
    specs = {}
    for f in dataclasses.fields(cls):
        convert, kind, choices = _converter(_annotation(f.type, _home(cls, f.name)))
        meta = f.metadata
        specs[f.name] = AttrSpec(
            f.name, kind, f.default, meta.get("doc", ""), choices, convert, meta.get("bounds", {})
        )
    return specs


def _home(cls: type, name: str) -> str:
    """The module of the class that declares the field ``name``."""
    return next(c for c in cls.__mro__ if name in inspect.get_annotations(c)).__module__


@cache
def _annotation(written: Any, module: str) -> Any:
    """The type that an annotation stands for; typing.get_type_hints would redo all of a class."""
    return eval(written, vars(sys.modules[module])) if isinstance(written, str) else written


def parse_attrs(cls: type, specs: Mapping[str, AttrSpec], given: Mapping[str, str]) -> dict:
    """Values of all attributes in ``given``.

    Raises
    ------
    AttributeValueError
        If one is unknown, missing or does not parse.
    """
    values = {}
    for key, text in given.items():
        if key not in specs:
            known = ", ".join(specs) or "none"
            raise AttributeValueError(
                f"unknown attribute {key!r}{close_names(key, specs)} (attributes: {known})"
            )
        try:
            values[key] = specs[key].parse(text)
        except ValueError as error:
            raise AttributeValueError(str(error)) from None
    absent = [s.name for s in specs.values() if s.required and s.name not in values]
    if absent:
        raise AttributeValueError(f"required attribute {', '.join(absent)} is missing")
    return values


def to_string(value: Any) -> str:
    """How an attribute value stands in JSON: as Python prints it, NumPy scalars as plain ones."""
    if isinstance(value, str):
        return value
    return str(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_plain(v) for v in value) if type(value) in (tuple, list) else value
    if isinstance(value, type) or hasattr(value, "newbyteorder"):
        from symgraph.dtypes import dtype_name

        try:
            return dtype_name(value)
        except DTypeError:
            return value
    is_array = hasattr(value, "context")
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0 and not is_array:
        plain = value.item()
        # Shortest in its own precision: float32(0.1) is 0.1, not 0.10000000149011612.
        return float(str(value)) if isinstance(plain, float) else plain
    return value


# ---- converters ---------------------------------------------------------------------


@cache
def _converter(hint: Any) -> tuple[Callable[[str], Any], str, tuple[str, ...]]:
    """(text -> value, the type in words, the legal words) of an annotation."""
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = next(a for a in get_args(hint) if a is not type(None))
        convert, kind, choices = _converter(inner)
        return (lambda t: None if t == "None" else convert(t)), f"{kind} or None", choices
    if origin is Literal:
        words = tuple(map(str, get_args(hint)))
        return _choice(words), "one of " + ", ".join(map(repr, words)), words
    if origin is tuple:
        return tuple_of(get_args(hint)[0])
    plain = {int: (_int, "an integer"), float: (_float, "a number"), bool: (_bool, "a boolean")}
    if hint in plain:
        return (*plain[hint], ())
    if hint is str:
        return str, "a string", ()
    raise TypeError(f"an attribute cannot have the type {hint!r}")


def _choice(words: Iterable[str]) -> Callable[[str], str]:
    legal = frozenset(words)

    def convert(text: str) -> str:
        if text not in legal:
            raise ValueError(text)
        return text

    return convert


def tuple_of(item: Any) -> tuple[Callable[[str], Any], str, tuple[str, ...]]:
    optional = get_origin(item) in (typing.Union, types.UnionType)
    number: type = float if item is float else int

    def one(value: Any) -> Any:
        if value is None and optional:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(value)
        if number is int and value != int(value):
            raise ValueError(value)
        return number(value)

    def convert(text: str) -> tuple:
        body = text.strip()
        if body[:1] in "([" and body[-1:] in ")]" and body:
            body = body[1:-1]
        # Python 2 wrote long integers as 3L, and such files are still around.
        body = body.replace("L", "").strip().rstrip(",")
        if not body:
            return ()
        if len(body) > 10_000:
            raise ValueError(text)
        return tuple(one(_literal(part)) for part in body.split(","))

    words = "numbers" if number is float else "integers"
    return convert, f"a tuple of {words}", ()


def _literal(text: str) -> Any:
    return ast.literal_eval(text.strip())


def _int(text: str) -> int:
    return int(text.rstrip("L"))


def _float(text: str) -> float:
    return float(text)


def _bool(text: str) -> bool:
    low = text.lower()
    if low not in _TRUE | _FALSE:
        raise ValueError(text)
    return low in _TRUE
