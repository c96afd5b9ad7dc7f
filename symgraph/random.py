"""``mx.random``: seeds, and one stream of random numbers per device.

The streams of different devices are independent of each other, so that what one device draws
never depends on how many others are in use.
"""

from __future__ import annotations

import operator
import threading
from importlib import import_module
from typing import Any

import numpy as np

from symgraph.backend import get_backend
from symgraph.context import Context, current_context
from symgraph.errors import AttributeValueError

_streams: dict[Context, Any] = {}
_base: list[int] | None = None
"""What every stream's seed starts with; None before the first use."""
_lock = threading.Lock()


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Start the random numbers anew.

    Parameters
    ----------
    seed_state : int
        Equal seeds give equal numbers. The streams of the devices differ nevertheless.
    ctx : Context, optional
        Start only this device's stream. It then depends on the seed alone, so that two devices
        can be made to draw the same.

    Raises
    ------
    AttributeValueError
        If the seed is no integer or ``ctx`` no context.
    """
    global _base
    number = _whole(seed_state)
    if isinstance(ctx, Context):
        with _lock:
            _streams[ctx] = _stream(ctx, [number])
    elif ctx == "all":
        with _lock:
            _base = [number]
            _streams.clear()
    else:
        raise AttributeValueError(f"random.seed: ctx must be a Context or 'all', not {ctx!r}")


def generator(ctx: Context | None = None) -> Any:
    """The random generator of a device, by default of the current one.

    Returns
    -------
    generator
        Of the device's array library, with ``random``, ``standard_normal`` and ``integers``.
    """
    ctx = ctx or current_context()
    found = _streams.get(ctx)
    return _new_stream(ctx) if found is None else found


def _new_stream(ctx: Context) -> Any:
    global _base
    with _lock:
        if _base is None:
            _base = [int(word) for word in np.random.SeedSequence().generate_state(4)]
        if ctx not in _streams:
            _streams[ctx] = _stream(ctx, [*_base, ctx.device_typeid, ctx.device_id])
        return _streams[ctx]


def _stream(ctx: Context, entropy: list[int]) -> Any:
    backend = get_backend(ctx.backend_name)
    words = np.random.SeedSequence(entropy).generate_state(2, np.uint64)
    with backend.on_device(ctx.device_id):
        return backend.rng(int(words[0]))


def _whole(number: Any) -> int:
    try:
        # Negative seeds are as good as others; NumPy takes only natural numbers.
        return operator.index(number) & 0xFFFFFFFFFFFFFFFF
    except TypeError:
        raise AttributeValueError(
            f"random.seed: the seed must be an integer, not {number!r}"
        ) from None


def __getattr__(name: str) -> Any:
    """``mx.random.uniform`` and its kin, which draw arrays and so live with the arrays."""
    draws = import_module("symgraph.ndarray.random")
    if name in draws.__all__:
        return getattr(draws, name)
    raise AttributeError(f"module 'symgraph.random' has no attribute {name!r}")
