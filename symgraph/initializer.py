"""Initializers: what a parameter holds before training (``mx.init``)."""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symgraph import random
from symgraph.context import cpu
from symgraph.errors import ShapeError
from symgraph.initializer_base import (
    InitDesc,
    Initializer,
    alias,
    as_list,
    create,
    draw_normal,
    draw_uniform,
    fill,
    register,
)
from symgraph.ndarray import NDArray
from symgraph.ndarray import load as load_arrays

__all__ = [
    "Bilinear",
    "Constant",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]


@alias("zero", "zeros")
class Zero(Initializer):
    """All zero."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_zero(name, arr)


@alias("one", "ones")
class One(Initializer):
    """All one."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_one(name, arr)


@register
class Constant(Initializer):
    """A number, or an array that broadcasts to the parameter."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: NDArray) -> None:
        fill(arr, np.broadcast_to(np.asarray(as_list(self.value)), arr.shape))


@register
class Uniform(Initializer):
    """Uniform within ``[-scale, scale)``."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: NDArray) -> None:
        draw_uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Normal with mean zero and standard deviation ``sigma``."""

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: NDArray) -> None:
        draw_normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """``scale`` times a matrix whose rows (or columns, if fewer) are orthonormal.

    Shapes: (out, ...), the rest taken as one dimension. Source: Saxe et al., "Exact solutions to
    the nonlinear dynamics of learning in deep linear neural networks", 2013.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ValueError(f"rand_type is {rand_type!r}, but 'uniform' or 'normal' is required")
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:
            raise ShapeError(f"Orthogonal: {name} has shape {arr.shape}, but a matrix is required")
        shape = (arr.shape[0], math.prod(arr.shape[1:]))
        draw = random.generator(cpu())
        uniform = self.rand_type == "uniform"
        values = draw.random(shape) * 2 - 1 if uniform else draw.standard_normal(shape)
        left, _, right = np.linalg.svd(values, full_matrices=False)
        found = left if left.shape == shape else right
        fill(arr, self.scale * found.reshape(arr.shape))


@register
class Xavier(Initializer):
    """Scaled so that signals keep their size from layer to layer.

    Shapes: (out, in, ...), the rest being a convolution's kernel. The variance is ``magnitude``
    (a third of it for "uniform") over the mean of both fans ("avg"), or one of them ("in",
    "out"). Source: Glorot and Bengio, "Understanding the difficulty of training deep
    feedforward neural networks", 2010.
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:
            raise ShapeError(
                f"Xavier initializer cannot be applied to vector {name}. It requires at least 2D."
            )
        kernel = math.prod(arr.shape[2:])
        fan_in, fan_out = arr.shape[1] * kernel, arr.shape[0] * kernel
        factors = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        if self.factor_type not in factors:
            raise ValueError(f"Incorrect factor type {self.factor_type!r}; known: avg, in, out")
        scale = math.sqrt(self.magnitude / factors[self.factor_type])
        if self.rnd_type == "uniform":
            draw_uniform(arr, scale)
        elif self.rnd_type == "gaussian":
            draw_normal(arr, scale)
        else:
            raise ValueError(f"Unknown random type {self.rnd_type!r}; known: uniform, gaussian")


@register
class MSRAPrelu(Xavier):
    """For layers before a rectifier of slope ``slope`` on its negative side.

    Source: He et al., "Delving deep into rectifiers", 2015.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """A deconvolution that enlarges images linearly."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_bilinear(name, arr)


@register
class LSTMBias(Initializer):
    """Zero, but ``forget_bias`` in the second of the four gates of an LSTM's bias."""

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        values = np.zeros(arr.shape, "float32")
        hidden = arr.shape[0] // 4
        values[hidden : 2 * hidden] = self.forget_bias
        fill(arr, values)


class Load:
    """Takes parameters from a file or dict, and the others from ``default_init``.

    Raises
    ------
    ShapeError
        At the call, if the parameter there has another shape, or is missing without default.
    """

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False) -> None:
        given = load_arrays(param) if isinstance(param, str | os.PathLike) else param
        if not isinstance(given, Mapping):
            raise TypeError("Load needs a dict of arrays by name, or a file that holds one")
        self.param = {re.sub("^(arg|aux):", "", name): array for name, array in given.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        found = self.param.get(name)
        if found is None and self.default_init is None:
            raise MissingParameterError(
                f"Cannot Initialize {name}. Not found in loaded param and no default Initializer "
                "is provided."
            )
        if found is None:
            self.default_init(name, arr)
        elif tuple(found.shape) != tuple(arr.shape):
            raise MissingParameterError(
                f"Parameter {name} cannot be initialized from loading. Shape mismatch, "
                f"target {tuple(arr.shape)} vs loaded {tuple(found.shape)}"
            )
        else:
            arr[:] = found
        if self.verbose:
            logging.info(
                "Initialized %s by %s", name, "loading" if found is not None else "default"
            )


class MissingParameterError(ShapeError, AssertionError):
    """:class:`Load` has no array that fits. MXNet raises AssertionError here."""


class Mixed:
    """The initializer of the first pattern that a name matches.

    Raises
    ------
    ValueError
        At the call, if no pattern matches.
    """

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        if len(patterns) != len(initializers):
            raise AssertionError(
                f"Mixed: {len(patterns)} patterns came with {len(initializers)} initializers"
            )
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        for pattern, initializer in self.map:
            if pattern.match(name):
                initializer(name, arr)
                return
        raise ValueError(
            f"Parameter name {name} did not match any pattern; "
            'add ".*" at the end, with a default initializer'
        )
