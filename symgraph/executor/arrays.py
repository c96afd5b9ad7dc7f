"""Arrays for a graph's variables: taken from the user, shared, or made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from symgraph.backend import get_backend
from symgraph.context import Context
from symgraph.errors import MXNetError, ShapeError, close_names
from symgraph.executor.layout import Layout
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ndarray.creation import shape_of
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.storage import CSR, RowSparse, Shape, SType, Value

GRAD_REQS = ("null", "write", "add")


@dataclass(frozen=True)
class Bound:
    """The arrays of an executor by variable, and what is to happen to each gradient.

    An array for a gradient that nobody asked for (``null``) is kept, and not touched.
    """

    args: Mapping[Node, NDArray]
    aux: Mapping[Node, NDArray]
    grads: Mapping[Node, NDArray] = field(default_factory=dict)
    reqs: Mapping[Node, str] = field(default_factory=dict)

    def variables(self) -> dict[Node, NDArray]:
        return {**self.args, **self.aux}

    def wanted(self) -> list[Node]:
        """Variables whose gradients are computed."""
        return [n for n in self.grads if self.reqs[n] != "null"]

    def shapes(self) -> dict[Node, Shape]:
        return {n: tuple(a.shape) for n, a in self.variables().items()}

    def dtypes(self) -> dict[Node, str]:
        return {n: str(a.value.dtype) for n, a in self.variables().items()}

    def stypes(self) -> dict[Node, SType]:
        return {n: a.stype for n, a in self.variables().items()}


def grad_reqs(graph: Graph, given: Any) -> dict[Node, str]:
    """``grad_req`` of every argument, from one word, a list in their order or a dict by name.

    Raises
    ------
    MXNetError
        If a word is none of null, write, add, or a name is no argument.
    """
    names = [n.name for n in graph.arguments]
    if isinstance(given, str):
        words = [given] * len(names)
    elif isinstance(given, Mapping):
        check_names("grad_req", given, names)
        words = [given.get(name, "null") for name in names]
    else:
        words = list(given)
    if len(words) != len(names):
        raise MXNetError(f"grad_req has {len(words)} entries, but there are {len(names)} arguments")
    for name, word in zip(names, words, strict=True):
        if word not in GRAD_REQS:
            raise MXNetError(f"grad_req of {name} is {word!r}, but null, write or add is required")
    return dict(zip(graph.arguments, words, strict=True))


def check_names(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse names that are no variables of the graph."""
    for name in given:
        if name not in known:
            raise MXNetError(
                f"{what}: no variable is called {name!r}{close_names(name, known)} "
                f"(variables: {', '.join(known)})"
            )


def take_shapes(
    what: str, nodes: Mapping[str, Node], given: Mapping[str, Any]
) -> dict[Node, Shape]:
    """Shapes by variable from a dict by name.

    Raises
    ------
    MXNetError
        If a name is unknown, ShapeError if a shape is none; names it.
    """
    check_names(what, given, nodes)
    found = {}
    for name, shape in given.items():
        try:
            found[nodes[name]] = shape_of(shape)
        except ShapeError as error:
            raise ShapeError(f"{what} of {name}: {error}") from None
    return found


def take_arrays(
    what: str, nodes: Sequence[Node], given: Any, *, optional: bool = False
) -> dict[Node, NDArray]:
    """Arrays by variable from a list in order or a dict by name; None where one may be left out.

    Raises
    ------
    ValueError
        If one is missing or the list has another length.
    """
    if given is None:
        given = {}
    names = [n.name for n in nodes]
    if not isinstance(given, Mapping):
        if not isinstance(given, list | tuple):
            kind = type(given).__name__
            raise TypeError(f"{what} is a {kind}, but a dict or a list of NDArrays is required")
        if len(given) != len(nodes):
            raise ValueError(f"{what} has {len(given)} arrays, but {len(nodes)} are required")
        given = dict(zip(names, given, strict=True))
    absent = [n for n in names if given.get(n) is None]
    if absent and not optional:
        raise ValueError(f"{what}: no array for {', '.join(absent)}")
    found = {}
    for node in nodes:
        value = given.get(node.name)
        if value is None:
            continue
        if not isinstance(value, NDArray):
            kind = type(value).__name__
            raise TypeError(f"{what}: {node.name} is a {kind}, but an NDArray is required")
        found[node] = value
    return found


def allocate(
    layout: Layout, ctx: Context, reqs: Mapping[Node, str], old: Bound | None = None
) -> Bound:
    """Zero arrays for all variables and gradients; those of ``old`` are kept where they fit."""
    graph = layout.forward
    have = old or Bound({}, {})

    def make(node: Node, known: Mapping[Node, NDArray], stype: SType) -> NDArray:
        shape, dtype = layout.shapes[Entry(node)], layout.dtypes[Entry(node)]
        kept = known.get(node)
        if kept is not None and kept.shape == shape and str(kept.value.dtype) == dtype:
            return kept
        with making(node.name, shape, dtype):
            return zeros(shape, dtype, stype, ctx)

    args = {n: make(n, have.args, layout.stypes[Entry(n)]) for n in graph.arguments}
    aux = {n: make(n, have.aux, layout.stypes[Entry(n)]) for n in graph.auxiliaries}
    wanted = [n for n in graph.arguments if reqs.get(n, "null") != "null"]
    grads = {n: make(n, have.grads, layout.grad_stype(n)) for n in wanted}
    return Bound(args, aux, grads, dict(reqs))


@contextmanager
def making(name: str, shape: Shape, dtype: str) -> Iterator[None]:
    """Name the array that does not fit in memory or has more axes than the library knows."""
    try:
        yield
    except (MemoryError, ValueError) as error:
        raise MXNetError(f"{name} of shape {shape} and type {dtype}: {error}") from error


def zeros(shape: Shape, dtype: str, stype: SType, ctx: Context) -> NDArray:
    """A new array of zeros; a sparse one holds nothing."""
    backend = get_backend(ctx.backend_name)
    with backend.on_device(ctx.device_id):
        return wrap(zero_value(shape, dtype, stype, backend.xp), ctx)


def zero_value(shape: Shape, dtype: str, stype: SType, xp: Any) -> Value:
    """The value of an array of zeros in a storage type."""
    if stype == "row_sparse":
        return RowSparse(xp.zeros((0, *shape[1:]), dtype), xp.zeros(0, "int64"), shape)
    if stype == "csr":
        pointers = xp.zeros(shape[0] + 1, "int64")
        return CSR(xp.zeros(0, dtype), xp.zeros(0, "int64"), pointers, shape)
    return xp.zeros(shape, dtype)


def check_grads(bound: Bound) -> None:
    """Gradient arrays must have the shapes of what they are gradients of."""
    for node, grad in bound.grads.items():
        if grad.shape != bound.args[node].shape:
            raise ShapeError(
                f"args_grad: {node.name} has shape {grad.shape}, "
                f"but {bound.args[node].shape} is required"
            )


def check_devices(bound: Bound, ctx: Context) -> None:
    """All arrays must lie where the executor runs."""
    for node, holder in bound.variables().items():
        if holder.context.backend_name != ctx.backend_name:
            raise MXNetError(
                f"{node.name} lies on {holder.context}, but the executor runs on {ctx}; "
                "copy it there with as_in_context"
            )
