"""Executor: a symbol bound to arrays, ready to run forward and backward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from symgraph import random
from symgraph.backend import get_backend
from symgraph.context import Context
from symgraph.errors import MXNetError, ShapeError
from symgraph.executor.arrays import Bound, allocate, take_shapes, zero_value
from symgraph.executor.convert import add
from symgraph.executor.layout import Layout, by_name, lay_out
from symgraph.executor.program import Block, Program
from symgraph.graph.graph import Entry, Graph, Node
from symgraph.ndarray.convert import cast_storage
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.storage import Shape

Monitor = Callable[[str, NDArray], None]


class Executor:
    """A graph bound to arrays on one device. Made by ``Symbol.bind`` and ``Symbol.simple_bind``.

    Attributes
    ----------
    arg_dict, grad_dict, aux_dict, output_dict : dict of str to NDArray
        A gradient that nobody asked for is None.
    arg_arrays, grad_arrays, aux_arrays, outputs : list of NDArray
        The same in the order of ``list_arguments()`` and its kin.
    """

    def __init__(self, graph: Graph, layout: Layout, ctx: Context, bound: Bound) -> None:
        self._graph = graph
        self._ctx = ctx
        self._bound = bound
        self._monitor: Monitor | None = None
        self._monitor_all = False
        # Steps write into buffers of the program; a monitor may run it again from within.
        self._lock = RLock()
        self._grad_uses = Counter(map(id, bound.grads.values()))
        self._backend = get_backend(ctx.backend_name)
        self._compile(layout)

    def _compile(self, layout: Layout) -> None:
        """Make the program of ``layout`` on the bound arrays."""
        self._layout = layout
        self._has_run = False
        bound, ctx = self._bound, self._ctx
        dense = {n: a for n, a in bound.variables().items() if a.stype == "default"}
        self._sparse = [(Entry(n), a) for n, a in bound.variables().items() if n not in dense]
        with self._backend.on_device(ctx.device_id):
            self._program = Program(
                layout,
                self._backend,
                {n: a.value for n, a in dense.items()},
                {n: bound.grads[n].value for n in bound.wanted() if self._is_direct(n)},
                lambda: random.generator(ctx),
            )
        self._finish = [n for n in bound.wanted() if not self._is_in_place(n)]
        self._dense_outputs = self._wrap_outputs()
        self._copied = self._separate_variables()

    # ---- what is bound -----------------------------------------------------------------

    @property
    def arg_arrays(self) -> list[NDArray]:
        return [self._bound.args[n] for n in self._graph.arguments]

    @property
    def grad_arrays(self) -> list[NDArray | None]:
        return [self._bound.grads.get(n) for n in self._graph.arguments]

    @property
    def aux_arrays(self) -> list[NDArray]:
        return [self._bound.aux[n] for n in self._graph.auxiliaries]

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        return {n.name: a for n, a in self._bound.args.items()}

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        return {n.name: self._bound.grads.get(n) for n in self._graph.arguments}

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        return {n.name: a for n, a in self._bound.aux.items()}

    @property
    def output_dict(self) -> dict[str, NDArray]:
        return dict(zip([e.name for e in self._graph.heads], self.outputs, strict=True))

    @property
    def outputs(self) -> list[NDArray]:
        """Results of the last forward pass; the next one overwrites them."""
        return [
            wrap(self._program.cells[entry], self._ctx) if ready is None else ready
            for entry, ready in zip(self._heads, self._dense_outputs, strict=True)
        ]

    @property
    def _heads(self) -> tuple[Entry, ...]:
        """Where the outputs are; ``_graph`` has their names."""
        return self._layout.forward.heads

    # ---- running -----------------------------------------------------------------------

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs.

        Parameters
        ----------
        is_train : bool
            Whether Dropout drops, BatchNorm uses the batch, and so on.
        **kwargs
            Arrays to copy into arguments first, by name.

        Raises
        ------
        TypeError
            If a name is no argument.
        ShapeError
            If an array has another shape than the argument.
        """
        with self._lock, self._backend.on_device(self._ctx.device_id):
            if kwargs:
                self._feed(kwargs)
            self._load_sparse()
            self._run("forward", bool(is_train))
            for source, target in self._copied:
                source.copyto(target)
            self._has_run = True
            return self.outputs

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients into the gradient arrays, after a forward pass.

        Parameters
        ----------
        out_grads : NDArray, list or dict of NDArray, optional
            Head gradients, in the order of the outputs or by name; loss layers need none.

        Raises
        ------
        MXNetError
            If there was no forward pass, or a head gradient is missing.
        """
        if not self._has_run:
            raise MXNetError("backward needs a forward pass before it: call forward(is_train=True)")
        with self._lock, self._backend.on_device(self._ctx.device_id):
            self._take_head_gradients(out_grads)
            self._run("backward", bool(is_train))
            for node in self._finish:
                self._finish_gradient(node)

    def _feed(self, given: Mapping[str, Any]) -> None:
        args = self.arg_dict
        for name, value in given.items():
            if name not in args:
                raise TypeError(f"forward: no argument is called {name!r} ({', '.join(args)})")
            if not hasattr(value, "shape"):
                kind = type(value).__name__
                raise TypeError(f"forward: {name} is a {kind}, but an NDArray or array is required")
            if tuple(value.shape) != args[name].shape:
                raise ShapeError(
                    f"forward: {name} has shape {tuple(value.shape)}, "
                    f"but {args[name].shape} is bound"
                )
        for name, value in given.items():
            if isinstance(value, NDArray):
                value.copyto(args[name])
            else:
                args[name][:] = value

    def _load_sparse(self) -> None:
        for entry, holder in self._sparse:
            self._program.cells[entry] = holder.value

    def _run(self, stage: str, is_train: bool) -> None:
        if self._monitor is None:
            self._program.run(stage, is_train)
            return
        for block in self._program.blocks(stage, is_train):
            self._watch_inputs(block)
            for function, arguments in block.steps:
                function(*arguments)
            self._watch_outputs(block)

    def _take_head_gradients(self, given: Any) -> None:
        heads = self._layout.whole.heads
        if isinstance(given, Mapping):
            given = [given.get(e.name) for e in self._graph.heads]
        elif given is None or isinstance(given, NDArray):
            given = [given]
        listed = list(given) + [None] * (len(self._graph.heads) - len(given))
        for i, node in heads.items():
            name = self._graph.heads[i].name
            if listed[i] is None:
                raise MXNetError(
                    f"backward needs a head gradient for output {name}, which is no loss layer: "
                    "pass out_grads, or end the network in a loss such as MakeLoss"
                )
            cell = self._program.cells[Entry(node)]
            if tuple(listed[i].shape) != cell.shape:
                raise ShapeError(
                    f"backward: the head gradient of {name} has shape {tuple(listed[i].shape)}, "
                    f"but {cell.shape} is required"
                )
            holder = wrap(cell, self._ctx)
            if isinstance(listed[i], NDArray):
                listed[i].copyto(holder)
            else:
                holder[:] = listed[i]

    # ---- gradients into the user's arrays ----------------------------------------------

    def _is_direct(self, node: Node) -> bool:
        """Whether the gradient may be computed right in the user's array."""
        holder = self._bound.grads[node]
        return (
            self._bound.reqs[node] == "write"
            and holder.stype == "default"
            and self._layout.grad_stype(node) == "default"
            and str(holder.value.dtype) == self._layout.dtypes[Entry(node)]
            and holder.value.flags.c_contiguous
            and self._grad_uses[id(holder)] == 1
        )

    def _is_in_place(self, node: Node) -> bool:
        entry = self._layout.whole.of.get(node)
        return entry is not None and self._program.cells.get(entry) is self._bound.grads[node].value

    def _finish_gradient(self, node: Node) -> None:
        """Copy or add a gradient that was computed elsewhere."""
        holder, req = self._bound.grads[node], self._bound.reqs[node]
        entry = self._layout.whole.of.get(node)
        xp = self._backend.xp
        if entry is None:
            if req == "write":
                dtype = str(holder.value.dtype)
                holder._set_value(zero_value(holder.shape, dtype, holder.stype, xp))
            return
        value = self._program.cells[entry]
        if req == "add":
            value = add(holder.value, value, xp)
        holder._set_value(cast_storage(value, holder.stype, xp))

    # ---- monitor -----------------------------------------------------------------------

    def set_monitor_callback(self, callback: Monitor, monitor_all: bool = False) -> None:
        """Call ``callback(name, array)`` for every output a node makes, and with ``monitor_all``
        for every input too.

        Raises
        ------
        TypeError
            If it cannot be called.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"a monitor is a function of a name and an array, not {callback!r}")
        bound = self._bound
        facts = bound.shapes(), bound.dtypes(), bound.stypes()
        layout = lay_out(self._graph, bound.reqs, *facts, exact=True, fused=False)
        with self._lock:
            self._compile(layout)
        self._monitor = callback
        self._monitor_all = monitor_all

    def _watch_inputs(self, block: Block) -> None:
        if self._monitor_all and self._monitor is not None:
            node = block.node
            for name, entry in zip(node.input_names(), node.inputs, strict=True):
                self._monitor(f"{node.name}_{name}", self._copy_of(entry))

    def _watch_outputs(self, block: Block) -> None:
        node = block.node
        assert node.op is not None and self._monitor is not None
        for i, name in enumerate(node.op.list_outputs()[: node.op.num_visible()]):
            self._monitor(f"{node.name}_{name}", self._copy_of(Entry(node, i)))

    def _copy_of(self, entry: Entry) -> NDArray:
        return wrap(self._program.cells[entry], self._ctx).copy()

    # ---- other MXNet methods -----------------------------------------------------------

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy arrays into arguments and auxiliary states of the same name.

        Raises
        ------
        ValueError
            If a name is unknown and ``allow_extra_params`` is not set; nothing is copied then.
        ShapeError
        """
        groups = [("arguments", self.arg_dict, arg_params)]
        groups.append(("auxiliary states", self.aux_dict, aux_params or {}))
        for kind, own, given in groups:
            for name, value in given.items():
                if name not in own and not allow_extra_params:
                    raise ValueError(f"{name!r} is not among the {kind} ({', '.join(own)})")
                if name in own and own[name].shape != value.shape:
                    raise ShapeError(
                        f"{name} has shape {value.shape}, but {own[name].shape} is bound"
                    )
        for _, own, given in groups:
            for name in own.keys() & given.keys():
                given[name].astype(own[name].dtype).copyto(own[name])

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Shape
    ) -> Executor:
        """An executor for other input shapes that shares all arrays whose shape stays.

        Raises
        ------
        ShapeError
            If an argument that was not named would change, unless ``partial_shaping``.
        """
        nodes = by_name(self._graph)
        given = take_shapes("reshape: shape", nodes, kwargs)
        bound = self._bound
        layout = lay_out(self._graph, bound.reqs, given, bound.dtypes(), bound.stypes())
        for node in self._graph.arguments:
            old, new = bound.args[node].shape, layout.shapes[Entry(node)]
            if old != new and node not in given and not partial_shaping:
                raise ShapeError(
                    f"reshape would change {node.name} from {old} to {new}, which was not asked "
                    "for; pass partial_shaping=True if it is meant"
                )
        return Executor(
            self._graph, layout, self._ctx, allocate(layout, self._ctx, bound.reqs, bound)
        )

    def debug_str(self) -> str:
        """The steps in the order in which they run, and their buffers."""
        lines = []
        for node in self._layout.whole.graph.order:
            entries = [Entry(node, i) for i in range(node.num_outputs)]
            facts = [f"{self._layout.dtypes[e]}{self._layout.shapes[e]}" for e in entries]
            reads = ", ".join(e.name for e in node.inputs)
            lines.append(
                f"{node}: {reads} -> {', '.join(facts)}" if node.op else f"{node}: {facts[0]}"
            )
        return "\n".join(lines)

    def _wrap_outputs(self) -> list[NDArray | None]:
        cells, stypes = self._program.cells, self._layout.stypes
        return [wrap(cells[e], self._ctx) if stypes[e] == "default" else None for e in self._heads]

    def _separate_variables(self) -> list[tuple[NDArray, NDArray]]:
        """Arrays of their own for heads that are variables: an output is never an argument."""
        pairs = []
        for i, entry in enumerate(self._heads):
            source = self._dense_outputs[i]
            if entry.node.is_variable and source is not None:
                target = source.copy()
                self._dense_outputs[i] = target
                pairs.append((source, target))
        return pairs
