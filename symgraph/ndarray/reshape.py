"""MXNet's shape codes: 0 keeps a length, -1 is inferred, -2 to -4 copy, merge and split."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symgraph.errors import ShapeError
from symgraph.storage import Shape


def reshaped(shape: Shape, codes: Sequence[int], *, reverse: bool = False) -> Shape:
    """The shape that ``codes`` ask for, from ``shape``.

    Parameters
    ----------
    codes : sequence of int
        A positive number is a length; 0 keeps the length at this place; -1 (once) is what remains;
        -2 keeps all remaining lengths; -3 multiplies the next two; -4 splits the next into the
        two numbers that follow, of which one may be -1.
    reverse : bool
        Match the codes from the right.

    Raises
    ------
    ShapeError
        If the codes are no such list or the number of elements would change.
    """
    codes = tuple(codes)
    try:
        found = _reversed(shape, codes) if reverse else _resolve(shape, codes)
    except IndexError:
        raise ShapeError(f"cannot reshape {shape} with {codes}: it has too few axes") from None
    except ValueError as error:
        raise ShapeError(f"cannot reshape {shape} with {codes}: {error}") from None
    if -1 in found:
        rest = -math.prod(found)
        if rest == 0 or math.prod(shape) % rest:
            raise ShapeError(f"cannot reshape {shape} with {codes}: the -1 has no whole length")
        found = tuple(math.prod(shape) // rest if n == -1 else n for n in found)
    if math.prod(found) != math.prod(shape):
        raise ShapeError(
            f"cannot reshape {shape} to {found}: {math.prod(shape)} elements cannot fill "
            f"{math.prod(found)}"
        )
    return found


def _resolve(shape: Shape, codes: tuple[int, ...]) -> Shape:
    found: list[int] = []
    at = i = 0
    while i < len(codes):
        code = codes[i]
        i += 1
        if code > 0 or code == -1:
            found.append(code)
            at += 1
        elif code == 0:
            found.append(shape[at])
            at += 1
        elif code == -2:
            found += shape[at:]
            at = len(shape)
        elif code == -3:
            found.append(shape[at] * shape[at + 1])
            at += 2
        elif code == -4:
            found += _split(shape[at], codes[i], codes[i + 1])
            at += 1
            i += 2
        else:
            raise ValueError(f"{code} is no code")
    if found.count(-1) > 1:
        raise ValueError("only one length can be inferred")
    return tuple(found)


def _reversed(shape: Shape, codes: tuple[int, ...]) -> Shape:
    """Codes matched from the right; the operands of a -4 stand after it either way."""
    groups: list[tuple[int, ...]] = []
    i = 0
    while i < len(codes):
        width = 3 if codes[i] == -4 else 1
        head, *operands = codes[i : i + width]
        groups.append((head, *operands[::-1]))
        i += width
    backwards = tuple(code for group in groups[::-1] for code in group)
    return _resolve(shape[::-1], backwards)[::-1]


def _split(length: int, one: int, other: int) -> tuple[int, int]:
    if one == other == -1:
        raise ValueError("-4 needs at least one length")
    one = length // other if one == -1 else one
    other = length // one if other == -1 else other
    if one * other != length:
        raise ValueError(f"{length} cannot be split into {one} and {other}")
    return one, other


def expanded(shape: Shape, axis: int) -> Shape:
    """``shape`` with a new axis of length one.

    Raises
    ------
    ShapeError
        If ``axis`` is out of range.
    """
    ndim = len(shape) + 1
    if not -ndim <= axis < ndim:
        raise ShapeError(f"expand_dims: axis is {axis}, but -{ndim} to {ndim - 1} are possible")
    at = axis % ndim
    return (*shape[:at], 1, *shape[at:])


def squeezed(shape: Shape, axis: int | Sequence[int] | None) -> Shape:
    """``shape`` without all, or the given, axes of length one; (1,) where none would remain.

    Raises
    ------
    ShapeError
        If a given axis does not exist or is longer.
    """
    ndim = len(shape)
    if axis is None:
        return tuple(n for n in shape if n != 1) or (1,)
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    if any(not -ndim <= a < ndim or shape[a] != 1 for a in given):
        raise ShapeError(f"squeeze: shape {shape} has no axis {axis} of length one")
    drop = {a % ndim for a in given}
    return tuple(n for i, n in enumerate(shape) if i not in drop) or (1,)
