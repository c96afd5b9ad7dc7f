"""Properties of random graphs: gradients, JSON and inference, over operators of every family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import symgraph as mx
from symgraph import nd, sym

Draw = Callable[[st.SearchStrategy], int]
Symbol = sym.Symbol

FEW = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
SHAPES = [(3,), (1,), (2, 3), (2, 1), (1, 3), (2, 3, 2), (2, 1, 2), (4, 2)]
LARGEST = 30.0
"""Beyond, differences of float64 say little of gradients."""

# Smooth everywhere: a difference across a kink is no derivative.
UNARY = (
    "tanh",
    "sin",
    "cos",
    "sigmoid",
    "arctan",
    "erf",
    "square",
    "negative",
    "exp",
    "arcsinh",
    "expm1",
    "radians",
    "identity",
)
BROADCAST = ("broadcast_add", "broadcast_sub", "broadcast_mul")
SAME = ("elemwise_add", "elemwise_sub", "elemwise_mul")
REDUCE = ("sum", "mean", "prod")


# ---- making a graph -------------------------------------------------------------------------


def unary(draw: Draw, x: Symbol, _shape: tuple[int, ...]) -> Symbol:
    return getattr(sym, draw(st.sampled_from(UNARY)))(x)


def scalar(draw: Draw, x: Symbol, _shape: tuple[int, ...]) -> Symbol:
    number = draw(st.sampled_from([-1.5, 0.25, 2.0]))
    forms = [lambda: x + number, lambda: number - x, lambda: x * number, lambda: x / number]
    forms += [lambda: number / (x * x + 1), lambda: (x * x + 0.5) ** number]
    return draw(st.sampled_from(forms))()


def reduce(draw: Draw, x: Symbol, shape: tuple[int, ...]) -> Symbol:
    axes = draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    keep, exclude = draw(st.booleans()), draw(st.booleans()) and len(axes) < len(shape)
    name = draw(st.sampled_from(REDUCE))
    return getattr(sym, name)(x, axis=tuple(sorted(axes)), keepdims=keep, exclude=exclude)


def softmax(draw: Draw, x: Symbol, shape: tuple[int, ...]) -> Symbol:
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    return draw(st.sampled_from([sym.softmax, sym.log_softmax]))(x, axis=axis)


def arrange(draw: Draw, x: Symbol, shape: tuple[int, ...]) -> Symbol:
    axis = draw(st.integers(0, len(shape) - 1))
    length = shape[axis]
    begin = draw(st.integers(0, length - 1))
    forms: list[Callable[[], Symbol]] = [
        lambda: sym.Reshape(x, shape=(-1,)),
        lambda: sym.Reshape(x, shape=(-1, length)),
        lambda: sym.Flatten(sym.expand_dims(x, axis=0)),
        lambda: sym.transpose(x),
        lambda: sym.SwapAxis(x, dim1=0, dim2=axis),
        lambda: sym.expand_dims(x, axis=axis),
        lambda: sym.squeeze(sym.expand_dims(x, axis=axis), axis=axis),
        lambda: sym.reverse(x, axis=axis),
        lambda: sym.slice_axis(x, axis=axis, begin=begin, end=None),
        lambda: sym.SliceChannel(x, axis=axis, num_outputs=length)[begin],
        lambda: sym.SliceChannel(x, axis=axis, num_outputs=length, squeeze_axis=True)[begin],
        lambda: sym.tile(x, reps=(2,)),
        lambda: sym.repeat(x, repeats=2, axis=axis),
        lambda: sym.broadcast_axis(sym.expand_dims(x, axis=axis), axis=axis, size=3),
    ]
    # A scalar has no shape that MXNet could tell from an unknown one.
    scalars = {10} if len(shape) == 1 else set()
    return draw(st.sampled_from([f for i, f in enumerate(forms) if i not in scalars]))()


def dense(draw: Draw, x: Symbol, _shape: tuple[int, ...]) -> Symbol:
    return sym.FullyConnected(x, num_hidden=draw(st.integers(1, 3)), flatten=True)


ONE = [unary, unary, scalar, reduce, softmax, arrange, arrange, dense]


def join(draw: Draw, x: Symbol, y: Symbol, same: bool) -> Symbol:
    forms: list[Callable[[], Symbol]] = [
        lambda: getattr(sym, draw(st.sampled_from(BROADCAST)))(x, y),
        lambda: sym.broadcast_div(x, sym.square(y) + 1),
    ]
    if same:
        forms = [
            lambda: getattr(sym, draw(st.sampled_from(SAME)))(x, y),
            lambda: sym.elemwise_div(x, sym.square(y) + 1),
            lambda: sym.add_n(x, y, x),
            lambda: sym.Concat(x, y, x, dim=0),
            lambda: sym.stack(x, y, axis=0),
        ]
    return draw(st.sampled_from(forms))()


@dataclass
class Net:
    """A group of heads, the shapes of its given variables, values for all arguments."""

    symbol: Symbol
    shapes: dict[str, tuple[int, ...]]
    seed: int

    def bind(self, req: str = "write", symbol: Symbol | None = None) -> mx.executor.Executor:
        symbol = self.symbol if symbol is None else symbol
        types = dict.fromkeys(symbol.list_arguments(), "float64")
        used = {k: s for k, s in self.shapes.items() if k in types}
        bound = symbol.simple_bind(mx.cpu(), grad_req=req, type_dict=types, **used)
        rng = np.random.default_rng(self.seed)
        for array in bound.arg_dict.values():
            array[:] = rng.uniform(-1, 1, array.shape)
        return bound

    def head_gradients(self, outputs: list[nd.NDArray]) -> list[nd.NDArray]:
        rng = np.random.default_rng(self.seed + 1)
        return [nd.array(rng.uniform(-1, 1, o.shape), dtype="float64") for o in outputs]


def fits(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    return len(x) == len(y) and all(a == b or 1 in (a, b) for a, b in zip(x, y, strict=True))


def shape_of(symbol: Symbol, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    known = set(symbol.list_arguments())
    return symbol.infer_shape(**{k: s for k, s in shapes.items() if k in known})[1][0]


@st.composite
def nets(draw: Draw) -> Net:
    """Two or three variables, some nodes on top of any of them, and one to three heads."""
    with mx.name.NameManager():
        shapes = {f"v{i}": draw(st.sampled_from(SHAPES)) for i in range(draw(st.integers(2, 3)))}
        pool = [(sym.Variable(name), shape) for name, shape in shapes.items()]
        for _ in range(draw(st.integers(1, 9))):
            x, shape = pool[draw(st.integers(0, len(pool) - 1))]
            mates = [(y, s) for y, s in pool if fits(shape, s)]
            if draw(st.booleans()):
                y, other = mates[draw(st.integers(0, len(mates) - 1))]
                made = join(draw, x, y, shape == other)
            else:
                made = draw(st.sampled_from(ONE))(draw, x, shape)
            found = shape_of(made, shapes)
            if np.prod(found) <= 200 and len(found) <= 5:
                pool.append((made, found))
        heads = [pool[-1][0]]
        heads += [
            pool[draw(st.integers(0, len(pool) - 1))][0] for _ in range(draw(st.integers(0, 2)))
        ]
        return Net(sym.Group(heads), shapes, draw(st.integers(0, 2**20)))


def run(net: Net, bound: mx.executor.Executor) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Outputs, and gradients by argument."""
    outputs = bound.forward(is_train=True)
    bound.backward(net.head_gradients(outputs))
    grads = {k: g.asnumpy().copy() for k, g in bound.grad_dict.items()}
    return [o.asnumpy().copy() for o in outputs], grads


