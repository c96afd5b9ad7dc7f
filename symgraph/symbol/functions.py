"""``mx.sym.X`` for every operator name, made from its declaration at first use."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from symgraph.base import _Null
from symgraph.errors import close_names
from symgraph.ops import op as ops
from symgraph.ops.attrs import AttrSpec
from symgraph.ops.op import REGISTRY, Op
from symgraph.symbol.base import COMMON, invoke
from symgraph.symbol.symbol import Symbol

NAMESPACES = {
    "contrib": "_contrib_",
    "image": "_image_",
    "linalg": "_linalg_",
    "random": "_random_",
    "sparse": "_sparse_",
}
"""Submodules and the prefix of the operators in them."""

_DRAWS = ("_random_", "_sample_")
_ELSEWHERE = ("_np", "_npi", "_npx", "_backward")


def names_in(namespace: str) -> list[str]:
    """Names of the operator functions of ``mx.sym`` (``""``) or a submodule of it."""
    ops.load_all()
    return sorted(name for key in REGISTRY if (name := _exposed(namespace, key)))


def _exposed(namespace: str, key: str) -> str:
    """What the operator ``key`` is called in a namespace; ``""`` where it is not."""
    if namespace in ("", "op"):
        return "" if key.startswith("_") else key
    if namespace in NAMESPACES:
        prefix = NAMESPACES[namespace]
        return key.removeprefix(prefix) if key.startswith(prefix) else ""
    others = tuple(p for p in NAMESPACES.values() if p != "_random_") + _ELSEWHERE
    return key if key.startswith("_") and not key.startswith(others) else ""


def lookup(namespace: str, name: str) -> Callable[..., Symbol]:
    """The function ``name`` of a namespace.

    Raises
    ------
    AttributeError
        Listing close names.
    """
    key = NAMESPACES.get(namespace, "") + name
    ops.load_all()
    if key not in REGISTRY or _exposed(namespace, key) != name:
        where = f"mx.sym.{namespace}" if namespace else "mx.sym"
        raise AttributeError(
            f"{where} has no operator {name!r}{close_names(name, names_in(namespace))}"
        )
    return make(key, name)


@cache
def make(called: str, name: str) -> Callable[..., Symbol]:
    """The function that uses the operator ``called``; ``name`` is the stem of auto names."""
    cls = ops.find(called)
    hint = name.lower()

    def function(*args: Any, **kwargs: Any) -> Symbol:
        return Symbol._of(invoke(called, args, kwargs, hint))

    function.__name__ = function.__qualname__ = name
    function.__module__ = "symgraph.symbol"
    function.__doc__ = docstring(cls, name)
    vars(function)["__signature__"] = signature(cls)
    return function


def signature(cls: type[Op]) -> inspect.Signature:
    """Inputs, auxiliary states, attributes, then ``name``, ``attr``, ``out``, in MXNet's order."""
    kinds = inspect.Parameter
    contract = cls.contract
    attrs = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=_Null) for n in cls.attr_specs]
    common = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=None) for n in COMMON]
    if contract.variadic:
        first = [kinds(contract.variadic, kinds.VAR_POSITIONAL)]
        rest = [p.replace(kind=kinds.KEYWORD_ONLY) for p in attrs + common]
    else:
        inputs = (*contract.inputs, *contract.aux)
        first = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=None) for n in inputs]
        rest = attrs + common
    extra = kinds("kwargs", kinds.VAR_KEYWORD)
    return inspect.Signature([*first, *rest, extra], return_annotation=Symbol)


def docstring(cls: type[Op], name: str) -> str:
    """The declaration as a numpydoc docstring."""
    text = inspect.cleandoc(cls.__doc__ or "")
    lines = [text, "", "Parameters", "----------"]
    contract = cls.contract
    if contract.variadic:
        lines.append(f"*{contract.variadic} : Symbol")
    for key in contract.inputs:
        optional = ", optional" if key in contract.optional else ""
        lines.append(f"{key} : Symbol{optional}")
    lines += [f"{key} : Symbol, auxiliary state" for key in contract.aux]
    for spec in cls.attr_specs.values():
        lines += describe(spec)
    lines += ["name : str, optional", f"    Of the node; by default {name.lower()}0 and so on."]
    lines += ["attr : dict of str to str, optional", "    Attributes such as ``__lr_mult__``."]
    lines += ["out : optional", "    Has no meaning for symbols.", "", "Returns", "-------"]
    return "\n".join([*lines, "Symbol"]) + "\n"


def describe(spec: AttrSpec) -> list[str]:
    """The numpydoc lines of one attribute."""
    default = "required" if spec.required else f"default {spec.default!r}"
    lines = [f"{spec.name} : {spec.kind}, {default}"]
    return [*lines, f"    {spec.doc}"] if spec.doc else lines
