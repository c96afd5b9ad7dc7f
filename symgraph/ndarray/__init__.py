"""``mx.nd``: arrays on devices, and every operator as a function of arrays."""

from __future__ import annotations

from symgraph.ndarray import _internal, contrib, image, linalg, random, sparse
from symgraph.ndarray.creation import (
    arange,
    array,
    concatenate,
    empty,
    eye,
    from_dlpack,
    from_numpy,
    full,
    linspace,
    moveaxis,
    onehot_encode,
    ones,
    to_dlpack_for_read,
    to_dlpack_for_write,
    waitall,
    zeros,
)
from symgraph.ndarray.elementwise import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    lesser,
    lesser_equal,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    modulo,
    multiply,
    not_equal,
    power,
    subtract,
    true_divide,
)
from symgraph.ndarray.functions import namespace_getattr, operator_names
from symgraph.ndarray.ndarray import NDArray
from symgraph.ndarray.saving import load, load_frombuffer, save
from symgraph.ndarray.sparse_arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "NDArray",
    "RowSparseNDArray",
    "_internal",
    "add",
    "arange",
    "array",
    "concatenate",
    "contrib",
    "divide",
    "empty",
    "equal",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "greater",
    "greater_equal",
    "image",
    "lesser",
    "lesser_equal",
    "linalg",
    "linspace",
    "load",
    "load_frombuffer",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "not_equal",
    "onehot_encode",
    "ones",
    "power",
    "random",
    "save",
    "sparse",
    "subtract",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "true_divide",
    "waitall",
    "zeros",
]

__getattr__ = namespace_getattr("")


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names()})
