"""Element types and storage types that attributes may name."""

from __future__ import annotations

from typing import Literal

NumberType = Literal["bfloat16", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"]
ElementType = Literal[
    "bfloat16", "bool", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
]
StorageType = Literal["csr", "default", "row_sparse"]
