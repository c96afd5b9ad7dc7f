"""Running one operator on arrays at once, without a graph."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from symgraph import random
from symgraph.context import Context, current_context
from symgraph.errors import DTypeError, MXNetError, ShapeError
from symgraph.ndarray.convert import backend_of, dense_of, require_one_memory
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.ops.facts import DTypes, Shapes, Unknown
from symgraph.ops.op import Ctx, Op, create
from symgraph.storage import CSR, Array, RowSparse, Shape, SType, Value

log = logging.getLogger("symgraph")

_SPARSE = (RowSparse, CSR)

Out = NDArray | Sequence[NDArray] | None


def call(
    name: str,
    inputs: Sequence[NDArray],
    attrs: Mapping[str, str],
    out: Out = None,
    ctx: Context | None = None,
) -> Any:
    """Run the operator called ``name`` with attributes given as strings; see :func:`invoke`."""
    return invoke(create(name, attrs), inputs, out, ctx)


def invoke(op: Op, inputs: Sequence[NDArray], out: Out = None, ctx: Context | None = None) -> Any:
    """Run ``op`` on arrays.

    Parameters
    ----------
    inputs : sequence of NDArray
        Inputs, then auxiliary states, which may change.
    out : NDArray or list of NDArray, optional
    ctx : Context, optional
        The device, for operators without inputs.

    Returns
    -------
    NDArray or list of NDArray
        A list where the operator has several outputs.

    Raises
    ------
    MXNetError
        If shapes, types, devices or ``out`` do not fit.
    """
    where = _place(op, inputs, ctx)
    values = [a.value for a in inputs]
    shapes = tuple([v.shape for v in values])
    dtypes = tuple([v.dtype for v in values])
    plan = _plan(op, where, shapes, dtypes, tuple([a.stype for a in inputs]))
    targets = None if out is None else _targets(plan, out)
    with plan.ctx.backend.on_device(where.device_id):
        results, updates = plan.run(values)
        for name, value in updates.items():
            inputs[plan.num_inputs + plan.aux.index(name)]._set_value(value)
        if targets is None:
            arrays = [wrap(value, where) for value in results]
        else:
            arrays = targets
            for target, value in zip(targets, results, strict=True):
                target._set_value(value)
    return arrays[0] if len(arrays) == 1 else arrays


# ---- plans --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one operator does with inputs of certain shapes, types and storage.

    Attributes
    ----------
    visible : tuple of (name, shape, dtype)
        The outputs that users see.
    """

    op: Op
    ctx: Ctx
    body: Any
    densify: bool
    num_inputs: int
    aux: tuple[str, ...]
    visible: tuple[tuple[str, Shape, np.dtype], ...]

    def run(self, values: list[Value]) -> tuple[list[Value], Mapping[str, Value]]:
        """(visible outputs, none of which shares memory with an input; new auxiliary states)."""
        ctx = replace(self.ctx, aux_updates={}) if self.aux else self.ctx
        if self.densify:
            values = [dense_of(v, ctx.xp) for v in values]
        named = dict(zip(self.aux, values[self.num_inputs :], strict=True))
        try:
            result = self.body(ctx, *values[: self.num_inputs], **named)
        except MXNetError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as problem:
            raise MXNetError(f"{self.op.name}: {problem}") from problem
        results = result if isinstance(result, tuple | list) else (result,)
        finished = [
            self._finished(shape, dtype, value, values)
            for (_, shape, dtype), value in zip(self.visible, results, strict=False)
        ]
        return finished, ctx.aux_updates

    def _finished(self, shape: Shape, dtype: np.dtype, value: Value, inputs: list[Value]) -> Value:
        """``value`` as a contiguous array of its own with the inferred shape and type."""
        if isinstance(value, _SPARSE):
            return value
        xp = self.ctx.backend.xp
        array: Array = xp.asarray(value)
        if array.shape != shape:
            array = xp.broadcast_to(array, shape)
        if array.dtype != dtype:
            array = array.astype(dtype)
        if not array.flags.c_contiguous or _shares(array, inputs, xp):
            array = array.copy(order="C")
        return array


