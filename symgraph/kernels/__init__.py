"""Work on arrays that NumPy and CuPy do not both offer, or that NumPy does slowly.

A kernel is written once in ``symgraph/kernels/<topic>.py`` for any array namespace: that body is
its meaning. ``kernels/cpu/<topic>.py`` may hold a faster one for NumPy arrays, imported at the
first call with such an array; ``kernels/cuda/<topic>.py`` one for CuPy's. The type of the first
argument chooses::

    @kernel
    def put_rows(xp, dst, index, src):
        dst[index] = src

    @put_rows.register(np.ndarray)
    def _(dst, index, src): ...

    put_rows(dst, index, src)             # chooses, then calls
    body = put_rows.body_for(dst)         # chooses once, for a program that calls it often
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

_NAMESPACES: dict[type, Any] = {np.ndarray: np}
_references_only = False


def add_namespace(array_type: type, xp: Any) -> None:
    """Say that ``xp`` is the namespace of arrays of ``array_type``."""
    _NAMESPACES[array_type] = xp


def namespace_of(array: Any) -> Any:
    """NumPy, CuPy or a stand-in: the namespace ``array`` was made in.

    Raises
    ------
    TypeError
        If it is no array of a known namespace.
    """
    for base in type(array).__mro__:
        if base in _NAMESPACES:
            return _NAMESPACES[base]
    known = ", ".join(f"{t.__module__.partition('.')[0]}.{t.__name__}" for t in _NAMESPACES)
    raise TypeError(f"got a {type(array).__name__} where an array is required ({known})")


@contextmanager
def use_reference() -> Iterator[None]:
    """Within this context every kernel chosen is its reference body.

    A body that :meth:`Kernel.body_for` handed out before stays what it is.
    """
    global _references_only
    before, _references_only = _references_only, True
    try:
        yield
    finally:
        _references_only = before


class Kernel(Generic[P, R]):
    """A function of arrays with one body per array library. Made by :func:`kernel`."""

    def __init__(self, reference: Callable[Concatenate[Any, P], R]) -> None:
        functools.update_wrapper(self, reference)
        self.reference = reference
        self.__signature__ = _without_first_parameter(reference)
        self._registered: dict[type, Callable[P, R]] = {}
        self._chosen: dict[type, Callable[P, R]] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.body_for(args[0])(*args, **kwargs)

    def register(self, array_type: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Decorator: the body for first arguments of ``array_type`` and its subclasses."""

        def add(body: Callable[P, R]) -> Callable[P, R]:
            self._registered[array_type] = body
            self._chosen.clear()
            return body

        return add

    def body_for(self, array: Any) -> Callable[P, R]:
        """The body that a call with ``array`` as its first argument would run.

        Raises
        ------
        TypeError
            If it is no array of a known namespace.
        """
        if _references_only:
            return functools.partial(self.reference, namespace_of(array))
        try:
            return self._chosen[type(array)]
        except KeyError:
            return self._choose(array)

    def _choose(self, array: Any) -> Callable[P, R]:
        if isinstance(array, np.ndarray):
            self._import_cpu_bodies()
        body = functools.partial(self.reference, namespace_of(array))
        for base in type(array).__mro__:
            if base in self._registered:
                body = self._registered[base]
                break
        self._chosen[type(array)] = body
        return body

    def _import_cpu_bodies(self) -> None:
        package, _, topic = self.reference.__module__.rpartition(".")
        # numba's own switch for debuggers: its intrinsics do not run uncompiled
        compiled = package == __name__ and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
        if compiled and find_spec(f"{package}.cpu.{topic}"):
            import_module(f"{package}.cpu.{topic}")

    def __repr__(self) -> str:
        return f"<kernel {self.reference.__module__}.{self.reference.__qualname__}>"


def kernel(reference: Callable[Concatenate[Any, P], R]) -> Kernel[P, R]:
    """Decorator: make a kernel of its reference body.

    The body takes the namespace first; callers leave it out.
    """
    return Kernel(reference)


def _without_first_parameter(function: Callable[..., Any]) -> Any:
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[1:])
