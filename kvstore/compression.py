"""Gradient compression: few bits per element, what they do not say is kept for the next push."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgraph.errors import KVStoreError, StorageError
from symgraph.ndarray.convert import backend_of
from symgraph.ndarray.ndarray import NDArray
from symgraph.storage import Array


def _two_bits(xp: Any, wish: Array, threshold: float) -> Array:
    """-threshold, 0 or +threshold."""
    sent = xp.zeros_like(wish)
    sent[wish >= threshold] = threshold
    sent[wish <= -threshold] = -threshold
    return sent


def _one_bit(xp: Any, wish: Array, threshold: float) -> Array:
    """+1 above the threshold, else -1."""
    sent = xp.ones_like(wish)
    sent[wish <= threshold] = -1
    return sent


_TYPES: dict[str, tuple[Callable[[Any, Array, float], Array], float]] = {
    "1bit": (_one_bit, 0.0),
    "2bit": (_two_bits, 0.5),
}
"""Type -> what is sent for the wish, and the default threshold."""


class Compression:
    """What arrives of a gradient, with the rest kept for each sender.

    Raises
    ------
    KVStoreError
        If the parameters name no type there is, or a threshold that is not legal.
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        if not isinstance(params, Mapping) or "type" not in params:
            raise KVStoreError(
                f"gradient compression takes a dict such as {{'type': '2bit'}}, but {params!r} came"
            )
        unknown = set(params) - {"type", "threshold"}
        if unknown:
            raise KVStoreError(
                f"gradient compression has no parameter {', '.join(sorted(unknown))}"
            )
        if params["type"] not in _TYPES:
            raise KVStoreError(
                f"gradient compression type {params['type']!r} is unknown; known are "
                f"{', '.join(_TYPES)}"
            )
        self.type: str = params["type"]
        self._quantize, default = _TYPES[self.type]
        self.threshold = float(params.get("threshold", default))
        if self.type == "2bit" and self.threshold <= 0:
            raise KVStoreError(f"a 2bit threshold is above 0, but {self.threshold} came")
        self._rest: dict[tuple[Any, int], Array] = {}

    def sent(self, key: Any, values: Sequence[NDArray]) -> list[NDArray]:
        """What arrives of each value, the rest of the last push included.

        Raises
        ------
        StorageError
            If a value is sparse or of integers.
        """
        for value in values:
            if value.stype != "default" or value.value.dtype.kind != "f":
                raise StorageError(
                    f"push: the value for key {key!r} is {value.stype} {value.value.dtype}, but "
                    "only default ones of a float type can be compressed"
                )
        return [NDArray(self._sent(key, i, v), v.context) for i, v in enumerate(values)]

    def _sent(self, key: Any, sender: int, grad: NDArray) -> Array:
        backend = backend_of(grad.context)
        with backend.on_device(grad.context.device_id):
            rest = self._rest.get((key, sender))
            wish = grad.value.copy() if rest is None else rest + grad.value
            sent = self._quantize(backend.xp, wish, self.threshold)
            self._rest[key, sender] = wish - sent
        return sent

    def forget(self, key: Any) -> None:
        """Drop what is kept for ``key``."""
        for place in [place for place in self._rest if place[0] == key]:
            del self._rest[place]
