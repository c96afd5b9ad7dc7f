"""The base of initializers: which rule fills which parameter.

An initializer looks at the parameter's name: ``..._weight`` is its own business, ``..._bias`` and
``..._beta`` become zero, ``..._gamma`` one. A variable may carry an initializer of its own
(``sym.Variable(init=...)``, attribute ``__init__``), which goes first. Values are drawn in host
memory, so that one seed gives one model on every device.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symgraph import random
from symgraph.context import cpu
from symgraph.errors import ShapeError
from symgraph.ndarray import NDArray
from symgraph.registry import get_alias_func, get_create_func, get_register_func


class InitDesc(str):
    """The name of a parameter, with the attributes of its variable.

    Parameters
    ----------
    name : str
    attrs : dict of str to str, optional
    global_init : Initializer, optional
        The initializer of the whole module, for initializers that delegate.
    """

    attrs: Mapping[str, str]
    global_init: Any

    def __new__(
        cls, name: str, attrs: Mapping[str, str] | None = None, global_init: Any = None
    ) -> InitDesc:
        made = super().__new__(cls, name)
        made.attrs = attrs or {}
        made.global_init = global_init
        return made


class Initializer:
    """Base of the initializers; a child overrides ``_init_weight``.

    Keyword arguments are what ``dumps`` writes down, so that ``create`` can make it again.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[Any], Any] | None = None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dumps() == other.dumps()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.dumps())

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[Any], Any] | None = None
    ) -> Initializer:
        """Log ``print_func(array)`` after each parameter; norm over root of size by default."""
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """``'["name", {arguments}]'``, the form of the attribute ``__init__``."""
        return json.dumps([type(self).__name__.lower(), self._kwargs], default=as_list)

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill ``arr``, the parameter called ``desc``.

        Raises
        ------
        TypeError
            If ``desc`` is no string.
        ValueError
            If the name says nothing: it ends in none of the known words.
        """
        if not isinstance(desc, str):
            raise TypeError(f"name must be string, {type(desc).__name__} came")
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
        else:
            self._init_by_suffix(desc, arr)
        if self._verbose:
            measure = self._print_func or _root_mean_square
            logging.info("Initialized %s as %s: %s", desc, own or self.dumps(), measure(arr))

    def _init_by_suffix(self, name: str, arr: NDArray) -> None:
        for suffix, rule in _RULES.items():
            if name.endswith(suffix):
                getattr(self, rule)(name, arr)
                return
        self._init_default(name, arr)

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """The rules for a plain string, which MXNet had before variables had initializers."""
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            self._init_loc_bias(name, arr)
        elif name.endswith(("moving_mean", "moving_inv_var", "moving_avg")):
            self._init_zero(name, arr)
        elif name.endswith("moving_var"):
            self._init_one(name, arr)
        else:
            self._init_by_suffix(name, arr)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _init_weight(name, arr)")

    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_beta(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_bilinear(self, _: str, arr: NDArray) -> None:
        fill(arr, bilinear_kernel(arr.shape))

    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        """A spatial transformer begins as the identity."""
        if arr.shape != (6,):
            raise ShapeError(f"{name} has shape {arr.shape}, but (6,) is required")
        fill(arr, np.array([1, 0, 0, 0, 1, 0]))

    def _init_default(self, name: str, _: NDArray) -> None:
        raise ValueError(
            f"Unknown initialization pattern for {name}: the name of a parameter must end in "
            '"weight", "bias", "gamma" or "beta", or its variable needs an initializer: '
            f"mx.sym.Variable({str(name)!r}, init=mx.init.Normal())"
        )


_RULES = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "min": "_init_zero",
    "max": "_init_one",
}

register = get_register_func(Initializer, "initializer")
alias = get_alias_func(Initializer, "initializer")
create = get_create_func(Initializer, "initializer")


def as_list(value: Any) -> Any:
    array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
    return array.tolist()


def _root_mean_square(arr: NDArray) -> str:
    values = arr.asnumpy()
    return str(float(np.linalg.norm(values) / math.sqrt(values.size or 1)))


def fill(arr: NDArray, values: np.ndarray) -> None:
    arr[:] = values.astype(arr.dtype, copy=False)


def draw_uniform(arr: NDArray, bound: float) -> None:
    values = random.generator(cpu()).random(arr.shape, "float32")
    values *= 2 * bound
    values -= bound
    fill(arr, values)


def draw_normal(arr: NDArray, sigma: float) -> None:
    values = random.generator(cpu()).standard_normal(arr.shape, "float32")
    values *= sigma
    fill(arr, values)


def bilinear_kernel(shape: Sequence[int]) -> np.ndarray:
    """Weights of a deconvolution that enlarges images linearly. Shape: (n, m, height, width).

    Raises
    ------
    IndexError
        If there are not four dimensions.
    """
    if len(shape) != 4:
        raise IndexError(f"a bilinear kernel has four dimensions, the shape is {tuple(shape)}")
    half = math.ceil(shape[3] / 2)
    centre = (2 * half - 1 - half % 2) / (2 * half)
    slopes = [1 - np.abs(np.arange(n) / half - centre) for n in shape[2:]]
    return np.broadcast_to(np.outer(*slopes), tuple(shape)).astype("float32")
