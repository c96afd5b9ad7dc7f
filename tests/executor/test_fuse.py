"""The fusion pass: what it makes computes what stood there before, and nobody notices."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import symgraph as mx
from symgraph.executor.layout import lay_out
from symgraph.graph.graph import Entry
from symgraph.passes.fuse import fuse


def embed(ids: str, rows: int, name: str, **options):
    return mx.sym.Embedding(
        mx.sym.Variable(ids),
        input_dim=rows,
        output_dim=5,
        name=name,
        **{"sparse_grad": True, **options},
    )


def inner(keepdims: bool = False, axis: int = 1):
    product = embed("u", 7, "users") * embed("i", 11, "items")
    return mx.sym.sum(product, axis=axis, keepdims=keepdims, name="dot")


def kinds(net, **shapes) -> list[str]:
    """Names of the operators that run."""
    graph = net._graph
    known = {n: shapes[n.name] for n in graph.variables if n.name in shapes}
    layout = lay_out(graph, dict.fromkeys(graph.arguments, "write"), known, {}, {})
    return [n.op_name for n in layout.forward.order if n.op is not None]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [1, -1])
def test_the_inner_product_of_embeddings_is_one_operator(dtype, keepdims, axis) -> None:
    net = inner(keepdims, axis)
    assert kinds(net, u=(6,), i=(6,)) == ["_row_dot"]
    types = {"users_weight": dtype, "items_weight": dtype}
    executor = net.simple_bind(mx.cpu(), type_dict=types, u=(6,), i=(6,))
    rng = np.random.RandomState(0)
    users, items = rng.randn(7, 5).astype(dtype), rng.randn(11, 5).astype(dtype)
    executor.arg_dict["users_weight"][:] = users
    executor.arg_dict["items_weight"][:] = items
    # an index out of range is clipped, as Embedding does
    u, i = np.array([3, 0, 3, 6, 9, -2]), np.array([10, 2, 2, 2, 0, 1])
    (out,) = executor.forward(is_train=True, u=u, i=i)
    u, i = u.clip(0, 6), i.clip(0, 10)
    tight = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    expected = (users[u].astype("float64") * items[i]).sum(1, keepdims=keepdims)
    assert out.dtype == np.dtype(dtype).type
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=tight, atol=tight)
    head = rng.randn(*out.shape).astype(dtype)
    executor.backward(mx.nd.array(head, dtype=dtype))
    for name, table, rows, other in (
        ("users_weight", users, u, items[i]),
        ("items_weight", items, i, users[u]),
    ):
        dense = np.zeros(table.shape)
        np.add.at(dense, rows, head.reshape(-1, 1).astype("float64") * other)
        grad = executor.grad_dict[name]
        assert grad.stype == "row_sparse"
        assert grad.indices.asnumpy().tolist() == sorted(set(rows))
        np.testing.assert_allclose(grad.asnumpy(), dense, rtol=tight, atol=2 * tight)


def test_ids_of_any_shape() -> None:
    net = inner(axis=2)
    assert kinds(net, u=(2, 3), i=(2, 3)) == ["_row_dot"]
    executor = net.simple_bind(mx.cpu(), grad_req="null", u=(2, 3), i=(2, 3))
    executor.arg_dict["users_weight"][:] = 2
    executor.arg_dict["items_weight"][:] = 3
    assert executor.forward()[0].asnumpy().tolist() == [[30] * 3] * 2


def test_what_somebody_else_reads_stays() -> None:
    whole = ["Embedding", "Embedding", "elemwise_mul", "sum"]
    users, items = embed("u", 7, "users"), embed("i", 11, "items")
    product = users * items
    total = mx.sym.sum(product, axis=1)
    shapes = {"u": (6,), "i": (6,)}
    assert kinds(mx.sym.Group([total, product]), **shapes) == whole
    assert kinds(mx.sym.Group([total, users]), **shapes) == whole
    assert kinds(mx.sym.sum(product, axis=0), **shapes) == whole
    assert kinds(mx.sym.sum(product, axis=1, exclude=True), **shapes) == whole
    assert kinds(mx.sym.sum(product), **shapes) == whole
    dense = embed("u", 7, "users", sparse_grad=False) * items
    assert kinds(mx.sym.sum(dense, axis=1), **shapes) == whole
    assert kinds(mx.sym.sum(users * users, axis=1), **shapes) == whole[1:]


def test_a_graph_without_anything_to_fuse_is_returned_as_it_is() -> None:
    graph = (mx.sym.Variable("x") * 2)._graph
    assert fuse(graph, dict.fromkeys(graph.entries()), {}) is graph


def test_variables_and_names_stay() -> None:
    net = mx.sym.LinearRegressionOutput(inner(), mx.sym.Variable("score"), name="rating")
    executor = net.simple_bind(mx.cpu(), u=(6,), i=(6,))
    assert list(executor.arg_dict) == net.list_arguments()
    assert list(executor.output_dict) == ["rating_output"]


def test_a_monitor_sees_every_node_of_the_users_graph() -> None:
    executor = inner().simple_bind(mx.cpu(), u=(2,), i=(2,))
    executor.arg_dict["users_weight"][:] = 2
    executor.arg_dict["items_weight"][:] = 3
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    (out,) = executor.forward(is_train=True)
    assert list(seen) == ["users_output", "items_output", "_mul0_output", "dot_output"]
    assert seen["_mul0_output"].tolist() == [[6] * 5] * 2
    assert out.asnumpy().tolist() == [30, 30]
    executor.backward(mx.nd.ones((2,)))
    assert executor.grad_dict["users_weight"].asnumpy()[0].tolist() == [6] * 5


def test_an_error_names_the_users_node() -> None:
    with pytest.raises(mx.MXNetError, match=r"_mul0\(elemwise_mul\)"):
        inner().simple_bind(mx.cpu(), u=(6,), i=(4,))


def test_one_table_on_both_sides_gets_the_sum() -> None:
    table = mx.sym.Variable("table")
    sides = [
        mx.sym.Embedding(mx.sym.Variable(v), table, input_dim=4, output_dim=2, sparse_grad=True)
        for v in "ab"
    ]
    net = mx.sym.sum(sides[0] * sides[1], axis=1)
    executor = net.simple_bind(mx.cpu(), grad_req={"table": "write"}, a=(2,), b=(2,))
    executor.arg_dict["table"][:] = [[1, 2], [3, 4], [5, 6], [7, 8]]
    executor.forward(is_train=True, a=np.array([0, 1]), b=np.array([1, 3]))
    executor.backward(mx.nd.ones((2,)))
    expected = [[3, 4], [1 + 7, 2 + 8], [0, 0], [3, 4]]
    assert executor.grad_dict["table"].asnumpy().tolist() == expected


def test_heads_are_found_after_fusing() -> None:
    net = inner()
    graph = net._graph
    layout = lay_out(graph, {}, {n: (3,) for n in graph.variables if n.name in "ui"}, {}, {})
    (head,) = layout.forward.heads
    assert head != graph.heads[0]
    assert layout.shapes[Entry(head.node)] == (3,)


def test_threads_that_share_an_executor_take_turns() -> None:
    """Wild ids are clipped in buffers of the program; no thread may see another's half done."""
    count = 20_000
    executor = inner().simple_bind(mx.cpu(), u=(count,), i=(count,))
    executor.arg_dict["users_weight"][:] = 1
    executor.arg_dict["items_weight"][:] = 2
    rng = np.random.RandomState(0)
    ids = [mx.nd.array(rng.randint(-(10**12), 10**12, count)) for _ in range(4)]
    head = mx.nd.ones((count,))
    wrong: list[object] = []

    def work(k: int) -> None:
        try:
            for _ in range(40):
                executor.forward(is_train=True, u=ids[k], i=ids[k - 1])
                executor.backward(head)
                total = executor.grad_dict["users_weight"].asnumpy().sum()
                if total != 2 * 5 * count:
                    wrong.append(total)
        except Exception as error:  # of a thread nobody else would hear of it
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
