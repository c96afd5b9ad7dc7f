"""What the tests of operators share: a case, and how to run an operator's bodies by themselves."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgraph.backend import Backend, get_backend
from symgraph.ops.facts import DTypes, Shapes, Unknown
from symgraph.ops.op import REGISTRY, Ctx, Impl, Op, create
from symgraph.storage import CSR, RowSparse, Shape, Value, stype_of

FLOATS = ("float64", "float32", "float16")
RTOL = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3}


# ---- inputs -------------------------------------------------------------------------


@dataclass(frozen=True)
class Uniform:
    """Random numbers between two bounds that every floating type holds exactly."""

    shape: Shape
    low: float = -2.0
    high: float = 2.0

    def make(self, rng: np.random.Generator, dtype: str) -> np.ndarray:
        return rng.uniform(self.low, self.high, self.shape).astype("float16").astype(dtype)


@dataclass(frozen=True)
class Integers:
    """Random whole numbers from low to high - 1; ``dtype`` None is the one under test."""

    shape: Shape
    low: int
    high: int
    dtype: str | None = None

    def make(self, rng: np.random.Generator, dtype: str) -> np.ndarray:
        return rng.integers(self.low, self.high, self.shape).astype(self.dtype or dtype)


@dataclass(frozen=True)
class Given:
    """These numbers; ``dtype`` None is the one under test."""

    values: Any
    dtype: str | None = None

    def make(self, rng: np.random.Generator, dtype: str) -> np.ndarray:
        return np.array(self.values, self.dtype or dtype)


Maker = Uniform | Integers | Given


@dataclass(frozen=True)
class Case:
    """One use of an operator.

    Attributes
    ----------
    inputs : mapping
        By name, inputs and auxiliary states; a shape alone is ``Uniform(shape)``. The lengths in
        it should differ from each other, so that no swapped axes go unseen.
    differentiate : sequence of str, optional
        Inputs whose gradients are compared with finite differences. By default all that are
        ``Uniform``; none where the operator ignores its head gradient.
    dtypes : sequence of str
        Element types it runs in, the most precise first.
    expected : callable, optional
        An independent formula: the inputs by keyword -> the first output, or a sequence of outputs.
    rtol : float
        Factor on the tolerances of all comparisons.
    deterministic : bool
        Whether two runs give the same.
    """

    op: str
    inputs: Mapping[str, Maker | Shape] = field(default_factory=dict)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    differentiate: Sequence[str] | None = None
    dtypes: Sequence[str] = FLOATS
    expected: Callable[..., Any] | None = None
    is_train: bool = True
    rtol: float = 1.0
    deterministic: bool = True

    @property
    def id(self) -> str:
        words = self.name or "-".join(f"{k}={v}" for k, v in self.attrs.items()).replace(" ", "")
        return f"{self.op}-{words}" if words else self.op

    @property
    def makers(self) -> dict[str, Maker]:
        return {k: v if isinstance(v, Maker) else Uniform(v) for k, v in self.inputs.items()}

    def create(self) -> Op:
        return create(self.op, {k: str(v) for k, v in self.attrs.items()})

    def values(self, dtype: str = "float64") -> dict[str, np.ndarray]:
        """The inputs, the same at every call."""
        rng = np.random.default_rng(zlib.crc32(self.id.encode()))
        return {k: maker.make(rng, dtype) for k, maker in self.makers.items()}

    def smooth(self) -> list[str]:
        """Inputs to compare with finite differences."""
        op = self.create()
        if not op.differentiable or not op.list_heads():
            return []
        if self.differentiate is not None:
            return list(self.differentiate)
        names = op.list_inputs()
        return [n for n, maker in self.makers.items() if isinstance(maker, Uniform) and n in names]


# ---- running one operator -----------------------------------------------------------


class Run:
    """An operator with inputs: its bodies can be called one by one.

    Parameters
    ----------
    values : mapping
        Inputs and auxiliary states by name.
    """

    def __init__(
        self,
        op: Op,
        values: Mapping[str, Value],
        *,
        is_train: bool = True,
        backend: Backend | None = None,
    ) -> None:
        self.op = op
        self.names = [*op.list_inputs(), *op.list_aux()]
        self.values = {n: values[n] for n in self.names}
        everything = [*self.names, *op.list_outputs()]
        shapes = solve(op.infer_shape, Shapes, {n: v.shape for n, v in values.items()}, everything)
        dtypes = solve(
            op.infer_dtype, DTypes, {n: v.dtype.name for n, v in values.items()}, everything
        )
        self.ctx = Ctx(
            backend=backend or get_backend("cpu"),
            is_train=is_train,
            node_name="node",
            shapes=shapes,
            dtypes=dtypes,
            wanted=frozenset(op.list_inputs()),
            rng=lambda: (backend or get_backend("cpu")).rng(7),
            aux_updates={},
        )
        self.outputs: dict[str, Value] = {}

    def impl(self, stage: str, values: Sequence[Value]) -> Impl:
        return self.op.implementation(stage, tuple(stype_of(v) for v in values))

    def forward(self) -> dict[str, Value]:
        """All outputs by name, hidden ones too."""
        args = [self.values[n] for n in self.op.list_inputs()]
        aux = {n: self.values[n] for n in self.op.list_aux()}
        body = getattr(self.op, self.impl("forward", [*args, *aux.values()]).method)
        result = body(self.ctx, *args, **aux)
        results = result if isinstance(result, list | tuple) else [result]
        self.outputs = dict(zip(self.op.list_outputs(), results, strict=True))
        return self.outputs

    def heads(self, seed: int = 1) -> list[np.ndarray]:
        """Random gradients of the outputs that backward reads."""
        rng = np.random.default_rng(seed)
        names = self.op.list_heads()
        kind = {n: self.ctx.dtypes[n] for n in names}
        return [rng.uniform(-1, 1, self.ctx.shapes[n]).astype(kind[n]) for n in names]

    def needs(self) -> dict[str, Value]:
        """What backward keeps alive; a variadic name stands for each of its members."""
        names: list[str] = []
        for name in self.op.list_needs():
            names += self.op.list_inputs() if name == self.op.contract.variadic else [name]
        tensors = {**self.values, **self.outputs}
        return {n: tensors[n] for n in names if n in tensors}

    def backward(self, heads: Sequence[Value]) -> dict[str, Value]:
        """Gradients by input name; run :meth:`forward` before."""
        needs = self.needs()
        body = getattr(self.op, self.impl("backward", [*heads, *needs.values()]).method)
        variadic = self.op.contract.variadic
        if variadic in self.op.list_needs():
            needs = {variadic: list(needs.values())}
        return body(self.ctx, *heads, **needs)


def solve(rule: Callable[[Any], None], table: type, known: Mapping, names: Sequence[str]) -> dict:
    """Facts of all tensors of one node, as inference finds them; unknown types are float32."""
    facts: dict[str, Any] = {n: known.get(n) for n in names}
    for _ in range(3):
        try:
            rule(table(facts))
        except Unknown:
            continue
    if table is DTypes:
        facts = {n: t or "float32" for n, t in facts.items()}
    assert all(f is not None for f in facts.values()), f"unknown: {facts}"
    return facts


def run_steps(steps: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> None:
    for function, arguments in steps:
        function(*arguments)


# ---- storage ------------------------------------------------------------------------


def stored(value: np.ndarray, stype: str) -> Value:
    """A dense array in another storage type, with some of its elements dropped first."""
    if stype == "default":
        return value
    if stype == "row_sparse":
        rows = np.arange(0, len(value), 2, dtype="int64")
        return RowSparse(value[rows], rows, value.shape)
    rows, columns = np.nonzero(np.indices(value.shape).sum(0) % 3 != 1)
    indptr = np.searchsorted(rows, np.arange(len(value) + 1)).astype("int64")
    return CSR(value[rows, columns], columns.astype("int64"), indptr, value.shape)


def dense(value: Value) -> np.ndarray:
    if isinstance(value, RowSparse):
        out = np.zeros(value.shape, value.dtype)
        assert (np.diff(value.indices) > 0).all(), "row numbers must ascend"
        out[value.indices] = value.data
        return out
    if isinstance(value, CSR):
        out = np.zeros(value.shape, value.dtype)
        rows = np.repeat(np.arange(value.shape[0]), np.diff(value.indptr))
        out[rows, value.indices] = value.data
        return out
    return value


def operators() -> list[type[Op]]:
    """Every registered operator once, by name."""
    from symgraph.ops.op import load_all

    load_all()
    return sorted(set(REGISTRY.values()), key=lambda cls: cls.name)


def close(actual: Any, desired: Any, dtype: str, factor: float = 1.0, what: str = "") -> None:
    """Equal up to the precision of ``dtype``, relative to the largest element at least."""
    actual, desired = np.asarray(actual, "float64"), np.asarray(desired, "float64")
    assert actual.shape == desired.shape, f"{what}: shape {actual.shape} != {desired.shape}"
    rtol = RTOL.get(dtype, 1e-7) * factor
    finite = np.abs(desired[np.isfinite(desired)])
    atol = rtol * min(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, err_msg=what)
