"""Where the channel axis stands. Bodies work with it second; views bring it there and back."""

from __future__ import annotations

from typing import Any

from symgraph.storage import Shape


def is_channels_last(layout: str | None) -> bool:
    """Whether ``layout``, such as ``"NHWC"``, ends with the channels."""
    return layout is not None and layout.endswith("C")


def channels_first(value: Any, layout: str | None) -> Any:
    """A shape or a view of an array in ``layout``, with channels on axis 1."""
    if not is_channels_last(layout):
        return value
    if isinstance(value, tuple):
        return (value[0], value[-1], *value[1:-1])
    return value.transpose(0, value.ndim - 1, *range(1, value.ndim - 1))


def channels_last(value: Any, layout: str | None) -> Any:
    """The way back from :func:`channels_first`."""
    if not is_channels_last(layout):
        return value
    if isinstance(value, tuple):
        return (value[0], *value[2:], value[1])
    return value.transpose(0, *range(2, value.ndim), 1)


def spread(values: Shape, default: int, rank: int) -> Shape:
    """``values``, or ``default`` for every axis where there are none."""
    return values or (default,) * rank
