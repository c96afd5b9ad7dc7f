"""A strict stand-in for a GPU: an array type with CuPy's manners over host memory.

It refuses what CuPy refuses (silent conversion to NumPy, host arrays among device arrays, names
and keywords that CuPy 14 does not have) and counts what would make the host wait for the device.
Values are NumPy's. Stricter than CuPy in two places: host arrays are refused as indices and as
assigned values too, and indices out of range raise instead of wrapping around.
"""

from __future__ import annotations

from strict.array import DeviceArray
from strict.namespace import XP, Generator, asnumpy
from strict.rules import UnexpectedSyncError, no_syncs, sync_count, sync_places

from symgraph.backend import Backend
from symgraph.kernels import add_namespace
from symgraph.kernels.remote import register_remote

__all__ = [
    "XP",
    "DeviceArray",
    "UnexpectedSyncError",
    "make_backend",
    "no_syncs",
    "sync_count",
    "sync_places",
]


def make_backend() -> Backend:
    """The stand-in as the backend ``"gpu"``; a fixture puts it into ``FACTORIES``::

    monkeypatch.setitem(symgraph.backend.FACTORIES, "gpu", make_backend)
    symgraph.backend.forget_backend("gpu")
    """
    add_namespace(DeviceArray, XP)
    register_remote(DeviceArray)
    return Backend("gpu", XP, asnumpy, XP.asarray, Generator)
