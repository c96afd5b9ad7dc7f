"""Names, codes and defaults of element types.

Inside, an element type is its NumPy name (``"float32"``); codes appear only in files.
"""

from __future__ import annotations

from typing import Any, get_args
from typing import Literal as _Literal

import numpy as np

from symgraph.errors import DTypeError

DType = _Literal[
    "float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool", "bfloat16"
]

CODES: dict[str, int] = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "bfloat16": 12,
}
"""Codes in ``.params`` files and in ``__dtype__`` attributes."""

NAMES: dict[int, str] = {code: name for name, code in CODES.items()}

DEFAULT: DType = "float32"


def dtype_name(dtype: Any) -> str:
    """The name of ``dtype``, given as a name, a NumPy type or dtype, a Python type or a code.

    Raises
    ------
    DTypeError
        If it is no element type that symgraph knows.
    """
    if dtype is None:
        return DEFAULT
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        if dtype in NAMES:
            return NAMES[dtype]
        raise DTypeError(f"unknown element type code {dtype}; known are {sorted(NAMES)}")
    if isinstance(dtype, str) and dtype == "bfloat16":
        return dtype
    try:
        name = np.dtype(dtype).name  # pyright: ignore[reportCallIssue, reportArgumentType]
    except TypeError:
        name = str(dtype)
    if name not in CODES:
        raise DTypeError(f"unknown element type {name!r}; known are {list(get_args(DType))}")
    return name


def is_float(name: str) -> bool:
    """Whether ``name`` is a floating point type."""
    return "float" in name
