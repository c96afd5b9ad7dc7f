"""Cases of ``symgraph/ops/{reshape,arrange,stretch}.py``."""

import numpy as np

from ops.harness import Case, Integers, Uniform

S = (3, 4, 2)
TYPES = ("float64", "float32", "float16", "int32", "uint8")


def moved(op, attrs, formula, shape=S, name=""):
    return Case(op, {"data": shape}, attrs, name, expected=lambda data: formula(data), dtypes=TYPES)


CASES = [
    moved("Flatten", {}, lambda x: x.reshape(3, 8)),
    moved("Flatten", {}, lambda x: x.reshape(3, 1), (3,), "vector"),
    *(
        moved("Reshape", {"shape": codes, **more}, lambda x, to=to: x.reshape(to))
        for codes, to, more in (
            ((-1,), (24,), {}),
            ((0, -1), (3, 8), {}),
            ((-2,), S, {}),
            ((-3, 0), (12, 2), {}),
            ((0, -4, 2, -1, 0), (3, 2, 2, 2), {}),
            ((-4, 1, -1, -2), (1, 3, 4, 2), {}),
            ((6, 4), (6, 4), {}),
            ((-1, 0), (12, 2), {"reverse": True}),
            ((-3, 0), (12, 2), {"reverse": True}),
            ((0, -4, -1, 2, 0), (3, 2, 2, 2), {"reverse": True}),
        )
    ),
    moved("Reshape", {"target_shape": (0, 2)}, lambda x: x.reshape(12, 2)),
    moved(
        "Reshape",
        {"target_shape": (0, 2, 0), "keep_highest": True},
        lambda x: x.reshape(3, 2, 4),
    ),
    moved("expand_dims", {"axis": 1}, lambda x: x[:, None]),
    moved("expand_dims", {"axis": -1}, lambda x: x[..., None]),
    moved("squeeze", {}, lambda x: x.reshape(3, 2), (1, 3, 1, 2)),
    moved("squeeze", {"axis": (-2,)}, lambda x: x.reshape(1, 3, 2), (1, 3, 1, 2)),
    moved("squeeze", {}, lambda x: x.reshape(1), (1, 1), "all"),
    Case("reshape_like", {"lhs": S, "rhs": (6, 4)}, differentiate=("lhs",)),
    Case(
        "reshape_like",
        {"lhs": (12, 5), "rhs": S},
        {"lhs_begin": 0, "lhs_end": 1, "rhs_begin": 0, "rhs_end": 2},
        expected=lambda lhs, rhs: lhs.reshape(3, 4, 5),
    ),
    moved("transpose", {}, np.transpose),
    moved("transpose", {"axes": (1, 2, 0)}, lambda x: x.transpose(1, 2, 0)),
    moved("SwapAxis", {"dim1": 0, "dim2": -1}, lambda x: x.swapaxes(0, 2)),
    moved("reverse", {"axis": (0, -1)}, lambda x: x[::-1, :, ::-1]),
    moved("slice", {"begin": (1, None), "end": (3, -1)}, lambda x: x[1:3, :-1]),
    moved(
        "slice",
        {"begin": (None, 3), "end": (None, None), "step": (-1, -2)},
        lambda x: x[::-1, 3::-2],
    ),
    moved("slice", {"begin": (1,), "end": (9,)}, lambda x: x[1:], (4, 3)),
    moved("slice", {"begin": (1, -2), "end": (3, None)}, lambda x: x[1:3, -2:], (4, 3)),
    moved("slice_axis", {"axis": 1, "begin": 1, "end": 3}, lambda x: x[:, 1:3]),
    moved("slice_axis", {"axis": -2, "begin": -3, "end": None}, lambda x: x[:, -3:]),
    Case(
        "slice_like",
        {"data": S, "shape_like": (2, 3, 1)},
        expected=lambda data, shape_like: data[:2, :3, :1],
    ),
    Case(
        "slice_like",
        {"data": S, "shape_like": (2, 3)},
        {"axes": (1,)},
        expected=lambda data, shape_like: data[:, :3],
    ),
    moved("SliceChannel", {"num_outputs": 2}, lambda x: (x[:, :2], x[:, 2:])),
    moved(
        "SliceChannel",
        {"num_outputs": 3, "axis": 0, "squeeze_axis": True},
        lambda x: tuple(x),
    ),
    moved("SliceChannel", {"num_outputs": 1, "axis": -1}, lambda x: x),
    Case(
        "Concat",
        {"arg0": S, "arg1": (3, 1, 2), "arg2": (3, 5, 2)},
        {"num_args": 3},
        expected=lambda **a: np.concatenate([*a.values()], 1),
        dtypes=TYPES,
    ),
    Case(
        "Concat",
        {"arg0": (4, 3), "arg1": (2, 3)},
        {"num_args": 2, "dim": 0},
        expected=lambda **a: np.concatenate([*a.values()], 0),
    ),
    Case(
        "Concat",
        {"arg0": S, "arg1": (3, 4, 5)},
        {"num_args": 2, "dim": -1},
        expected=lambda **a: np.concatenate([*a.values()], -1),
    ),
    *(
        Case(
            "stack",
            {"arg0": S, "arg1": S},
            {"num_args": 2, "axis": axis},
            expected=lambda axis=axis, **a: np.stack([*a.values()], axis),
        )
        for axis in (0, 1, -1)
    ),
    moved("broadcast_to", {"shape": (3, 4, 0)}, lambda x: x.repeat(4, 1), (3, 1, 2)),
    moved("broadcast_axis", {"axis": (1,), "size": (4,)}, lambda x: x.repeat(4, 1), (3, 1, 2)),
    Case(
        "broadcast_like",
        {"lhs": (3, 1, 2), "rhs": S},
        expected=lambda lhs, rhs: lhs.repeat(4, 1),
        differentiate=("lhs",),
    ),
    Case(
        "broadcast_like",
        {"lhs": (3, 1, 2), "rhs": (5, 4)},
        {"lhs_axes": (1,), "rhs_axes": (-1,)},
        expected=lambda lhs, rhs: lhs.repeat(4, 1),
    ),
    *(
        moved("tile", {"reps": reps}, lambda x, reps=reps: np.tile(x, reps))
        for reps in ((2,), (2, 1, 3), (2, 1, 1, 3))
    ),
    moved("repeat", {"repeats": 2}, lambda x: x.repeat(2)),
    moved("repeat", {"repeats": 3, "axis": -2}, lambda x: x.repeat(3, 1)),
    Case("_zeros", {}, {"shape": S}, expected=lambda: np.zeros(S)),
    Case("_zeros", {}, {"shape": S, "dtype": "int32"}),
    Case("_ones", {}, {"shape": S}, expected=lambda: np.ones(S)),
    Case("_full", {}, {"shape": S, "value": 2.5}, expected=lambda: np.full(S, 2.5)),
    *(
        Case("_arange", {}, attrs, expected=lambda to=to: np.array(to))
        for attrs, to in (
            ({"start": 4}, [0, 1, 2, 3]),
            ({"start": 2, "stop": 9, "step": 3}, [2, 5, 8]),
            ({"start": 5, "stop": 0, "step": -2, "dtype": "int32"}, [5, 3, 1]),
            ({"start": 0, "stop": 2, "repeat": 3}, [0, 0, 0, 1, 1, 1]),
        )
    ),
    moved("zeros_like", {}, np.zeros_like),
    moved("ones_like", {}, np.ones_like),
    *(
        Case("cast_storage", {"data": Integers((4, 3), 0, 2)}, {"stype": stype})
        for stype in ("default", "row_sparse", "csr")
    ),
    Case(
        "_sparse_retain",
        {"data": Uniform((5, 3)), "indices": Integers((2,), 0, 5, "int64")},
    ),
]
