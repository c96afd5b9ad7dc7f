"""What may stand between the brackets of ``a[...]``, as the array library reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgraph.storage import Array


def array_key(key: Any, to_array: Callable[[Any], Array]) -> tuple[Any, ...]:
    """The key as a tuple of integers, slices, None, ``...`` and index arrays.

    Parameters
    ----------
    to_array : callable
        NDArray, list or NumPy array -> array on the device.

    Raises
    ------
    ValueError
        If a part of the key is no index.
    """
    parts = key if isinstance(key, tuple) else (key,)
    found = []
    basic = True
    for part in parts:
        if isinstance(part, slice):
            found.append(slice(*(_whole(x) for x in (part.start, part.stop, part.step))))
        elif part is None or part is Ellipsis:
            found.append(part)
        elif isinstance(part, int | np.integer):
            found.append(int(part))  # a bool is 0 or 1 here, as in MXNet
        else:
            found.append(_index(part, to_array))
            basic = False
    if basic and Ellipsis not in found:
        # So that the library gives an array of no dimensions, not a number.
        found.append(Ellipsis)
    return tuple(found)


def _whole(number: Any) -> int | None:
    return None if number is None else int(number)


def _index(part: Any, to_array: Callable[[Any], Array]) -> Array:
    """An array of integers or a mask; MXNet's index arrays are often float32."""
    if isinstance(part, str | bytes | float) or not hasattr(part, "__len__"):
        raise ValueError(f"{part!r} of type {type(part).__name__} cannot index an NDArray")
    index = to_array(part)
    return index.astype("int64") if index.dtype.kind == "f" or not index.shape[0] else index
