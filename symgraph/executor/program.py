"""A bound graph as a flat list of calls over preallocated memory.

Compiled once per (graph, shapes, types, storage, gradient requests). A step is a function and its
arguments; dense results lie in buffers that stay the same for the life of the program, sparse
results in cells that are replaced at every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symgraph.backend import Backend
from symgraph.executor.arrays import making
from symgraph.executor.call import Call, step_of
from symgraph.executor.layout import Layout
from symgraph.graph.graph import Entry, Node
from symgraph.ops.backward import Backward, ZeroGradient
from symgraph.ops.op import Ctx, Step
from symgraph.passes.infer import entries_of
from symgraph.passes.memory import plan_memory
from symgraph.storage import Array, Shape, Value

Rng = Callable[[], Any]


@dataclass(frozen=True)
class Block:
    """The steps of one node."""

    node: Node
    steps: tuple[Step, ...]


class Program:
    """Runs a layout forward and backward on given arrays.

    Parameters
    ----------
    layout : Layout
    backend : Backend
    bound : mapping of Node to value
        Arrays of dense variables; their memory is read (and, for auxiliary states, written) at
        every run. Sparse ones are given anew through ``cells``.
    grads : mapping of Node to array
        Where dense gradients with ``grad_req`` write go; others are read from ``cells``.
    rng : callable
        Gives the random generator of the device.
    """

    def __init__(
        self,
        layout: Layout,
        backend: Backend,
        bound: Mapping[Node, Value],
        grads: Mapping[Node, Array],
        rng: Rng,
    ) -> None:
        self._layout = layout
        self._backend = backend
        self._rng = rng
        self.cells: dict[Entry, Value] = {Entry(n): v for n, v in bound.items()}
        self._roots = _find_roots(layout, self.cells)
        self._allocate(grads)
        self._aux_names = _aux_entries(layout)
        self._blocks: dict[tuple[str, bool], list[Block]] = {}
        self._flat: dict[tuple[str, bool], list[Step]] = {}

    def run(self, stage: str, is_train: bool) -> None:
        """Run all steps of ``"forward"`` or ``"backward"``."""
        key = (stage, is_train)
        steps = self._flat.get(key)
        if steps is None:
            steps = self._flat[key] = [s for b in self.blocks(*key) for s in b.steps]
        for function, arguments in steps:
            function(*arguments)

    def blocks(self, stage: str, is_train: bool) -> list[Block]:
        """The steps of a stage, grouped by node, compiled at the first call."""
        key = (stage, is_train)
        if key not in self._blocks:
            nodes = self._nodes(stage)
            made = [Block(n, tuple(self._compile(n, is_train))) for n in nodes]
            self._blocks[key] = [b for b in made if b.steps]
        return self._blocks[key]

    # ---- memory ------------------------------------------------------------------------

    def _nodes(self, stage: str) -> list[Node]:
        """Operator nodes of a stage, in the order in which they run."""
        split = len(self._layout.forward.order)
        order = self._layout.whole.graph.order
        part = order[:split] if stage == "forward" else order[split:]
        return [n for n in part if n.op is not None]

    def _allocate(self, grads: Mapping[Node, Array]) -> None:
        """Give every dense entry its memory."""
        layout, xp = self._layout, self._backend.xp
        whole = layout.whole
        users = Counter(whole.of.values())
        for node, target in grads.items():
            entry = whole.of.get(node)
            if entry is not None and users[entry] == 1 and self._is_computed(entry):
                self.cells[entry] = target
        open_ = [e for e in whole.graph.entries() if self._is_dense_root(e)]
        nbytes = {}
        for entry in open_:
            shape, dtype = layout.shapes[entry], layout.dtypes[entry]
            if self._is_computed(entry):
                nbytes[entry] = _nbytes(shape, dtype)
            else:
                with making(entry.name, shape, dtype):
                    self.cells[entry] = xp.zeros(shape, dtype)
        order, kept = whole.graph.order, [self._roots[e] for e in whole.graph.heads]
        in_place = frozenset(n for n in order if n.op is not None and n.op.in_place)
        self._place(plan_memory(order, self._roots, nbytes, kept, in_place), nbytes)
        self._alias()

    def _is_dense_root(self, entry: Entry) -> bool:
        return (
            entry not in self.cells
            and self._layout.stypes[entry] == "default"
            and self._roots[entry] == entry
        )

    def _is_computed(self, entry: Entry) -> bool:
        """Whether a step writes the entry into memory of its own."""
        op = entry.node.op
        return op is not None and not isinstance(op, ZeroGradient) and self._is_dense_root(entry)

    def _place(self, plan: Mapping[Entry, int], nbytes: Mapping[Entry, int]) -> None:
        """Cut the planned buffers out of memory."""
        xp, layout = self._backend.xp, self._layout
        largest: dict[int, Entry] = {}
        for entry, number in plan.items():
            if nbytes[entry] >= nbytes[largest.setdefault(number, entry)]:
                largest[number] = entry
        memory = {}
        for number, entry in largest.items():
            with making(entry.name, layout.shapes[entry], layout.dtypes[entry]):
                memory[number] = xp.empty(max(nbytes[entry], 1), "uint8")
        # One object for each place: NumPy takes two views of one place for a dangerous overlap.
        views: dict[tuple[int, str, Shape], Array] = {}
        for entry, number in plan.items():
            shape, dtype = layout.shapes[entry], layout.dtypes[entry]
            key = (number, dtype, shape)
            if key not in views:
                views[key] = memory[number][: nbytes[entry]].view(dtype).reshape(shape)
            self.cells[entry] = views[key]

    def _alias(self) -> None:
        """Give entries that are another one's memory a view of it."""
        for entry, root in self._roots.items():
            if root != entry:
                self.cells[entry] = self.cells[root].reshape(self._layout.shapes[entry])

    # ---- steps -------------------------------------------------------------------------

    def _compile(self, node: Node, is_train: bool) -> list[Step]:
        op, layout = node.op, self._layout
        assert op is not None
        if isinstance(op, ZeroGradient) or self._roots[Entry(node)] != Entry(node):
            return []
        ctx = self._ctx(node, is_train)
        outs = [Entry(node, i) for i in range(node.num_outputs)]
        dispatch = layout.dispatch[node]
        if dispatch.impl.is_dense and not dispatch.densify:
            steps = self._lowered(node, ctx, outs)
            if steps is not None:
                return steps
        call = Call(
            node,
            ctx,
            dispatch,
            self.cells,
            outs,
            [layout.stypes[e] for e in outs],
            self._aux_names.get(node.source or node, {}),
        )
        return [step_of(call)]

    def _lowered(self, node: Node, ctx: Ctx, outs: list[Entry]) -> list[Step] | None:
        op = node.op
        ins = [self.cells[e] for e in node.inputs]
        results = [self.cells[e] for e in outs]
        if not isinstance(op, Backward):
            assert op is not None
            return None if op.list_aux() else op.lower(ctx, ins, results)
        if op.of.list_aux():
            return None
        count = len(op.heads)
        needs = dict(zip(op.needs, ins[count:], strict=True))
        grads = dict(zip(op.wanted, results, strict=True))
        return op.of.lower_backward(ctx, ins[:count], needs, grads)

    def _ctx(self, node: Node, is_train: bool) -> Ctx:
        layout, of = self._layout, node
        if isinstance(node.op, Backward) and node.source is not None:
            of = node.source
        tensors = entries_of(of)
        wanted = node.op.wanted if isinstance(node.op, Backward) else ()
        return Ctx(
            self._backend,
            is_train,
            node.name,
            {name: layout.shapes[e] for name, e in tensors.items()},
            {name: layout.dtypes[e] for name, e in tensors.items()},
            frozenset(wanted),
            self._rng,
            {},
        )


