"""Reading the arguments of a store's methods: keys, and what belongs to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from symgraph.errors import DTypeError, KVStoreError, ShapeError, StorageError, close_names
from symgraph.ndarray.ndarray import NDArray

Key = int | str
Group = tuple[Key, list[NDArray]]


def grouped(what: str, keys: Any, values: Any) -> list[Group]:
    """Each key once, with all arrays that were given for it.

    Parameters
    ----------
    what : str
        The method, for errors.
    keys : int, str, or list of them
    values : NDArray, list of NDArray, or for a list of keys a list of either

    Raises
    ------
    TypeError
        If a key is neither int nor str, or a value no NDArray.
    KVStoreError
        If keys of both types come, or the lists differ in length.
    """
    groups: dict[Key, list[NDArray]] = {}
    for key, value in paired(what, keys, values):
        arrays = list(value) if isinstance(value, list | tuple) else [value]
        for array in arrays:
            if not isinstance(array, NDArray):
                raise TypeError(
                    f"{what}: an NDArray is required for key {key!r}, but {_named(array)} came"
                )
        groups.setdefault(key, []).extend(arrays)
    return list(groups.items())


def paired(what: str, keys: Any, values: Any) -> list[tuple[Key, Any]]:
    """Each key with the item of ``values`` at its place; a single key with all of ``values``.

    Raises
    ------
    TypeError, KVStoreError
        As :func:`grouped`.
    """
    if not isinstance(keys, list | tuple):
        return [(_key(what, keys), values)]
    if not isinstance(values, list | tuple) or len(values) != len(keys):
        came = f"a list of {len(values)}" if isinstance(values, list | tuple) else _named(values)
        raise KVStoreError(
            f"{what}: {len(keys)} keys came in a list, so a list of {len(keys)} items is required, "
            f"but {came} came"
        )
    checked = [_key(what, key) for key in keys]
    require_one_kind(what, checked)
    return list(zip(checked, values, strict=True))


def _key(what: str, key: Any) -> Key:
    if isinstance(key, str) or type(key) is int:
        return key
    if isinstance(key, Integral) and not isinstance(key, bool):
        return int(key)
    raise TypeError(f"{what}: a key is an int or a str, but {key!r} came")


def require_one_kind(what: str, keys: Iterable[Key], known: Iterable[Key] = ()) -> None:
    """Refuse a mixture of integer and string keys.

    Raises
    ------
    KVStoreError
        Naming one of each.
    """
    reference = next(iter(known), None)
    for key in keys:
        reference = key if reference is None else reference
        if type(key) is not type(reference):
            raise KVStoreError(
                f"{what}: key {key!r} is {type(key).__name__}, but this store has "
                f"{type(reference).__name__} keys such as {reference!r}; they cannot be mixed"
            )


def found(what: str, key: Key, values: Mapping[Key, NDArray]) -> NDArray:
    """What the store holds under ``key``.

    Raises
    ------
    KVStoreError
        If the key was never initialised, naming close ones.
    """
    if key in values:
        return values[key]
    require_one_kind(what, [key], values)
    hint = close_names(str(key), map(str, values)) if values else "; the store is empty"
    raise KVStoreError(f"{what}: key {key!r} was never initialised{hint}")


def require_initial(what: str, groups: Iterable[Group]) -> None:
    """Refuse anything but one value per key, which a store can keep.

    Raises
    ------
    KVStoreError
        If it is another number of values.
    StorageError
        If a value is csr.
    """
    for key, values in groups:
        if len(values) != 1:
            raise KVStoreError(
                f"{what}: {len(values)} values came for key {key!r}, but one is required"
            )
        if values[0].stype == "csr":
            raise StorageError(
                f"{what}: the value of key {key!r} is csr, but a store keeps default or row_sparse "
                "values; convert with tostype('default').tostype('row_sparse')"
            )


def require_values(key: Key, stored: NDArray, values: Iterable[NDArray]) -> None:
    """Refuse values that cannot be pushed to ``stored``.

    Raises
    ------
    ShapeError
        If a shape differs.
    DTypeError
        If fractions would be lost.
    """
    shape, to = stored.value.shape, stored.value.dtype
    for value in values:
        came = value.raw_value
        if came.shape != shape:
            raise ShapeError(
                f"push: key {key!r} holds shape {shape}, but a value of shape {came.shape} came"
            )
        if came.dtype != to and came.dtype.kind == "f" and to.kind != "f":
            raise DTypeError(
                f"push: key {key!r} holds {to.name}, but {came.dtype.name} came, whose fractions "
                f"would be lost; convert with astype({to.name!r})"
            )


def require_outs(what: str, key: Key, stored: NDArray, outs: Iterable[NDArray]) -> None:
    """Refuse arrays that cannot take what ``stored`` holds.

    Raises
    ------
    ShapeError
        If a shape differs.
    StorageError
        If an array is csr.
    """
    for out in outs:
        if out.shape != stored.shape:
            raise ShapeError(
                f"{what}: key {key!r} holds shape {stored.shape}, but out has shape {out.shape}"
            )
        if out.stype == "csr":
            raise StorageError(
                f"{what}: out for key {key!r} is csr, but a store gives out default or row_sparse "
                "arrays"
            )


def _named(thing: Any) -> str:
    kind = type(thing)
    return "None" if thing is None else f"a {kind.__module__}.{kind.__qualname__}"
