"""Devices: ``cpu(0)``, ``gpu(1)``, and the current one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, ClassVar, SupportsIndex

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Context:
    """A device, usable as ``with mx.gpu(1): ...`` to make it the current one.

    Parameters
    ----------
    device_type : str or Context
        ``"cpu"``, ``"gpu"``, ``"cpu_pinned"`` or ``"cpu_shared"``.
    device_id : int
        Number of the device. CPU numbers tell copies apart, all lie in host memory.

    Raises
    ------
    ValueError
        If the type is unknown or the number negative.
    TypeError
        If the number is none.
    """

    device_type: str = "cpu"
    device_id: int = 0
    device_typeid: int = field(init=False, compare=False, repr=False, default=0)

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}

    def __post_init__(self) -> None:
        if isinstance(self.device_type, Context):
            other = self.device_type
            object.__setattr__(self, "device_type", other.device_type)
            object.__setattr__(self, "device_id", other.device_id)
        if self.device_type not in self.devstr2type:
            known = ", ".join(self.devstr2type)
            raise ValueError(f"unknown device type {self.device_type!r}; known are {known}")
        if not isinstance(self.device_id, SupportsIndex):
            raise TypeError(f"the number of a device is {self.device_id!r}, but an int is required")
        if self.device_id < 0:
            raise ValueError(f"a device number cannot be negative, got {self.device_id}")
        object.__setattr__(self, "device_typeid", self.devstr2type[self.device_type])

    @property
    def backend_name(self) -> str:
        """Which backend serves this device: all host memory is ``"cpu"``."""
        return "gpu" if self.device_type == "gpu" else "cpu"

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __enter__(self) -> Context:
        _stack().append(self)
        return self

    def __exit__(self, *exc: Any) -> None:
        _stack().pop()

    def empty_cache(self) -> None:
        """Give cached device memory back; host memory is not cached."""


def _stack() -> list[Context]:
    if not hasattr(_local, "stack"):
        _local.stack = [Context("cpu", 0)]
    return _local.stack


def current_context() -> Context:
    """The device of the innermost ``with``, ``cpu(0)`` outside of any."""
    return _stack()[-1]


def chosen_context(ctx: Any) -> Context:
    """``ctx``, by default the current one.

    Raises
    ------
    TypeError
        If it is anything else, such as the name of a device.
    """
    ctx = ctx or current_context()
    if not isinstance(ctx, Context):
        raise TypeError(f"ctx must be a Context such as mx.cpu(), not {ctx!r}")
    return ctx


def cpu(device_id: int = 0) -> Context:
    """A CPU context."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """A CPU context of page-locked memory; symgraph treats it as ``cpu``."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """A GPU context; arrays on it need CuPy."""
    return Context("gpu", device_id)