def _find_roots(layout: Layout, bound: Mapping[Entry, Value]) -> dict[Entry, Entry]:
    """Of every entry, the one whose memory it is.

    The output of an ``alias`` operator is its input reshaped, unless it is a head: a user must
    not find an argument changed with an output.
    """
    roots: dict[Entry, Entry] = {}
    heads = set(layout.whole.graph.heads)
    for node in layout.whole.graph.order:
        first = node.inputs[0] if node.inputs else None
        for i in range(node.num_outputs):
            entry = Entry(node, i)
            shares = (
                first is not None
                and node.op is not None
                and node.op.alias
                and entry not in heads
                and layout.stypes[entry] == layout.stypes[first] == "default"
                and layout.dtypes[entry] == layout.dtypes[first]
                and _is_contiguous(bound.get(roots[first]))
            )
            roots[entry] = roots[first] if shares and first is not None else entry
    return roots


def _is_contiguous(array: Array | None) -> bool:
    return array is None or array.flags.c_contiguous


def _aux_entries(layout: Layout) -> dict[Node, dict[str, Entry]]:
    """By node, its auxiliary states by name."""
    found = {}
    for node in layout.forward.order:
        if node.op is not None and node.op.list_aux():
            found[node] = dict(zip(node.op.list_aux(), node.aux_inputs(), strict=True))
    return found


_ITEM = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2}


def _nbytes(shape: tuple[int, ...], dtype: str) -> int:
    size = _ITEM.get(dtype, 1)
    for n in shape:
        size *= n
    return size
