"""Steps that several operators share, and running steps at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgraph.ops.op import Step
from symgraph.ops.precision import narrow, wide
from symgraph.storage import Array


def evaluate(steps_of: Callable[..., list[Step]], xp: Any, *arrays: Array) -> Array:
    """What steps write, for arrays of any layout and type.

    ``steps_of(xp, *arrays, out)`` gives the steps; ``out`` has the shape of the first array. An
    operator whose ``forward`` is made so means what its ``lower`` does.
    """
    inputs = [wide(a) for a in arrays]
    out = xp.empty(inputs[0].shape, inputs[0].dtype)  # contiguous, so that reshaping it is a view
    for function, arguments in steps_of(xp, *inputs, out):
        function(*arguments)
    return narrow(out, arrays[0])


def put(out: Array, value: Any) -> Step:
    """The step ``out[...] = value``, which takes half the time of ``copyto`` on small arrays."""
    return out.__setitem__, (..., value)


def copy(xp: Any, data: Array, out: Array) -> list[Step]:
    """Steps for ``out = data``."""
    return [put(out, data)]


def no_gradient(grads: dict[str, Array]) -> list[Step]:
    """Steps that give the label of a loss, if somebody asks, the gradient zero."""
    return [(grads["label"].fill, (0,))] if "label" in grads else []
