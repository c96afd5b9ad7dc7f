"""Read, write and add rows of a table by their numbers."""

from __future__ import annotations

from symgraph.kernels import kernel
from symgraph.storage import Array


@kernel
def check_rows(xp, index: Array, num_rows: int) -> int:
    """Position of the first element of ``index`` outside ``[0, num_rows)``, or -1.

    Shapes: index (...,), any integer type; the position counts in C order.
    Arrays of a device are not looked at and pass: the answer would have to wait for the device.
    """
    bad = (index < 0) | (index >= num_rows)
    flat = bad.reshape(-1)
    return int(flat.argmax()) if flat.any() else -1


@kernel
def scatter_add(xp, dst: Array, index: Array, src: Array) -> None:
    """``dst[index] += src`` in place, repeated indices adding up.

    Shapes: dst (V, *row), index (*n,), src (*n, *row).

    Raises
    ------
    IndexError
        On the CPU, if an index lies outside ``[0, V)``; ``dst`` is then as it was.
    """
    require_rows("scatter_add", index, dst.shape[0])
    if dst.dtype != xp.float16:
        xp.add.at(dst, index, src.astype(dst.dtype, copy=False))
        return
    total = xp.zeros(dst.shape, xp.float32)  # thousands of halves do not add up in a half
    xp.add.at(total, index, src.astype(xp.float32))
    dst[...] = (dst + total).astype(dst.dtype)


@kernel
def take_rows(xp, table: Array, index: Array, out: Array) -> None:
    """``out[...] = table[index]``.

    Shapes: table (V, *row), index (*n,), out (*n, *row) of the type of ``table``.

    Raises
    ------
    IndexError
        On the CPU, if an index lies outside ``[0, V)``; ``out`` is then as it was.
    """
    require_rows("take_rows", index, table.shape[0])
    out[...] = table[index]


@kernel
def put_rows(xp, dst: Array, index: Array, src: Array) -> None:
    """``dst[index] = src`` in place. Which of several writes to one row stays is not defined.

    Shapes: dst (V, *row), index (*n,), src (*n, *row).

    Raises
    ------
    IndexError
        On the CPU, if an index lies outside ``[0, V)``; ``dst`` is then as it was.
    """
    require_rows("put_rows", index, dst.shape[0])
    dst[index] = src


def require_rows(name: str, index: Array, num_rows: int) -> None:
    """Raise IndexError unless every index lies in ``[0, num_rows)``; see :func:`check_rows`."""
    position = check_rows(index, num_rows)
    if position >= 0:
        raise IndexError(
            f"{name}: index {index.reshape(-1)[position]} at position {position} is given, "
            f"but indices from 0 to {num_rows - 1} are required"
        )
