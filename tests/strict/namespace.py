"""NumPy's functions with CuPy's names, keywords and refusals."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from strict.array import DeviceArray, operand, over, under, under_all
from strict.rules import NAMES, UFUNC_KEYWORDS, check_keywords, synchronize

_SYNC_FUNCTIONS = frozenset(
    {
        "argwhere",
        "array2string",
        "array_repr",
        "array_str",
        "asnumpy",
        "compress",
        "extract",
        "flatnonzero",
        "intersect1d",
        "nonzero",
        "save",
        "savetxt",
        "savez",
        "savez_compressed",
        "setdiff1d",
        "setxor1d",
        "trim_zeros",
        "union1d",
        "unique",
        "unique_all",
        "unique_counts",
        "unique_inverse",
        "unique_values",
    }
)
_HOST_INPUT = frozenset({"array", "asarray", "asanyarray"})
_MAKES_NUMBERS = frozenset({"allclose", "array_equal", "array_equiv"})
_AT = frozenset(
    {"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"}
)
_AT_TYPES = "fdeiILFD"  # int64 is not among what the device adds atomically


class StrictUfunc:
    """A ufunc that takes what CuPy's take."""

    def __init__(self, name: str, ufunc: np.ufunc) -> None:
        self.__name__ = name
        self._ufunc = ufunc
        self.nin, self.nout, self.nargs = ufunc.nin, ufunc.nout, ufunc.nargs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        check_keywords(self.__name__, kwargs, UFUNC_KEYWORDS)
        for arg in args[: self.nin]:
            operand(arg)
        host_args, host_kwargs = under_all(args, kwargs)
        out = kwargs.get("out")
        given = (*args[self.nin :], *(out if isinstance(out, tuple) else (out,)))
        return over(self._ufunc(*host_args, **host_kwargs), given)

    def at(self, array: Any, indices: Any, values: Any = None) -> None:
        if self.__name__ not in _AT:
            raise NotImplementedError(f"`{self.__name__}.at` is not supported yet")
        if self.__name__ == "add" and array.dtype.char not in _AT_TYPES:
            raise TypeError(f"add.at supports no {array.dtype} on the device")
        rest = () if values is None else (under(values),)
        self._ufunc.at(array._host, under(indices), *rest)

    def __getattr__(self, name: str) -> Any:
        if name not in ("accumulate", "outer", "reduce", "reduceat"):
            raise AttributeError(f"ufunc {self.__name__} has no {name}")
        method = getattr(self._ufunc, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            check_keywords(name, kwargs, UFUNC_KEYWORDS | {"axis", "keepdims"})
            host_args, host_kwargs = under_all(args, kwargs)
            return over(method(*host_args, **host_kwargs), (kwargs.get("out"),))

        return call

    def __repr__(self) -> str:
        return f"<strict ufunc {self.__name__}>"


def _strict_function(qualified: str, function: Callable[..., Any]) -> Callable[..., Any]:
    name = qualified.rpartition(".")[2]
    known = NAMES[qualified]

    def call(*args: Any, **kwargs: Any) -> Any:
        check_keywords(qualified, kwargs, known)
        if name in _SYNC_FUNCTIONS or (name == "where" and len(args) == 1):
            synchronize(name)
        if name == "repeat" and any(isinstance(a, DeviceArray) for a in args[1:2]):
            raise ValueError("an array of the device cannot be the repeats of repeat")
        if name in _HOST_INPUT and args and isinstance(args[0], np.ndarray):
            return DeviceArray(np.array(*args, **{**kwargs, "copy": True}))
        host_args, host_kwargs = under_all(args, kwargs)
        result = function(*host_args, **host_kwargs)
        if name in _MAKES_NUMBERS:
            result = np.bool_(result)
        return over(result, (*args, kwargs.get("out")))

    call.__name__ = name
    return call


class Namespace:
    """NumPy with only the names that CuPy 14 has: ``cupy`` itself or a module of it."""

    def __init__(self, module: Any, qualified: str = "cupy", **own: Any) -> None:
        self.__dict__.update(own)
        self.__name__ = qualified
        self._module = module

    def __getattr__(self, name: str) -> Any:
        qualified = f"{self.__name__}.{name}"
        modules = ("linalg", "fft", "lib", "lib.stride_tricks")
        if qualified not in NAMES and qualified.removeprefix("cupy.") not in modules:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(self._module, name)  # what only CuPy has is not modelled
        if qualified.removeprefix("cupy.") in modules:
            found = Namespace(found, qualified)
        elif isinstance(found, np.ufunc):
            found = StrictUfunc(name, found)
        elif callable(found) and not isinstance(found, type):
            found = _strict_function(qualified, found)
        self.__dict__[name] = found
        return found

    def __repr__(self) -> str:
        return f"<stand-in of {self.__name__}>"


class Generator:
    """NumPy's generator with the draws that CuPy's has; what it draws is on the device."""

    def __init__(self, seed: Any) -> None:
        self._rng = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        if f"cupy.random.Generator.{name}" not in NAMES:
            raise AttributeError(f"the generator of a device has no {name!r}")
        draw = getattr(self._rng, name)
        return lambda *args, **kwargs: _draw(draw, args, kwargs)


def _draw(draw: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    host_args, host_kwargs = under_all(args, kwargs)
    drawn = draw(*host_args, **host_kwargs)
    return over(np.asarray(drawn), (kwargs.get("out"),))


def asnumpy(a: Any, **kwargs: Any) -> np.ndarray:
    return a.get(**kwargs) if isinstance(a, DeviceArray) else np.asarray(a)


XP = Namespace(
    np,
    __version__="14.2.0",
    ndarray=DeviceArray,
    asnumpy=asnumpy,
    get_array_module=lambda *args: XP if any(isinstance(a, DeviceArray) for a in args) else np,
    random=SimpleNamespace(Generator=Generator, default_rng=Generator),
    cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: 1)),
)
