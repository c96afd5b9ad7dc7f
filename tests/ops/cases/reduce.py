"""Cases of ``symgraph/ops/reduce.py``."""

import numpy as np

from ops.harness import Case, Given, Integers, Uniform

S = (3, 4, 2)
M = (4, 3)
FORMULAS = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "nansum": np.nansum,
    "nanprod": np.nanprod,
    "max": np.max,
    "min": np.min,
}
AXES = [
    ({}, None, False),
    ({"axis": 1}, (1,), False),
    ({"axis": (-1, 0)}, (0, 2), False),
    ({"axis": (0, 2), "keepdims": True}, (0, 2), True),
    ({"axis": 1, "exclude": True}, (0, 2), False),
    ({"keepdims": True}, None, True),
]


def reduced(formula, axis, keepdims):
    return lambda data: np.atleast_1d(formula(data, axis=axis, keepdims=keepdims))


def norm(order, **how):
    powers = {1: np.abs, 2: np.square}[order]
    return lambda data: np.atleast_1d(np.sum(powers(data), **how) ** (1 / order))


CASES = [
    *(
        Case(name, {"data": S}, attrs, expected=reduced(f, axis, keepdims))
        for name, f in FORMULAS.items()
        for attrs, axis, keepdims in AXES
    ),
    *(
        Case(name, {"data": M}, attrs, name=f"matrix-{i}", dtypes=("float64", "float32"))
        for name in ("sum", "mean")
        for i, attrs in enumerate(
            (
                {},
                {"axis": 0},
                {"axis": 1},
                {"axis": (0, 1), "exclude": True},
                {"axis": 1, "keepdims": True},
            )
        )
    ),
    Case("sum", {"data": Integers(S, -4, 5)}, name="integers", dtypes=("int32", "int8", "int64")),
    Case(
        "mean",
        {"data": Given([1, 2, 4], "int32")},
        name="integers",
        expected=lambda data: [2],
        dtypes=("int32",),
    ),
    Case(
        "sum",
        {"data": Given(np.ones(5000))},
        name="many",
        expected=lambda data: [5000],
        dtypes=("float64", "float16"),
    ),
    Case(
        "prod",
        {"data": Given([[2.0, 0, 3], [0, 0, 4], [5, 6, 7]])},
        {"axis": 1},
        name="zeros",
        differentiate=("data",),
    ),
    Case("nansum", {"data": Given([np.nan, 2.0, 3])}, expected=lambda data: [5], name="nan"),
    Case("nanprod", {"data": Given([np.nan, 2.0, 3])}, expected=lambda data: [6], name="nan"),
    Case("norm", {"data": S}, expected=norm(2, axis=None)),
    Case("norm", {"data": S}, {"ord": 1, "axis": 1}, expected=norm(1, axis=1)),
    Case(
        "norm",
        {"data": S},
        {"axis": (0, 2), "keepdims": True},
        expected=norm(2, axis=(0, 2), keepdims=True),
    ),
    Case("norm", {"data": M}, {"axis": 0, "out_dtype": "float64"}, rtol=1e3),
    Case("norm", {"data": M}, {"ord": 1, "axis": 1}, name="matrix"),
    Case("argmax", {"data": S}, expected=lambda data: [data.argmax()]),
    Case("argmax", {"data": S}, {"axis": 1}, expected=lambda data: data.argmax(1)),
    Case("argmax", {"data": Uniform(S)}, {"axis": -1, "keepdims": True}),
    Case("argmin", {"data": S}, {"keepdims": True}, expected=lambda data: [[[data.argmin()]]]),
    Case("argmin", {"data": S}, {"axis": 0}, expected=lambda data: data.argmin(0)),
    Case("argmax_channel", {"data": S}, expected=lambda data: data.argmax(1)),
]
