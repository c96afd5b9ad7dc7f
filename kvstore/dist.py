"""The names of the distributed stores, which are not there yet."""

from __future__ import annotations

import os
from functools import partial
from typing import NoReturn

from symgraph.errors import KVStoreError
from symgraph.kvstore.base import KVStoreBase

_TYPES = (
    "dist",
    "dist_sync",
    "dist_async",
    "dist_device_sync",
    "dist_sync_device",
    "dist_device_async",
    "dist_async_device",
    "p3",
)
_VARIABLES = (
    "DMLC_ROLE",
    "DMLC_PS_ROOT_URI",
    "DMLC_PS_ROOT_PORT",
    "DMLC_NUM_WORKER",
    "DMLC_NUM_SERVER",
)
"""What a launcher sets in the environment of each process."""


def _refuse(name: str) -> NoReturn:
    missing = [variable for variable in _VARIABLES if not os.environ.get(variable)]
    needs = f"{', '.join(missing)} not set by a launcher, and " if missing else ""
    raise KVStoreError(
        f"KVStore {name!r} joins several machines: {needs}this version of symgraph has no "
        "distributed store yet; use 'local' or 'device' in one process"
    )


for _name in _TYPES:
    KVStoreBase.kv_registry[_name] = partial(_refuse, _name)
