"""``nd.save`` and ``nd.load``."""

from __future__ import annotations

import os
from typing import Any

from symgraph.context import Context
from symgraph.errors import FormatError
from symgraph.ndarray.convert import to_host
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.ndarray.serialize import load_buffer, load_file, save_file
from symgraph.storage import Value

HOST = Context("cpu", 0)


def save(fname: str | os.PathLike[str], data: NDArray | list[NDArray] | dict[str, NDArray]) -> None:
    """Write arrays in MXNet's ``.params`` format; the former file stays whole until it is done.

    Parameters
    ----------
    data : NDArray, list of NDArray, or dict of str to NDArray

    Raises
    ------
    TypeError, ValueError
        If ``data`` is anything else.
    MXNetError
        If the file cannot be written.
    """
    names, arrays = _named(data)
    devices = [(a.context.device_typeid, a.context.device_id) for a in arrays]
    pending = iter(arrays)
    save_file(
        fname,
        names,
        [a.value for a in arrays],
        devices,
        to_host=lambda value: to_host(value, next(pending).context),
    )


def _named(data: Any) -> tuple[list[str], list[NDArray]]:
    if isinstance(data, NDArray):
        return [], [data]
    if isinstance(data, dict):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, list):
        names, arrays = [], data
    else:
        raise ValueError(
            "save takes an NDArray, a list of them or a dict of them by name, "
            f"not {type(data).__name__}"
        )
    for thing, wanted in ((names, str), (arrays, NDArray)):
        for item in thing:
            if not isinstance(item, wanted):
                raise TypeError(
                    f"save: {wanted.__name__} is required, but {type(item).__name__} came"
                )
    return names, arrays


def load(fname: str | os.PathLike[str]) -> Any:
    """Arrays of a ``.params`` file in host memory: a dict where they have names, else a list.

    Raises
    ------
    FormatError
        If the file is not in the format, truncated, or uses a name twice.
    MXNetError
        If it cannot be opened.
    """
    return _arrays(*load_file(fname), os.fspath(fname))


def load_frombuffer(buf: bytes | bytearray | memoryview) -> Any:
    """The same from the content of a file.

    Raises
    ------
    TypeError
        If ``buf`` is not bytes.
    """
    if not isinstance(buf, bytes | bytearray | memoryview):
        raise TypeError(f"load_frombuffer takes bytes, not {type(buf).__name__}")
    return _arrays(*load_buffer(buf), "the buffer")


def _arrays(names: list[str], values: list[Value], source: str) -> Any:
    arrays = [wrap(value, HOST) for value in values]
    if not names:
        return arrays
    found = dict(zip(names, arrays, strict=True))
    if len(found) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise FormatError(f"{source}: the name {twice!r} stands for two arrays")
    return found