def is_tame(net: Net) -> bool:
    """Whether no value on the way is too large for differences to be compared."""
    inner = net.bind("null", net.symbol.get_internals()).forward(is_train=True)
    return max(float(np.abs(o.asnumpy()).max()) for o in inner) < LARGEST


# ---- properties -----------------------------------------------------------------------------


@FEW
@given(nets())
def test_gradients_equal_differences(net: Net) -> None:
    assume(is_tame(net))
    bound = net.bind()
    outputs, grads = run(net, bound)
    weights = [g.asnumpy() for g in net.head_gradients(bound.outputs)]
    assert all(np.isfinite(o).all() for o in outputs)

    def value() -> float:
        return sum(
            float((w * o.asnumpy()).sum()) for w, o in zip(weights, bound.forward(), strict=True)
        )

    rng = np.random.default_rng(net.seed + 2)
    for name, array in bound.arg_dict.items():
        at = array.asnumpy().copy()
        along = rng.uniform(-1, 1, at.shape)
        along /= np.linalg.norm(along)
        step = 1e-5
        array[:] = at + step * along
        above = value()
        array[:] = at - step * along
        below = value()
        array[:] = at
        expected = (above - below) / (2 * step)
        found = float((grads[name] * along).sum())
        assert found == pytest.approx(expected, rel=2e-5, abs=2e-5), name