def _shares(array: Array, inputs: list[Value], xp: Any) -> bool:
    """Whether ``array`` may lie in the memory of an input, as a view or as the input itself."""
    for value in inputs:
        if array is value:
            return True
        is_view = array.base is not None and not isinstance(value, _SPARSE)
        if is_view and xp.may_share_memory(array, value):
            return True
    return False


@lru_cache(maxsize=4096)
def _plan(
    op: Op,
    where: Context,
    shapes: tuple[Shape, ...],
    dtypes: tuple[np.dtype, ...],
    stypes: tuple[SType, ...],
) -> _Plan:
    names = op.list_inputs() + op.list_aux()
    if len(names) != len(shapes):
        raise MXNetError(
            f"{op.name}: {len(shapes)} arrays came, but {len(names)} are required "
            f"({', '.join(names) or 'none'})"
        )
    outputs = op.list_outputs()
    all_shapes = _inferred(op, Shapes, "infer_shape", dict(zip(names, shapes, strict=True)))
    type_names = [dtype.name for dtype in dtypes]
    all_dtypes = _inferred(op, DTypes, "infer_dtype", dict(zip(names, type_names, strict=True)))
    ctx = Ctx(
        backend=backend_of(where),
        is_train=False,
        node_name=op.name,
        shapes=all_shapes,
        dtypes=all_dtypes,
        wanted=frozenset(),
        rng=partial(random.generator, where),
        aux_updates={},
    )
    impl = op.implementation("forward", stypes)
    densify = impl.is_dense and any(s != "default" for s in stypes)
    if densify:
        log.info("%s: no body for %s; it runs on dense copies", op.name, ", ".join(stypes))
    body = getattr(op, impl.method)
    visible = tuple(
        (n, all_shapes[n], np.dtype(all_dtypes[n])) for n in outputs[: op.num_visible()]
    )
    return _Plan(op, ctx, body, densify, len(op.list_inputs()), op.list_aux(), visible)


def _inferred(op: Op, table: Any, rule: str, known: dict[str, Any]) -> dict[str, Any]:
    """Facts of all tensors of one node, whose inputs are all known."""
    facts = dict.fromkeys(op.list_outputs()) | known
    try:
        # Facts that a rule finds late may be read early in its second run.
        for _ in range(2):
            getattr(op, rule)(table(facts))
    except Unknown as problem:
        raise MXNetError(f"{op.name}: {rule} cannot tell without {problem}") from None
    except MXNetError as problem:
        raise type(problem)(f"{op.name}: {problem}") from None
    except (IndexError, ValueError, TypeError, ZeroDivisionError) as problem:
        shown = ", ".join(f"{k} {v}" for k, v in known.items())
        raise ShapeError(f"{op.name}: the operator cannot take {shown} ({problem})") from problem
    if table is DTypes:
        return {name: fact or "float32" for name, fact in facts.items()}
    return facts


# ---- inputs and outputs -------------------------------------------------------------


def _place(op: Op, inputs: Sequence[NDArray], ctx: Context | None) -> Context:
    if not inputs:
        return ctx or current_context()
    first = inputs[0].context
    for other in inputs[1:]:
        if other.context is not first:
            require_one_memory([first, other.context], op.name)
    return first


def _targets(plan: _Plan, out: NDArray | Sequence[NDArray]) -> list[NDArray]:
    """The arrays to write into, checked against the results' shapes and types."""
    given = [out] if isinstance(out, NDArray) else list(out)
    name = plan.op.name
    if len(given) != len(plan.visible) or not all(isinstance(t, NDArray) for t in given):
        raise MXNetError(f"{name}: out must be {len(plan.visible)} NDArray, but {out!r} came")
    for target, (_, shape, dtype) in zip(given, plan.visible, strict=True):
        if target.shape != shape:
            raise ShapeError(f"{name}: out has shape {target.shape}, but {shape} is required")
        if target.value.dtype != dtype:
            came = target.value.dtype.name
            raise DTypeError(f"{name}: out has type {came}, but {dtype.name} is required")
    return given
