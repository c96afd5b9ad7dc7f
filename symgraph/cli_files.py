"""What the command line reads: networks, shapes, files to describe."""

from __future__ import annotations

import ast
import platform
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from symgraph.errors import FormatError, MXNetError

if TYPE_CHECKING:
    from symgraph.symbol.symbol import Symbol


def load_symbol(path: Path) -> Symbol:
    """The network in a symbol JSON file."""
    from symgraph import symbol

    if not path.exists():
        raise MXNetError(f"there is no file {path}")
    return symbol.load(str(path))


def parse_shapes(texts: Sequence[str] | None) -> dict[str, tuple[int, ...]] | None:
    """``["data=(1,3,8,8)"]`` -> ``{"data": (1, 3, 8, 8)}``.

    Raises
    ------
    MXNetError
        If one is no name and shape.
    """
    shapes = {}
    for text in texts or ():
        name, equals, shape = text.partition("=")
        lengths = _lengths(shape)
        if not (name and equals) or lengths is None:
            raise MXNetError(f"{text!r} is no shape; write it like 'data=(1,3,224,224)'")
        shapes[name.strip()] = lengths
    return shapes or None


def _lengths(text: str) -> tuple[int, ...] | None:
    """``"(1, 3)"`` or ``"4"`` as a shape, or None if it is none."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    lengths = value if isinstance(value, tuple | list) else (value,)
    fits = all(type(n) is int and 0 <= n < 2**31 for n in lengths)
    return tuple(lengths) if fits else None


def describe_file(path: Path) -> str:
    """What a symbol JSON or ``.params`` file holds."""
    if not path.exists():
        raise MXNetError(f"there is no file {path}")
    if path.suffix == ".json":
        return _describe_symbol(load_symbol(path))
    try:
        return _describe_params(path)
    except FormatError as error:
        raise FormatError(f"{error} (symbol files must end in .json)") from None


def _describe_symbol(symbol: Symbol) -> str:
    graph = symbol.graph
    ops = Counter(op for _, op in graph.nodes(data="op") if op != "null")
    lines = [
        f"operators   {sum(ops.values())}: "
        + ", ".join(f"{n} {name}" for name, n in ops.most_common(12))
        + (" ..." if len(ops) > 12 else ""),
        f"arguments   {_some(symbol.list_arguments())}",
        f"auxiliary   {_some(symbol.list_auxiliary_states())}",
        f"outputs     {_some(symbol.list_outputs())}",
    ]
    return "\n".join(lines)


def _describe_params(path: Path) -> str:
    from symgraph.ndarray.serialize import load_file

    names, values = load_file(path)
    rows = [
        f"{name or i}  {value.dtype}{tuple(value.shape)}  {getattr(value, 'stype', 'default')}"
        for i, (name, value) in enumerate(zip(names or [""] * len(values), values, strict=True))
    ]
    return "\n".join([f"{len(values)} arrays", *rows])


def _some(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{len(names)}: {', '.join(names[:most])}{more}" if names else "none"


def describe_installation() -> str:
    """Versions, devices and what can be drawn: what a bug report needs."""
    from symgraph import __version__
    from symgraph.ops.op import REGISTRY, load_all

    load_all()
    classes = {cls.name for cls in REGISTRY.values()}
    rows = [
        ("symgraph", __version__),
        ("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *((name, _version(name)) for name in ("numpy", "numba", "networkx", "graphviz")),
        ("drawing", _version("pygraphviz", "pygraphviz {} carries Graphviz")),
        ("gpu", _gpu()),
        ("operators", f"{len(classes)} under {len(REGISTRY)} names"),
    ]
    return "\n".join(f"{name:<10}  {text}" for name, text in rows)


def _version(name: str, form: str = "{}") -> str:
    try:
        return form.format(metadata.version(name))
    except metadata.PackageNotFoundError:
        return "not installed"


def _gpu() -> str:
    from symgraph.backend import get_backend

    try:
        backend = get_backend("gpu")
        return f"{backend.xp.cuda.runtime.getDeviceCount()} with CuPy {backend.xp.__version__}"
    except Exception as error:  # CuPy raises classes of its own where the driver is missing
        return f"none ({error})"
