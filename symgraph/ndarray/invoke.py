"""Running one operator on arrays at once, without a graph."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from symgraph import random
from symgraph.backend import Backend
from symgraph.context import Context, current_context
from symgraph.errors import DTypeError, MXNetError, ShapeError
from symgraph.ndarray.convert import backend_of, dense_of, require_one_memory
from symgraph.ndarray.ndarray import NDArray, wrap
from symgraph.ops.facts import DTypes, Shapes, Unknown
from symgraph.ops.op import Ctx, Op, create
from symgraph.storage import Array, Shape, SType, Value, stype_of

log = logging.getLogger("symgraph")

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
    op : Op
    inputs : sequence of NDArray
        Inputs, then auxiliary states, which may change.
    out : NDArray or list of NDArray, optional
        Where to write the results.
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
    plan = _plan(
        op,
        where,
        tuple([a.value.shape for a in inputs]),
        tuple([a.value.dtype.name for a in inputs]),
        tuple([a.stype for a in inputs]),
    )
    targets = _targets(op, out)
    for target, name in zip(targets, plan.visible, strict=True):
        _check_target(op, name, target, plan)
    with plan.backend.on_device(where.device_id):
        values, updates = plan.run([a.value for a in inputs])
        for array, name in zip(inputs[plan.num_inputs :], plan.aux, strict=True):
            if name in updates:
                array._set_value(updates[name])
        for target, value in zip(targets, values, strict=True):
            if target is not None:
                target._set_value(value)
        results = [
            wrap(value, where) if target is None else target
            for target, value in zip(targets, values, strict=True)
        ]
    return results[0] if len(results) == 1 else results


# ---- plans --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one operator does with inputs of certain shapes, types and storage."""

    op: Op
    ctx: Ctx
    body: Any
    densify: bool
    num_inputs: int
    aux: tuple[str, ...]
    visible: tuple[str, ...]

    @property
    def backend(self) -> Backend:
        return self.ctx.backend

    def run(self, values: list[Value]) -> tuple[list[Value], dict[str, Value]]:
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
        pairs = zip(self.visible, results, strict=False)
        return [self._finished(n, value, values) for n, value in pairs], ctx.aux_updates

    def _finished(self, name: str, value: Value, inputs: list[Value]) -> Value:
        """``value`` as a contiguous array of its own with the inferred shape and type."""
        if stype_of(value) != "default":
            return value
        xp, shape, dtype = self.ctx.xp, self.ctx.shapes[name], self.ctx.dtypes[name]
        array: Array = xp.asarray(value)
        if array.shape != shape:
            array = xp.broadcast_to(array, shape)
        if array.dtype.name != dtype:
            array = array.astype(dtype)
        if not array.flags.c_contiguous or _shares(array, inputs, xp):
            array = array.copy(order="C")
        return array


def _shares(array: Array, inputs: list[Value], xp: Any) -> bool:
    """Whether ``array`` may lie in the memory of an input, as a view or as the input itself."""
    if any(array is v for v in inputs):
        return True
    if array.base is None:
        return False
    dense = (v for v in inputs if stype_of(v) == "default")
    return any(xp.may_share_memory(array, v) for v in dense)


@lru_cache(maxsize=4096)
def _plan(
    op: Op,
    where: Context,
    shapes: tuple[Shape, ...],
    dtypes: tuple[str, ...],
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
    all_dtypes = _inferred(op, DTypes, "infer_dtype", dict(zip(names, dtypes, strict=True)))
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
    visible = outputs[: op.num_visible()]
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


def _targets(op: Op, out: Out) -> list[NDArray | None]:
    count = op.num_visible()
    if out is None:
        return [None] * count
    given = [out] if isinstance(out, NDArray) else list(out)
    if len(given) != count or not all(isinstance(t, NDArray) for t in given):
        raise MXNetError(f"{op.name}: out must be {count} NDArray, but {out!r} came")
    return list(given)


def _check_target(op: Op, name: str, target: NDArray | None, plan: _Plan) -> None:
    if target is None:
        return
    shape, dtype = plan.ctx.shapes[name], plan.ctx.dtypes[name]
    if target.shape != shape:
        raise ShapeError(f"{op.name}: out has shape {target.shape}, but {shape} is required")
    if target.value.dtype.name != dtype:
        raise DTypeError(
            f"{op.name}: out has type {target.value.dtype.name}, but {dtype} is required"
        )