@FEW
@given(nets())
def test_json_comes_back_and_computes_the_same(net: Net) -> None:
    text = net.symbol.tojson()
    again = sym.load_json(text)
    assert again.tojson() == text
    assert again.list_arguments() == net.symbol.list_arguments()
    assert again.list_outputs() == net.symbol.list_outputs()
    outputs, grads = run(net, net.bind())
    read_outputs, read_grads = run(net, net.bind(symbol=again))
    for one, other in zip(outputs, read_outputs, strict=True):
        np.testing.assert_array_equal(one, other)
    assert grads.keys() == read_grads.keys()
    for name in grads:
        np.testing.assert_array_equal(grads[name], read_grads[name])


@FEW
@given(nets())
def test_inference_is_idempotent_and_knows_no_order(net: Net) -> None:
    symbol = net.symbol
    names = symbol.list_arguments()
    given_shapes = {k: s for k, s in net.shapes.items() if k in names}
    found = symbol.infer_shape(**given_shapes)
    complete = dict(zip(names, found[0], strict=True))
    assert symbol.infer_shape(**complete) == found
    assert symbol.infer_shape(**dict(reversed(given_shapes.items()))) == found
    assert symbol.infer_shape(*found[0]) == found
    assert symbol.infer_shape_partial(**given_shapes) == found
    outputs = [o.shape for o in net.bind("null").forward()]
    assert outputs == found[1]
    inner = symbol.get_internals()
    assert inner.infer_shape(**given_shapes)[0] == found[0]
    types = symbol.infer_type(**dict.fromkeys(names, "float64"))
    assert types == ([np.float64] * len(names), [np.float64] * len(outputs), [])
    # One may not reach the others; whatever it reaches reaches as far.
    some = symbol.infer_type_partial(**{names[0]: "float64"})
    reached = {k: t for k, t in zip(names, some[0], strict=True) if t is not None}
    for name, dtype in reached.items():
        assert symbol.infer_type_partial(**{name: dtype}) == some
    assert symbol.infer_type_partial(**reached) == some


@FEW
@given(nets())
def test_memory_is_shared_without_a_trace(net: Net) -> None:
    """Outputs equal those of an executor that keeps every value; added gradients are sums."""
    outputs, grads = run(net, net.bind())
    inner = net.symbol.get_internals()
    kept = dict(
        zip(inner.list_outputs(), net.bind("null", inner).forward(is_train=True), strict=True)
    )
    for name, value in zip(net.symbol.list_outputs(), outputs, strict=True):
        np.testing.assert_array_equal(value, kept[name].asnumpy())
    adding = net.bind("add")
    run(net, adding)
    _, twice = run(net, adding)
    for name, grad in grads.items():
        np.testing.assert_allclose(twice[name], 2 * grad, rtol=1e-12, atol=1e-14)
