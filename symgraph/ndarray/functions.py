"""``mx.nd.X`` and methods of NDArray for every operator, made from the registry."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from symgraph.base import _Null
from symgraph.context import Context
from symgraph.errors import AttributeValueError, close_names
from symgraph.ndarray.invoke import invoke
from symgraph.ndarray.ndarray import NDArray
from symgraph.ops import op as ops
from symgraph.ops.attrs import to_string
from symgraph.ops.op import Op

COMMON = ("out", "name")
"""Parameters that every operator function has after its own."""

_FLUENT = """
abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmax_channel argmin argsort broadcast_axes
broadcast_like broadcast_to cbrt ceil clip cos cosh degrees depth_to_space diag exp expm1 fix flip
floor log log10 log1p log2 log_softmax max mean min nanprod nansum norm one_hot ones_like pad pick
prod radians rcbrt reciprocal relu repeat reshape_like rint round rsqrt shape_array sigmoid sign sin
sinh size_array slice slice_axis slice_like softmax softmin sort space_to_depth split sqrt square
sum swapaxes take tan tanh tile topk transpose trunc zeros_like
"""

FLUENT = frozenset(_FLUENT.split())
"""Operators that are methods of an array."""

PREFIXES = {
    "_internal": "_",
    "contrib": "_contrib_",
    "linalg": "_linalg_",
    "sparse": "_sparse_",
    "image": "_image_",
}
"""The operators of a namespace are registered with this prefix."""


@cache
def operator_function(called: str) -> Callable[..., Any]:
    """The function that runs the operator called ``called``.

    Raises
    ------
    UnknownOperatorError
        Listing close names.
    """
    cls = ops.find(called)

    def function(*args: Any, **kwargs: Any) -> Any:
        return _run(called, cls, args, kwargs)

    function.__name__ = function.__qualname__ = called
    function.__doc__ = _documentation(cls)
    function.__dict__["__signature__"] = _signature(cls)
    return function


def fluent_method(owner: type, name: str) -> Any:
    """The method ``name`` of arrays, for an operator that takes an array first.

    Raises
    ------
    AttributeError
        If there is none.
    """
    # Other libraries ask for many names; only those of operators are looked up.
    if name not in FLUENT or name not in _names():
        raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}")
    function = operator_function(name)

    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, function.__doc__
    setattr(NDArray, name, method)
    return method


def namespace_getattr(module: str) -> Callable[[str], Any]:
    """``__getattr__`` for the module ``mx.nd.<module>``, or ``mx.nd`` itself for ``""``."""
    prefix = PREFIXES.get(module, "")
    where = f"symgraph.ndarray.{module}".rstrip(".")

    def getattr_(name: str) -> Any:
        for called in (f"{prefix}{name}", name) if prefix != "_" else (name,):
            if called in _names():
                function = operator_function(called)
                setattr(sys.modules[where], name, function)  # next time it is just there
                return function
        near = close_names(name, _names())
        raise AttributeError(f"module {where!r} has no attribute {name!r}{near}")

    return getattr_


def operator_names(module: str = "") -> list[str]:
    """The operators that a namespace offers, without its prefix."""
    prefix = PREFIXES.get(module, "")
    if prefix == "_":
        return sorted(n for n in _names() if n.startswith("_"))
    if prefix:
        return sorted(n.removeprefix(prefix) for n in _names() if n.startswith(prefix))
    return sorted(n for n in _names() if not n.startswith("_"))


def _names() -> Mapping[str, type[Op]]:
    ops.load_all()
    return ops.REGISTRY


# ---- calling ------------------------------------------------------------------------


def _run(called: str, cls: type[Op], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    values = dict(kwargs)
    arrays: list[NDArray] = []
    if cls.contract.variadic:
        arrays = [_array(called, f"input {i}", a) for i, a in enumerate(args)]
    else:
        _fill_in(called, cls, args, values)
    out, ctx = values.pop("out", None), None
    values.pop("name", None)
    if isinstance(values.get("ctx"), Context):
        ctx = values["ctx"]
    given = {k: to_string(v) for k, v in values.items() if k in cls.attr_specs and v is not _Null}
    rest = {k: v for k, v in values.items() if k not in cls.attr_specs and v is not None}
    _check_names(called, cls, rest)
    if cls.count_attr:
        given.setdefault(cls.count_attr, str(len(arrays)))
    op = ops.create(called, given)
    if not cls.contract.variadic:
        arrays = _inputs(called, op, rest)
    return invoke(op, arrays, out, ctx)


def _check_names(called: str, cls: type[Op], rest: Mapping[str, Any]) -> None:
    """Refuse what is neither an attribute nor an input."""
    inputs = (*cls.contract.inputs, *cls.contract.aux)
    for name in rest:
        if name not in inputs:
            legal = (*inputs, *cls.attr_specs)
            raise AttributeValueError(
                f"{called}: unknown argument {name!r}{close_names(name, legal)} "
                f"(arguments: {', '.join(legal)})"
            )


@cache
def _parameters(cls: type[Op]) -> tuple[str, ...]:
    """What may be given by position, in order."""
    return (*cls.contract.inputs, *cls.contract.aux, *cls.attr_specs, *COMMON)


def _fill_in(called: str, cls: type[Op], args: Sequence[Any], values: dict[str, Any]) -> None:
    """Enter positional arguments under their names."""
    names = _parameters(cls)
    if len(args) > len(names):
        raise TypeError(f"{called} takes {len(names)} arguments at most, but {len(args)} came")
    for name, value in zip(names, args, strict=False):
        if name in values:
            raise TypeError(f"{called}: {name} is given by position and by keyword")
        values[name] = value


def _inputs(called: str, op: Op, rest: Mapping[str, Any]) -> list[NDArray]:
    """The input arrays among ``rest``, in order."""
    wanted = op.list_inputs() + op.list_aux()
    missing = [n for n in wanted if rest.get(n) is None]
    if missing:
        raise TypeError(f"{called}: the array {missing[0]} is missing ({', '.join(wanted)})")
    # An input that the attributes switch off, such as bias under no_bias, is not read.
    return [_array(called, name, rest[name]) for name in wanted]


def _array(called: str, what: str, value: Any) -> NDArray:
    if not isinstance(value, NDArray):
        raise TypeError(f"{called}: {what} must be an NDArray, but {type(value).__name__} came")
    return value


# ---- describing ---------------------------------------------------------------------


def _signature(cls: type[Op]) -> inspect.Signature:
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if cls.contract.variadic:
        first = [inspect.Parameter(cls.contract.variadic, inspect.Parameter.VAR_POSITIONAL)]
        either = inspect.Parameter.KEYWORD_ONLY
        attrs = [n for n in cls.attr_specs if n != cls.count_attr]
    else:
        names = (*cls.contract.inputs, *cls.contract.aux)
        first = [inspect.Parameter(n, either, default=None) for n in names]
        attrs = list(cls.attr_specs)
    middle = [inspect.Parameter(n, either, default=_Null) for n in attrs]
    last = [inspect.Parameter(n, either, default=None) for n in COMMON]
    return inspect.Signature([*first, *middle, *last])


def _documentation(cls: type[Op]) -> str:
    lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
    for name in (*cls.contract.inputs, *cls.contract.aux):
        lines.append(f"{name} : NDArray")
    if cls.contract.variadic:
        lines.append(f"*{cls.contract.variadic} : NDArray")
    for spec in cls.attr_specs.values():
        default = "required" if spec.required else f"default {spec.default!r}"
        lines += [f"{spec.name} : {spec.kind}, {default}", *([f"    {spec.doc}"] * bool(spec.doc))]
    lines += ["out : NDArray, optional", "    Where to write the result."]
    return "\n".join(lines)
