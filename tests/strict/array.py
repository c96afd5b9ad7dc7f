"""The array type of the stand-in device, and the crossing to what lies under it."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from strict.rules import NAMES, check_keywords, synchronize


def under(value: Any) -> Any:
    """What NumPy computes with in the place of ``value``; host arrays are refused."""
    if isinstance(value, DeviceArray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(
            "a numpy.ndarray was given where an array of the device is required; "
            "move it with asarray (or from_host) first"
        )
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(under(v) for v in value)
    return value


def under_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    return [under(a) for a in args], {k: under(v) for k, v in kwargs.items()}


def over(result: Any, given: tuple[Any, ...] = ()) -> Any:
    """The result of a NumPy function as a device hands it out: numbers are arrays, too."""
    if isinstance(result, np.ndarray):
        for array in given:  # in-place work gives back the same object
            if isinstance(array, DeviceArray) and array._host is result:
                return array
        return DeviceArray(result)
    if isinstance(result, np.generic):
        return DeviceArray(np.asarray(result))
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(over(r) for r in result))
    if isinstance(result, list | tuple):
        return type(result)(over(r) for r in result)
    return result


def _masks(key: Any) -> bool:
    return any(
        (isinstance(k, DeviceArray) and k.dtype.kind == "b")
        or (isinstance(k, list) and any(isinstance(v, bool) for v in k))
        for k in (key if isinstance(key, tuple) else (key,))
    )


def operand(value: Any) -> Any:
    """As :func:`under`, for elementwise work: lists are no operands."""
    if isinstance(value, list | tuple | str):
        raise TypeError(f"Unsupported type {type(value)}")
    return under(value)


_SYNC_METHODS = frozenset(
    {"compress", "dump", "dumps", "get", "item", "nonzero", "tobytes", "tofile", "tolist"}
)
_PLAIN = frozenset({"dtype", "flags", "itemsize", "nbytes", "ndim", "size", "strides"})


class DeviceArray:
    """An array that a program can compute with, but not look into for free."""

    __slots__ = ("_host",)
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, host: np.ndarray) -> None:
        if host.dtype.kind not in "biufc":
            raise ValueError(f"Unsupported dtype {host.dtype}")
        self._host = host

    def __array__(self, *_args: Any, **_kwargs: Any) -> np.ndarray:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from strict.namespace import XP

        strict = getattr(XP, ufunc.__name__)
        if isinstance(kwargs.get("out"), tuple) and len(kwargs["out"]) == 1:
            kwargs["out"] = kwargs["out"][0]
        return (strict if method == "__call__" else getattr(strict, method))(*inputs, **kwargs)

    def __array_function__(self, function: Any, _types: Any, args: Any, kwargs: Any) -> Any:
        from strict.namespace import XP

        module: Any = XP
        for part in function.__module__.split(".")[1:]:
            module = getattr(module, part)
        return getattr(module, function.__name__)(*args, **kwargs)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._host.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._host.shape = shape

    def __getattr__(self, name: str) -> Any:
        known = NAMES.get(f"cupy.ndarray.{name}", ...)
        if known is ... or name.startswith("_"):
            raise AttributeError(f"an array of the device has no attribute {name!r}")
        if name in _PLAIN:
            return getattr(self._host, name)
        if name == "device":
            return SimpleNamespace(id=0)
        if name == "get":
            return self._get
        if name == "set":
            return self._set
        found = getattr(self._host, name)
        if not callable(found):
            return over(found)
        return self._method(name, found, known)

    def _method(self, name: str, method: Any, known: frozenset[str] | None) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            check_keywords(f"ndarray.{name}", kwargs, known)
            if name in _SYNC_METHODS:
                synchronize(f".{name}()")
                return method(*args, **kwargs)
            if name == "repeat" and any(isinstance(a, DeviceArray) for a in args[:1]):
                raise ValueError("an array of the device cannot be the repeats of repeat")
            host_args, host_kwargs = under_all(args, kwargs)
            return over(method(*host_args, **host_kwargs), (self, *args, kwargs.get("out")))

        return call

    def _get(self, stream: Any = None, order: str = "C", out: np.ndarray | None = None) -> Any:
        synchronize(".get()")
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def _set(self, arr: np.ndarray, stream: Any = None) -> None:
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(f"{arr.dtype}{arr.shape} does not fit {self.dtype}{self.shape}")
        self._host[...] = arr

    # -- reading and writing parts

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Iterator[DeviceArray]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> DeviceArray:
        if _masks(key):
            synchronize("a mask as index")
        key = under(key)
        part = self._host[key]
        if isinstance(part, np.generic):  # one element is a view, as any part is
            part = self._host[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return DeviceArray(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        value = operand(value)
        if _masks(key) and np.size(value) != 1:
            synchronize("several values for a mask")
        self._host[under(key)] = value

    def __copy__(self) -> DeviceArray:
        return DeviceArray(self._host.copy())

    def __deepcopy__(self, _memo: Any) -> DeviceArray:
        return DeviceArray(self._host.copy())

    # -- looking at values

    def __repr__(self) -> str:
        synchronize("repr")
        return repr(self._host)

    def __str__(self) -> str:
        synchronize("str")
        return str(self._host)

    def __format__(self, spec: str) -> str:
        synchronize("format")
        return format(self._host, spec) if self._host.ndim else str(self._host)


def _looks(name: str, convert: Callable[[Any], Any]) -> Callable[[DeviceArray], Any]:
    def method(self: DeviceArray) -> Any:
        synchronize(name)
        return convert(self._host)

    return method


def _binary(function: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[..., Any]:
    def method(self: DeviceArray, other: Any) -> Any:
        under = operand(other)
        pair = (under, self._host) if swapped else (self._host, under)
        return over(function(*pair))

    return method


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[..., DeviceArray]:
    def method(self: DeviceArray, other: Any) -> DeviceArray:
        changed = function(self._host, operand(other))
        if isinstance(changed, np.ndarray) and changed is self._host:
            return self
        raise TypeError("an in-place operation did not stay in place")

    return method


def _unary(function: Callable[[Any], Any]) -> Callable[[DeviceArray], Any]:
    return lambda self: over(function(self._host))


for _name in ("bool", "int", "float", "complex", "index"):
    _convert = operator.index if _name == "index" else getattr(builtins, _name)
    setattr(DeviceArray, f"__{_name}__", _looks(_name, _convert))
for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
    "matmul",
):
    _function = getattr(operator, f"__{_name}__")
    setattr(DeviceArray, f"__{_name}__", _binary(_function))
    setattr(DeviceArray, f"__r{_name}__", _binary(_function, swapped=True))
    setattr(DeviceArray, f"__i{_name}__", _in_place(getattr(operator, f"__i{_name}__")))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(DeviceArray, f"__{_name}__", _binary(getattr(operator, f"__{_name}__")))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(DeviceArray, f"__{_name}__", _unary(getattr(operator, f"__{_name}__")))
DeviceArray.__divmod__ = _binary(divmod)  # type: ignore[attr-defined]
DeviceArray.__rdivmod__ = _binary(divmod, swapped=True)  # type: ignore[attr-defined]
