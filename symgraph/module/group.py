"""The executors of a module: one for each device, each working on its slice of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgraph.context import Context, cpu
from symgraph.dtypes import dtype_name
from symgraph.errors import ShapeError
from symgraph.executor.arrays import Bound, allocate
from symgraph.executor.executor import Executor
from symgraph.executor.layout import Layout, by_name, lay_out
from symgraph.graph.graph import Graph, Node
from symgraph.graph.hints import declared_stypes
from symgraph.io.base import DataDesc
from symgraph.module.rows import index_inputs
from symgraph.module.slices import (
    Roles,
    Shaped,
    batch_axis,
    cut,
    feed,
    joined,
    plan_slices,
    rows_of,
    shapes_of,
    sliced,
)
from symgraph.ndarray import NDArray
from symgraph.ndarray.convert import share_memory
from symgraph.optimizer.values import dense_of, table_of

KEPT_SHAPES = 8
"""How many shapes of a batch keep their executors; the least recently used go first."""

Key = tuple[Any, ...]
Copies = dict[str, list[NDArray]]


class ExecutorGroup:
    """Runs a network on slices of a batch, one on each device.

    Devices that share their memory, as all CPU contexts do, share one copy of the parameters.

    Parameters
    ----------
    graph : Graph
    contexts, shares
        The devices and their shares of a batch.
    roles : Roles
    grad_reqs : dict of str to str
        By argument name.
    shared : ExecutorGroup, optional
        One whose parameters are used.

    Attributes
    ----------
    homes : list of int
        Of each copy of the parameters, the first device that uses it.
    params : dict of str to list of NDArray
        The copies of each parameter.
    grads : dict of str to list of NDArray
        Its gradient on each device; a parameter without one is missing.
    aux : dict of str to list of NDArray
        Each auxiliary state on each device.
    current : Shaped
        The executors of the last batch.
    data_order, label_order : list of str
        How batches without names bring their arrays.
    """

    current: Shaped
    data_order: list[str]
    label_order: list[str]

    def __init__(
        self,
        graph: Graph,
        contexts: Sequence[Context],
        shares: Sequence[float],
        roles: Roles,
        grad_reqs: Mapping[str, str],
        shared: ExecutorGroup | None = None,
    ) -> None:
        self.graph = graph
        self.contexts = list(contexts)
        self.roles = roles
        self.homes = [
            i
            for i, ctx in enumerate(self.contexts)
            if not any(share_memory(ctx, c) for c in self.contexts[:i])
        ]
        self.params: Copies = {}
        self.aux: Copies = {}
        self.grads: Copies = {}
        if shared is not None:
            own = {*roles.params, *roles.aux}
            self.params = {n: list(a) for n, a in shared.params.items() if n in own}
            self.aux = {n: list(a) for n, a in shared.aux.items() if n in own}
        self._shares = list(shares)
        self._nodes = by_name(graph)
        self._reqs = {self._nodes[name]: req for name, req in grad_reqs.items()}
        self._declared = {n.name: stype for n, stype in declared_stypes(graph).items()}
        self._index_inputs = index_inputs(graph)
        self._axes = [DataDesc.get_batch_axis(e.node.attrs.get("__layout__")) for e in graph.heads]
        self._shaped: dict[Key, Shaped] = {}
        self._untried: Key | None = None
        # What the arrays of the last batch looked like, so that the next one is not looked at
        # closely if it is like it.
        self._seen: list[tuple[Any, ...]] = []
        self._monitors: list[Any] = []

    # ---- binding -------------------------------------------------------------------------

    def bind(self, data: Sequence[DataDesc], labels: Sequence[DataDesc]) -> None:
        """Make executors for batches of these shapes the current ones.

        Raises
        ------
        ValueError
            If there are more devices than rows.
        ShapeError, DTypeError
        """
        stypes = {d.name: self._declared.get(d.name, "default") for d in data}
        self.data_order = [d.name for d in data]
        self.label_order = [d.name for d in labels] or list(self.roles.labels)
        self._bind(tuple(data), tuple(labels), stypes)
        self._untried = self._key

    def _bind(
        self, data: tuple[DataDesc, ...], labels: tuple[DataDesc, ...], stypes: Mapping[str, Any]
    ) -> None:
        key = tuple(self._key_part(d.name, d.shape, d.dtype, stypes[d.name]) for d in data)
        kept = self._shaped.pop(key, None)
        if kept is None or (labels and kept.labels != labels):
            kept = self._make(data, labels, stypes)
        self._shaped[key] = self.current = kept
        self._key = key
        self._seen = []
        while len(self._shaped) > KEPT_SHAPES:
            self._shaped.pop(next(iter(self._shaped)))

    def _key_part(self, name: str, shape: Any, dtype: Any, stype: str) -> Key:
        """What of an input decides whether executors fit it."""
        return shape, stype, dtype_name(dtype) if name in self._index_inputs else None

    def _make(
        self, data: tuple[DataDesc, ...], labels: tuple[DataDesc, ...], stypes: Mapping[str, Any]
    ) -> Shaped:
        descs = [*data, *labels]
        slices = self._slices(data)
        sizes = [None if part.stop is None else part.stop - part.start for part in slices]
        layouts = {rows: self._lay_out(descs, rows, stypes) for rows in dict.fromkeys(sizes)}
        each = [layouts[rows] for rows in sizes]
        return self._shaped_of(data, labels, slices, each)

    def _slices(self, data: Sequence[DataDesc]) -> tuple[slice, ...]:
        if len(self.contexts) == 1:
            return (slice(None),)
        return plan_slices(rows_of(data), self._shares)

    def _shaped_of(
        self,
        data: tuple[DataDesc, ...],
        labels: tuple[DataDesc, ...],
        slices: tuple[slice, ...],
        layouts: Sequence[Layout],
    ) -> Shaped:
        executors = [self._executor(i, layout) for i, layout in enumerate(layouts)]
        found = [ex.arg_dict for ex in executors]
        feeds = [tuple(args[d.name] for d in (*data, *labels)) for args in found]
        return Shaped(data, labels, slices, tuple(layouts), tuple(executors), tuple(feeds))

    def _lay_out(
        self, descs: Sequence[DataDesc], rows: int | None, stypes: Mapping[str, Any]
    ) -> Layout:
        nodes = self._nodes
        for desc in descs:
            if desc.name not in nodes:
                raise ValueError(f"bind: the network has no input {desc.name!r}")
        return lay_out(
            self.graph,
            self._reqs,
            {nodes[d.name]: d.shape if rows is None else sliced(d, rows) for d in descs},
            {nodes[d.name]: dtype_name(d.dtype) for d in descs},
            {nodes[name]: stype for name, stype in stypes.items()},
        )

    def _executor(self, number: int, layout: Layout) -> Executor:
        """An executor on a device, with the arrays that it has already."""
        ctx, home = self.contexts[number], self._home(number)
        have = Bound(
            self._by_node(self.params, home),
            self._by_node(self.aux, number),
            self._by_node(self.grads, number),
        )
        bound = allocate(layout, ctx, self._reqs, have)
        for node, holder in have.args.items():
            if bound.args[node] is not holder:
                raise ShapeError(
                    f"parameter {node.name} has shape {holder.shape}, "
                    f"but these inputs need {bound.args[node].shape}"
                )
        params = set(self.roles.params)
        self._keep(self.params, home, {n: a for n, a in bound.args.items() if n.name in params})
        self._keep(self.aux, number, bound.aux)
        self._keep(self.grads, number, {n: a for n, a in bound.grads.items() if n.name in params})
        executor = Executor(self.graph, layout, ctx, bound)
        for monitor in self._monitors:
            monitor.install(executor)
        return executor

    def _home(self, number: int) -> int:
        """Which copy of the parameters a device uses."""
        ctx = self.contexts[number]
        homes = [self.contexts[first] for first in self.homes]
        return next(i for i, first in enumerate(homes) if share_memory(ctx, first))

    def _by_node(self, arrays: Copies, number: int) -> dict[Node, NDArray]:
        return {
            self._nodes[n]: copies[number] for n, copies in arrays.items() if number < len(copies)
        }

    def _keep(self, arrays: Copies, number: int, bound: Mapping[Node, NDArray]) -> None:
        for node, holder in bound.items():
            copies = arrays.setdefault(node.name, [])
            if number == len(copies):
                copies.append(holder)
                if holder.stype == "row_sparse" and arrays is self.params:
                    table_of(holder)

    def replace_params(self, arrays: Mapping[str, NDArray]) -> None:
        """Let all executors work on other arrays, those of a store; there is one copy then."""
        for name, holder in arrays.items():
            self.params[name] = [holder]
        for key, old in self._shaped.items():
            self._shaped[key] = self._shaped_of(old.data, old.labels, old.slices, old.layouts)
        self.current = self._shaped[self._key]

    def install_monitor(self, monitor: Any) -> None:
        """Let a monitor watch all executors, also those to come."""
        self._monitors.append(monitor)
        for shaped in self._shaped.values():
            for executor in shaped.executors:
                monitor.install(executor)

    # ---- running -------------------------------------------------------------------------

    def forward(self, data: Sequence[NDArray], labels: Sequence[NDArray], is_train: bool) -> None:
        """Run on a batch, given in the order of the bound inputs; other shapes are bound first.

        Without labels, what the label inputs hold does not matter to predictions.
        """
        arrays = [*data, *labels]
        seen = [(type(a), a.value.shape, a.value.dtype) for a in arrays]
        if seen != self._seen:
            self._fit(data, labels)
            self._seen = seen
        now = self.current
        if len(now.executors) == 1:
            for holder, source in zip(now.feeds[0], arrays, strict=False):
                feed(holder, source)
            now.executors[0].forward(is_train)
            return
        axes = [batch_axis(d) for d in (*now.data, *now.labels)]
        for executor, part, holders in zip(now.executors, now.slices, now.feeds, strict=True):
            for holder, source, axis in zip(holders, arrays, axes, strict=False):
                feed(holder, cut(source, axis, part))
            executor.forward(is_train)

    def _fit(self, data: Sequence[NDArray], labels: Sequence[NDArray]) -> None:
        """Make the executors for these arrays the current ones."""
        now = self.current
        stypes = {d.name: self._stype_for(d.name, a) for d, a in zip(now.data, data, strict=True)}
        key = tuple(
            self._key_part(d.name, a.shape, a.dtype, stypes[d.name])
            for d, a in zip(now.data, data, strict=True)
        )
        if key == self._key and shapes_of(labels) in ((), shapes_of(now.labels)):
            self._untried = None
            return
        if self._untried is not None:
            # Made for a shape that never came, such as dense batches where csr ones come.
            self._shaped.pop(self._untried, None)
            self._untried = None
        self._bind(self._described(data), self._described_labels(labels), stypes)

    def _stype_for(self, name: str, source: NDArray) -> str:
        """A csr batch stays csr, whatever the variable says; a dense one is made what it says."""
        return "csr" if source.stype == "csr" else self._declared.get(name, "default")

    def _described(self, data: Sequence[NDArray]) -> tuple[DataDesc, ...]:
        return tuple(
            DataDesc(
                d.name, a.shape, a.dtype if d.name in self._index_inputs else d.dtype, d.layout
            )
            for d, a in zip(self.current.data, data, strict=True)
        )

    def _described_labels(self, labels: Sequence[NDArray]) -> tuple[DataDesc, ...]:
        known = {d.name: d for d in self.current.labels}
        found = []
        for name, label in zip(self.label_order, labels, strict=False):
            like = known.get(name) or DataDesc(name, label.shape)
            found.append(DataDesc(name, label.shape, like.dtype, like.layout))
        return tuple(found)

    def backward(self, out_grads: Sequence[NDArray] | None) -> None:
        """Compute the gradients; head gradients are those of the whole batch."""
        now = self.current
        if out_grads is None or len(now.executors) == 1:
            for executor in now.executors:
                executor.backward(out_grads)
            return
        for executor, part in zip(now.executors, now.slices, strict=True):
            pieces = zip(out_grads, self._axes, strict=False)
            executor.backward([cut(grad, axis, part) for grad, axis in pieces])

    # ---- results -------------------------------------------------------------------------

    def outputs(self) -> list[list[NDArray]]:
        """Of each output, its part on every device."""
        found = [executor.outputs for executor in self.current.executors]
        return [list(parts) for parts in zip(*found, strict=True)]

    def merged_outputs(self) -> list[NDArray]:
        """The outputs for the whole batch."""
        return [joined(p, a) for p, a in zip(self.outputs(), self._axes, strict=True)]

    def output_shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for the whole batch."""
        found = []
        for head, axis in zip(self.graph.heads, self._axes, strict=True):
            shapes = [layout.shapes[head] for layout in self.current.layouts]
            whole = list(shapes[0])
            if len(shapes) > 1 and axis >= 0:
                whole[axis] = sum(shape[axis] for shape in shapes)
            found.append(tuple(whole))
        return found

    def input_grads(self) -> list[list[NDArray]]:
        """Of each data input, the part of its gradient on every device."""
        found = [executor.grad_dict for executor in self.current.executors]
        return [[grads[d.name] for grads in found] for d in self.current.data]  # type: ignore[misc]

    def merged_input_grads(self) -> list[NDArray]:
        """The gradients of the data inputs for the whole batch."""
        axes = [batch_axis(d) for d in self.current.data]
        return [joined(p, a) for p, a in zip(self.input_grads(), axes, strict=True)]

    # ---- states --------------------------------------------------------------------------

    def states(self) -> list[list[NDArray]]:
        """Of each state, its part on every device."""
        found = [executor.arg_dict for executor in self.current.executors]
        return [[args[name] for args in found] for name in self.roles.states]

    def set_states(self, states: Sequence[Any] | None, value: Any) -> None:
        """Set the states to arrays, whole or as lists of parts, or all to a number."""
        for i, parts in enumerate(self.states()):
            given = value if states is None else states[i]
            for k, (holder, rows) in enumerate(zip(parts, self.current.slices, strict=True)):
                if isinstance(given, NDArray):
                    holder[:] = given if len(parts) == 1 else cut(given, 0, rows)
                else:
                    holder[:] = given[k] if isinstance(given, list | tuple) else given

    # ---- parameters ----------------------------------------------------------------------

    def write(self, name: str, value: NDArray) -> None:
        """Give a parameter or auxiliary state a value, in all copies and in place."""
        for holder in self.params.get(name) or self.aux[name]:
            if holder.stype == "row_sparse":
                near = share_memory(value.context, holder.context)
                came = value if near else value.as_in_context(holder.context)
                table_of(holder)[...] = dense_of(came.value)
            else:
                value.copyto(holder)

    def read(self, name: str) -> NDArray:
        """A copy of a parameter, or the mean of an auxiliary state over devices, on the host."""
        if name in self.params:
            return self.params[name][0].copyto(cpu())
        copies = [holder.copyto(cpu()) for holder in self.aux[name]]
        mean = copies[0]
        for other in copies[1:]:
            mean += other
        if len(copies) > 1:
            mean /= len(copies)
        return mean

    def average_aux(self) -> None:
        """Give all devices the mean of their auxiliary states."""
        if len(self.contexts) > 1:
            for name in self.aux:
                self.write(name, self.read(name))
