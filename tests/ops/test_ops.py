"""Every operator: gradients, types, memory, storage and steps, from the table in ``cases``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from ops.harness import Case, Run, close, dense, operators, run_steps, stored
from symgraph.storage import stype_of

FILES = sorted(p.stem for p in (Path(__file__).parent / "cases").glob("*.py"))
CASES: list[Case] = [
    case for f in FILES if f != "__init__" for case in import_module(f"ops.cases.{f}").CASES
]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # MXNet's bodies warn of nothing

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def test_every_operator_has_a_case():
    covered = {type(case.create()) for case in CASES}
    assert [cls.name for cls in operators() if cls not in covered] == []


def test_every_case_is_named_once():
    ids = [case.id for case in CASES]
    assert sorted({i for i in ids if ids.count(i) > 1}) == []


@each_case
def test_value_is_the_formulas(case):
    if case.expected is None:
        return
    values = case.values(case.dtypes[0])
    outputs = list(Run(case.create(), values, is_train=case.is_train).forward().values())
    result = case.expected(**values)
    for mine, theirs in zip(outputs, result if isinstance(result, tuple) else (result,)):  # noqa: B905
        close(mine, theirs, "float64", case.rtol * 100)


@each_case
def test_gradient_is_that_of_finite_differences(case):
    values = case.values()
    op = case.create()
    run = Run(op, values, is_train=case.is_train)
    if not (names := case.smooth()):
        return
    run.forward()
    heads = run.heads()
    grads = run.backward(heads)
    rng = np.random.default_rng(2)

    def loss(name, change):
        changed = Run(op, {**values, name: values[name] + change}, is_train=case.is_train)
        outputs = changed.forward()
        return sum((outputs[n] * h).sum() for n, h in zip(op.list_heads(), heads, strict=True))

    for name in names:
        for _ in range(3):
            way = rng.uniform(-1, 1, values[name].shape)
            slope = (loss(name, 1e-6 * way) - loss(name, -1e-6 * way)) / 2e-6
            grad = dense(grads[name]) if name in grads else np.zeros_like(values[name])
            found = (grad * way).sum()
            scale = np.abs(grad * way).sum() + 1e-3
            assert abs(found - slope) <= 1e-6 * case.rtol * scale + 1e-8, (
                f"gradient of {name}: {found}, but finite differences give {slope}"
            )


@each_case
def test_types_are_kept_and_half_precision_is_close(case):
    exact = None
    for dtype in case.dtypes:
        run = Run(case.create(), case.values(dtype), is_train=case.is_train)
        results = {**run.forward()}
        for name, value in results.items():
            assert value.dtype.name == run.ctx.dtypes[name], f"{name}: {value.dtype}"
            assert value.shape == run.ctx.shapes[name], f"{name}: {value.shape}"
        if run.op.differentiable and dtype in ("float16", "float32", "float64"):
            for name, grad in run.backward(run.heads()).items():
                assert grad.dtype.name == run.ctx.dtypes[name], f"gradient of {name}: {grad.dtype}"
                assert grad.shape == run.ctx.shapes[name], f"gradient of {name}: {grad.shape}"
                results[f"gradient of {name}"] = grad
        if exact is None:
            exact = {n: dense(v) for n, v in results.items()}
        elif case.deterministic and dtype.startswith("float"):
            for name, value in results.items():
                close(dense(value), exact[name], dtype, 10 * case.rtol, f"{dtype} {name}")


@each_case
def test_inputs_are_not_changed_and_may_have_any_layout(case):
    values = case.values()
    plain = Run(case.create(), values, is_train=case.is_train)
    expected = plain.forward()
    heads = plain.heads()
    grads = plain.backward(heads) if plain.op.differentiable else {}
    expected, grads = ({k: np.array(dense(v)) for k, v in d.items()} for d in (expected, grads))
    odd = {n: _scattered(v) for n, v in values.items()}
    run = Run(case.create(), odd, is_train=case.is_train)
    close_all(run.forward(), expected, case)
    if run.op.differentiable:
        run.outputs = {n: _scattered(dense(v)) for n, v in run.outputs.items()}
        close_all(run.backward([_scattered(h) for h in heads]), grads, case)


def _scattered(array):
    """The same numbers with gaps between them, write-protected."""
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    view = wide[..., 0].swapaxes(0, -1).copy().swapaxes(0, -1) if array.ndim > 2 else wide[..., 0]
    view.flags.writeable = False
    return view


def close_all(actual, expected, case):
    assert set(actual) == set(expected)
    if case.deterministic:
        for name, value in expected.items():
            close(dense(actual[name]), value, "float64", case.rtol, name)


@each_case
def test_steps_do_what_the_bodies_do(case):
    for dtype in case.dtypes:
        run = Run(case.create(), case.values(dtype), is_train=case.is_train)
        op, ctx = run.op, run.ctx
        expected = {n: np.array(v, order="C") for n, v in run.forward().items()}
        ins = [np.array(run.values[n], order="C") for n in op.list_inputs()]
        outs = [np.full_like(v, 77) for v in expected.values()]
        if not op.list_aux() and (steps := op.lower(ctx, ins, outs)) is not None:
            for _ in range(2):  # a program runs more than once
                run_steps(steps)
                compare(outs, expected.values(), expected, dtype, case)
        if op.in_place and ins and ins[0].shape == outs[0].shape and ins[0].dtype == outs[0].dtype:
            alone = [ins[0].copy(), *ins[1:]]
            if (steps := op.lower(ctx, alone, alone[:1])) is not None:
                run_steps(steps)
                compare(alone[:1], expected.values(), expected, dtype, case)
        if op.differentiable and dtype.startswith("float"):
            _check_backward_steps(run, expected, dtype, case)


def _check_backward_steps(run, outputs, dtype, case):
    heads = run.heads()
    run.outputs = outputs
    grads = {n: dense(g) for n, g in run.backward(heads).items() if stype_of(g) == "default"}
    into = {n: np.full(g.shape, 77, g.dtype) for n, g in grads.items()}
    needs = {n: np.array(v, order="C") for n, v in run.needs().items()}
    if not into or (steps := run.op.lower_backward(run.ctx, heads, needs, into)) is None:
        return
    for _ in range(2):
        run_steps(steps)
        compare(into.values(), grads.values(), grads, dtype, case)


def compare(actual, expected, names, dtype, case):
    for mine, theirs, name in zip(actual, expected, names, strict=False):
        if case.deterministic:
            close(mine, theirs, dtype, case.rtol, name)


def _storage_cases():
    """(case, stage, storage types) for every sparse body that a case can reach."""
    for case in CASES:
        op = case.create()
        variadic = op.contract.variadic
        for impl in op.impls:
            count = len(op.list_inputs()) if variadic else len(impl.ins)
            ins = impl.ins * count if variadic else impl.ins
            stage = impl.method.partition("_")[0]
            if op.implementation(stage, ins).method == impl.method and _fits(case, stage, ins):
                yield pytest.param(case, stage, ins, id=f"{case.id}-{impl.method}-{'-'.join(ins)}")


def _fits(case, stage, ins):
    """Whether this many tensors are read, and those in csr are matrices."""
    run = Run(case.create(), case.values(), is_train=case.is_train)
    tensors = [run.values[n] for n in run.names]
    if stage == "backward":
        run.forward()
        tensors = [*run.heads(), *run.needs().values()]
    return len(tensors) == len(ins) and all(
        t.ndim == 2 for t, stype in zip(tensors, ins, strict=True) if stype == "csr"
    )


@pytest.mark.parametrize(("case", "stage", "stypes"), list(_storage_cases()))
def test_sparse_bodies_do_what_the_dense_one_does(case, stage, stypes):
    op = case.create()
    values = case.values()
    names = [*op.list_inputs(), *op.list_aux()]
    if stage == "forward":
        sparse = {n: stored(values[n], s) for n, s in zip(names, stypes, strict=True)}
        plain = Run(op, {n: dense(v) for n, v in sparse.items()}, is_train=case.is_train)
        run = Run(op, sparse, is_train=case.is_train)
        impl = op.implementation(stage, stypes)
        for stype, (name, value) in zip(impl.outs, run.forward().items(), strict=False):
            assert stype_of(value) == stype, f"{name} is {stype_of(value)}"
            close(dense(value), dense(plain.forward()[name]), "float64", case.rtol, name)
        return
    run = Run(op, values, is_train=case.is_train)
    run.forward()
    heads = run.heads()
    keep = run.needs()
    changed = {
        n: stored(v, s) for (n, v), s in zip(keep.items(), stypes[len(heads) :], strict=True)
    }
    given = [stored(h, s) for h, s in zip(heads, stypes, strict=False)]
    body = getattr(op, op.implementation(stage, stypes).method)
    found = body(run.ctx, *given, **changed)
    expected = op.backward(
        run.ctx, *[dense(h) for h in given], **{n: dense(v) for n, v in changed.items()}
    )
    for name, stype in zip(op.list_inputs(), op.implementation(stage, stypes).outs, strict=False):
        if stype != "-":
            assert stype_of(found[name]) == stype, f"gradient of {name}: {stype_of(found[name])}"
            close(dense(found[name]), dense(expected[name]), "float64", case.rtol, name)


@each_case
def test_as_on_a_device(case, strict_device):
    host = Run(case.create(), case.values("float32"), is_train=case.is_train)
    expected = host.forward()
    heads = host.heads()
    put = strict_device.xp.asarray
    there = {n: put(v) for n, v in case.values("float32").items()}
    run = Run(case.create(), there, is_train=case.is_train, backend=strict_device)
    outputs = run.forward()
    results, wanted = dict(outputs), dict(expected)
    if host.op.differentiable:
        results |= {f"d{n}": g for n, g in run.backward([put(h) for h in heads]).items()}
        wanted |= {f"d{n}": g for n, g in host.backward(heads).items()}
    assert set(results) == set(wanted)
    for name, value in results.items():
        if case.deterministic and stype_of(value) == "default":
            close(strict_device.to_host(value), dense(wanted[name]), "float32", case.rtol, name)
    ins = [put(np.array(host.values[n], order="C")) for n in host.op.list_inputs()]
    outs = [put(np.zeros_like(v)) for v in expected.values() if stype_of(v) == "default"]
    if not host.op.list_aux() and (steps := run.op.lower(run.ctx, ins, outs)) is not None:
        run_steps(steps)
        for mine, name in zip(outs, expected, strict=False):
            if case.deterministic:
                close(strict_device.to_host(mine), expected[name], "float32", case.rtol, name)
