"""Classes that are found by name: metrics, initializers, and whatever a user adds."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from symgraph.errors import MXNetError, close_names

T = TypeVar("T")

_registries: dict[type, dict[str, Any]] = {}


class RegistryError(MXNetError, LookupError, AssertionError):
    """A name that is not registered, or no name at all. MXNet raises AssertionError here."""


def get_registry(base_class: type) -> dict[str, Any]:
    """A copy of what is registered for ``base_class``: lower-case name -> class."""
    return dict(_registries.get(base_class, {}))


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``register(klass, name=None)`` for children of ``base_class``, usable as a decorator."""
    known = _registries.setdefault(base_class, {})

    def register(klass: type[T], name: str | None = None) -> type[T]:
        key = (name or klass.__name__).lower()
        former = known.get(key)
        if former is not None and former is not klass:
            warnings.warn(
                f"{nickname} {key!r} was {former.__module__}.{former.__qualname__} and is now "
                f"{klass.__module__}.{klass.__qualname__}",
                stacklevel=2,
            )
        known[key] = klass
        return klass

    register.__doc__ = f"Make a {nickname} class known under its name, so that create finds it."
    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``alias(*names)``, a decorator that registers a class under several names."""
    register = get_register_func(base_class, nickname)

    def alias(*names: str) -> Callable[[type[T]], type[T]]:
        def decorate(klass: type[T]) -> type[T]:
            for name in names:
                register(klass, name)
            return klass

        return decorate

    alias.__doc__ = f"Register a {nickname} class under each of the names too."
    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """``create(spec, *args, **kwargs)``, which makes an instance.

    A spec is an instance (returned as it is), a name, or JSON: ``'["name", {"arg": 1}]'`` or
    ``'{"<nickname>": "name", "arg": 1}'``, the latter also as a dict.
    """
    known = _registries.setdefault(base_class, {})

    def create(*args: Any, **kwargs: Any) -> Any:
        spec, args = (args[0], args[1:]) if args else (kwargs.pop(nickname, None), ())
        if isinstance(spec, base_class):
            return spec
        spec, kwargs = _unpack(spec, kwargs, nickname)
        if not isinstance(spec, str):
            raise RegistryError(
                f"a {nickname} is given by name or as an instance, not as {type(spec).__name__}"
            )
        return _find(known, spec, nickname)(*args, **kwargs)

    create.__doc__ = f"Make a {nickname} from its name, or return the instance given."
    return create


def _unpack(spec: Any, kwargs: dict[str, Any], nickname: str) -> tuple[Any, dict[str, Any]]:
    """(name, arguments) of the forms that carry arguments of their own."""
    if isinstance(spec, str) and spec[:1] in ("[", "{"):
        try:
            spec = json.loads(spec)
        except ValueError as error:
            raise RegistryError(f"{nickname} {spec!r} is no valid JSON: {error}") from None
        if isinstance(spec, list):
            if not (len(spec) == 2 and isinstance(spec[1], dict)):
                raise RegistryError(f'{nickname} {spec} is not of the form ["name", {{...}}]')
            return spec[0], {**spec[1], **kwargs}
    if isinstance(spec, dict):
        own = dict(spec)
        return own.pop(nickname, None), {**own, **kwargs}
    return spec, kwargs


def _find(known: dict[str, Any], name: str, nickname: str) -> Any:
    found = known.get(name.lower())
    if found is None:
        raise RegistryError(
            f"{nickname} {name!r} is not registered{close_names(name.lower(), known)} "
            f"(known: {_listed(known)})"
        )
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
