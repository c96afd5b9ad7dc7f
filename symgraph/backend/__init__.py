"""Array libraries behind one interface. The only importer of cupy outside ``kernels.cuda``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgraph.errors import MXNetError

Array = Any


def _host(_device_id: int) -> AbstractContextManager[Any]:
    """Host memory is one; what devices do silently (1 / 0, overflow) is silent here too."""
    return np.errstate(all="ignore")


@dataclass(frozen=True, eq=False)
class Backend:
    """An array namespace and the crossings between it and host memory.

    Attributes
    ----------
    name : str
        ``"cpu"`` or ``"gpu"``.
    xp : module
        NumPy, CuPy, or a stand-in with CuPy's rules.
    to_host : callable
        Array of this backend -> ``numpy.ndarray``; waits for the device.
    from_host : callable
        ``numpy.ndarray`` -> array of this backend; on the CPU the array itself.
    rng : callable
        Seed -> generator with ``random``, ``standard_normal``, ``integers``.
    on_device : callable
        Device number -> context manager within which arrays are made on that device and
        arithmetic raises no warnings.
    synchronize : callable
        Wait until everything submitted has run.
    """

    name: str
    xp: Any
    to_host: Callable[[Array], np.ndarray]
    from_host: Callable[[np.ndarray], Array]
    rng: Callable[[Any], Any]
    on_device: Callable[[int], AbstractContextManager[Any]] = _host
    synchronize: Callable[[], None] = lambda: None


def _numpy_backend() -> Backend:
    return Backend("cpu", np, np.asarray, np.asarray, np.random.default_rng)


def _cupy_backend() -> Backend:
    try:
        import cupy  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise MXNetError(
            "a GPU context needs CuPy, which is not installed: "
            "pip install 'symgraph-nn[cuda12]' (or cuda13)"
        ) from error

    from symgraph.kernels import cuda  # noqa: F401  registers the overrides

    return Backend(
        "gpu",
        cupy,
        cupy.asnumpy,
        cupy.asarray,
        lambda seed: cupy.random.Generator(cupy.random.XORWOW(seed)),
        cupy.cuda.Device,
        lambda: cupy.cuda.get_current_stream().synchronize(),
    )


FACTORIES: dict[str, Callable[[], Backend]] = {"cpu": _numpy_backend, "gpu": _cupy_backend}
"""How each backend is made; tests put a stand-in device in the place of ``"gpu"``."""

_made: dict[str, Backend] = {}


def get_backend(name: str) -> Backend:
    """The backend called ``name``, made at the first call.

    Raises
    ------
    MXNetError
        If its library is not installed or there is no such backend.
    """
    if name not in _made:
        if name not in FACTORIES:
            raise MXNetError(f"unknown backend {name!r}; known are {', '.join(FACTORIES)}")
        _made[name] = FACTORIES[name]()
    return _made[name]


def forget_backend(name: str) -> None:
    """Make the backend anew at its next use."""
    _made.pop(name, None)
