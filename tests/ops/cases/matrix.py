"""Cases of ``symgraph/ops/{matrix,indexing}.py``."""

import numpy as np

from ops.harness import Case, Given, Integers, Uniform


def dot(lhs, rhs, formula, **attrs):
    name = f"{lhs}-{rhs}-{'-'.join(attrs)}".replace(" ", "")
    return Case(
        "dot", {"lhs": lhs, "rhs": rhs}, attrs, name, expected=lambda lhs, rhs: formula(lhs, rhs)
    )


def batch_dot(lhs, rhs, formula, **attrs):
    expected = lambda lhs, rhs: formula(lhs, rhs)
    return Case("batch_dot", {"lhs": lhs, "rhs": rhs}, attrs, expected=expected)


T = lambda x: x.swapaxes(-1, -2)
BOTH = {"transpose_a": True, "transpose_b": True}
IDS = Integers((2, 3), 0, 5, "int32")

CASES = [
    dot((4, 3), (3, 5), np.matmul),
    dot((3, 4), (3, 5), lambda a, b: a.T @ b, transpose_a=True),
    dot((4, 3), (5, 3), lambda a, b: a @ b.T, transpose_b=True),
    dot((3, 4), (5, 3), lambda a, b: a.T @ b.T, **BOTH),
    dot((3, 4), (3, 5), lambda a, b: a.T @ b, transpose_a=True, forward_stype="default"),
    dot((3,), (3,), lambda a, b: [a @ b]),
    dot((4, 3), (3,), np.matmul),
    dot((3, 4), (3,), lambda a, b: a.T @ b, transpose_a=True),
    dot((3,), (3, 4), np.matmul),
    dot((2, 5, 3), (3, 4, 6), lambda a, b: np.tensordot(a, b, 1)),
    dot(
        (3, 2),
        (4, 5, 3),
        lambda a, b: np.tensordot(a, b, (0, 2)),
        transpose_a=True,
        transpose_b=True,
    ),
    batch_dot((2, 4, 3), (2, 3, 5), np.matmul),
    batch_dot((2, 3, 4), (2, 3, 5), lambda a, b: T(a) @ b, transpose_a=True),
    batch_dot((2, 4, 3), (2, 5, 3), lambda a, b: a @ T(b), transpose_b=True),
    batch_dot(
        (2, 6, 3, 4), (2, 6, 5, 3), lambda a, b: T(a) @ T(b), transpose_a=True, transpose_b=True
    ),
    *(
        Case(
            "Embedding",
            {"data": ids, "weight": (5, 4)},
            {"input_dim": 5, "output_dim": 4, "sparse_grad": sparse},
            name=f"{name}-{sparse}",
            expected=lambda data, weight: weight[data.astype(int).clip(0, 4)],
        )
        for sparse in (False, True)
        for name, ids in (
            ("int32", IDS),
            ("any type", Integers((2, 3), 0, 5)),
            ("uint8", Integers((6,), 0, 5, "uint8")),
            ("outside", Given([[-1, 7, 2], [4, 0, 100]], "int64")),
            ("fractions", Given([0.7, 1.9, 3.0], "float32")),
        )
    ),
    *(
        Case(
            "take",
            {"a": (4, 5, 3), "indices": Given([[0, 2], [-1, 7]], "int32")},
            {"axis": axis, "mode": mode},
            expected=lambda a, indices, axis=axis, mode=mode: a.take(indices, axis, mode=mode),
        )
        for axis in (0, 1, -1)
        for mode in ("clip", "wrap")
    ),
    Case("take", {"a": (4, 5), "indices": Integers((3,), 0, 4)}, {"mode": "raise"}),
    Case(
        "batch_take",
        {"a": (4, 3), "indices": Given([0, 2, 1, 5], "int32")},
        expected=lambda a, indices: a[range(4), [0, 2, 1, 2]],
    ),
    Case(
        "pick",
        {"data": (4, 3), "index": Given([0, 2, -1, 5])},
        expected=lambda data, index: data[range(4), [0, 2, 0, 2]],
    ),
    Case(
        "pick",
        {"data": (4, 3), "index": Given([0, 2, -1, 5])},
        {"mode": "wrap"},
        expected=lambda data, index: data[range(4), [0, 2, 2, 2]],
    ),
    Case(
        "pick",
        {"data": (4, 3, 2), "index": Integers((4, 1, 2), 0, 3)},
        {"axis": 1, "keepdims": True},
        expected=lambda data, index: np.take_along_axis(data, index.astype(int), 1),
    ),
    Case(
        "one_hot",
        {"indices": Given([[0, 2, -1], [1, 3, 9]])},
        {"depth": 4, "on_value": 2, "off_value": -1},
        expected=lambda indices: np.where(indices[..., None] == np.arange(4), 2, -1),
    ),
    Case("one_hot", {"indices": Integers((3,), 0, 4)}, {"depth": 4, "dtype": "int32"}),
    Case(
        "gather_nd",
        {"data": (4, 3, 2), "indices": Given([[0, 3, -1, 0], [2, 0, 1, 2]], "int64")},
        expected=lambda data, indices: data[tuple(indices)],
    ),
    Case("gather_nd", {"data": Uniform((4, 3)), "indices": Integers((1, 5), 0, 4)}, name="rows"),
]
