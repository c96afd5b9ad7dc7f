"""The step of a node whose operator is called, not lowered."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from symgraph.errors import MXNetError
from symgraph.executor.convert import dense, stored_as, whole
from symgraph.graph.graph import Entry, Node
from symgraph.ndarray.convert import fill
from symgraph.ops.backward import Backward
from symgraph.ops.op import Ctx, Step
from symgraph.passes.infer_storage import Dispatch
from symgraph.storage import RowSparse, SType, Value


class Call:
    """Calls the body chosen for a node on the current cells and stores what it returns."""

    __slots__ = ("_aux", "_body", "_cells", "_ctx", "_densify", "_ins", "_names", "_node", "_outs")

    def __init__(
        self,
        node: Node,
        ctx: Ctx,
        dispatch: Dispatch,
        cells: MutableMapping[Entry, Value],
        outs: Sequence[Entry],
        stypes: Sequence[SType],
        aux: Mapping[str, Entry],
    ) -> None:
        op = node.op
        assert op is not None
        self._node = node
        self._ctx = ctx
        self._cells = cells
        self._densify = dispatch.densify
        self._outs = list(zip(outs, stypes, strict=True))
        self._aux = aux
        body = op.of if isinstance(op, Backward) else op
        self._body = getattr(body, dispatch.impl.method)
        self._ins, self._names = _parameters(node)

    def forward(self) -> None:
        """Run the body of a forward node."""
        values = self._values(self._ins)
        aux = dict(zip(self._names, self._values([e for _, e in self._named()]), strict=True))
        result = self._run(values, aux)
        results = result if isinstance(result, tuple | list) else (result,)
        for (entry, stype), value in zip(self._outs, results, strict=True):
            self._store(entry, stype, value)
        self._update_aux()

    def backward(self) -> None:
        """Run the body of a backward node; a gradient it leaves out is zero."""
        op = self._node.op
        assert isinstance(op, Backward)
        named: dict[str, Any] = {}
        for name, entry in self._named():
            (value,) = self._values([entry])
            if name == op.of.contract.variadic:
                named.setdefault(name, []).append(value)
            else:
                named[name] = value
        grads = self._run(self._values(self._ins), named)
        for name, (entry, stype) in zip(op.wanted, self._outs, strict=True):
            value = grads.get(name)
            self._store(entry, stype, self._zero(name) if value is None else value)
        self._update_aux()

    def _named(self) -> list[tuple[str, Entry]]:
        entries = self._node.inputs[len(self._ins) :]
        return list(zip(self._names, entries, strict=True))

    def _run(self, values: list[Value], named: dict[str, Value]) -> Any:
        try:
            return self._body(self._ctx, *values, **named)
        except MXNetError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as problem:
            raise MXNetError(f"{self._node}: {problem}") from problem

    def _values(self, entries: Sequence[Entry]) -> list[Value]:
        found = [whole(self._cells[e]) for e in entries]
        return [dense(v, self._ctx.xp) for v in found] if self._densify else found

    def _store(self, entry: Entry, stype: SType, value: Value) -> None:
        if stype == "default":
            fill(self._cells[entry], value, self._ctx.xp)
        else:
            self._cells[entry] = stored_as(value, stype, self._ctx.xp)

    def _zero(self, name: str) -> Value:
        """A gradient without any row; storing it clears a dense one."""
        xp, shape = self._ctx.xp, self._ctx.shapes[name]
        rows = xp.empty((0, *shape[1:]), self._ctx.dtypes[name])
        return RowSparse(rows, xp.empty(0, "int64"), shape)

    def _update_aux(self) -> None:
        updates = self._ctx.aux_updates
        for name, value in updates.items():
            fill(self._cells[self._aux[name]], value, self._ctx.xp)
        updates.clear()


def _parameters(node: Node) -> tuple[list[Entry], list[str]]:
    """(positional inputs, names of the keyword ones) of a node's body."""
    op = node.op
    assert op is not None
    if not isinstance(op, Backward):
        count = len(op.list_inputs())
        return list(node.inputs[:count]), list(op.list_aux())
    count, of = len(op.heads), op.of
    members = set(of.list_inputs()) if of.contract.variadic else set()
    variadic = of.contract.variadic or ""
    return list(node.inputs[:count]), [variadic if n in members else n for n in op.needs]


def step_of(call: Call) -> Step:
    """The step that runs ``call``."""
    is_backward = isinstance(call._node.op, Backward)
    return (call.backward if is_backward else call.forward), ()
