"""Bodies for CuPy's arrays. Importing this package registers them."""

from __future__ import annotations

import cupy  # pyright: ignore[reportMissingImports]

from symgraph.kernels import add_namespace
from symgraph.kernels.cuda import update
from symgraph.kernels.remote import register_remote

__all__ = ["update"]

add_namespace(cupy.ndarray, cupy)
register_remote(cupy.ndarray)
