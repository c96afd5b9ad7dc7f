"""Record what MXNet 1.9.1 does at the edges of operators: integers, ties, nan, bad indices.

    MXNET_SUBGRAPH_BACKEND=NONE python tests/golden/make_op_edges.py

needs mxnet 1.9.1 and writes ``tests/golden/ops/edges.json``. Numbers stand there as text, so that
nan and inf keep their names.
"""

import json
from pathlib import Path

import mxnet as mx

NAN, INF = float("nan"), float("inf")
F, N = "float32", "int32"

WHOLE = ["exp", "abs", "square", "sigmoid", "relu", "softsign", "erf", "sign", "negative"]
WHOLE += ["floor", "round", "cbrt", "tanh"]
UNSIGNED = ["exp", "sqrt", "log", "square", "relu", "reciprocal", "gamma"]
CUT = {"begin": (None, 1), "end": (None, None), "step": (-1, 2)}

# operator, attributes, inputs as (numbers, element type); gradients are taken with heads of one
TABLE = [
    *((n, {}, [([1, 2, -3], N)]) for n in WHOLE),
    *((n, {}, [([1, 2, 3], "uint8")]) for n in UNSIGNED),
    *((n, {"scalar": 1.5}, [([1, 2, -3], N)]) for n in
      ("_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_div_scalar",
       "_power_scalar", "_greater_scalar", "_lesser_equal_scalar", "_maximum_scalar")),
    ("_rdiv_scalar", {"scalar": 2}, [([1, 2, -3], N)]),
    ("_rpower_scalar", {"scalar": 2}, [([1, 2, 3], N)]),
    ("_mod_scalar", {"scalar": 2}, [([1, 2, -3], N)]),
    ("_power_scalar", {"scalar": -1}, [([1, 2, -3], N)]),
    ("_plus_scalar", {"scalar": 300}, [([1, 2], "uint8")]),
    ("_minus_scalar", {"scalar": 5}, [([1, 2], "uint8")]),
    ("elemwise_div", {}, [([1, 2, -3], N), ([2, 2, 2], N)]),
    ("_mod", {}, [([5, -5, 5, -5, 5], N), ([3, 3, -3, -3, 0], N)]),
    ("_mod", {}, [([5, -5, 5, -5, 5.5], F), ([3, 3, -3, -3, 0], F)]),
    ("_mod_scalar", {"scalar": 3}, [([5, -5.5], F)]),
    ("_rmod_scalar", {"scalar": 5}, [([3, -3], F)]),
    ("_equal", {}, [([1, NAN, 2], F), ([1, NAN, 3], F)]),
    ("_not_equal", {}, [([1, NAN, 2], F), ([1, NAN, 3], F)]),
    ("_maximum", {}, [([1, 2, 3], F), ([1, 3, 2], F)]),
    ("_minimum", {}, [([1, 2, 3], F), ([1, 3, 2], F)]),
    ("_maximum", {}, [([NAN, 1], F), ([1, NAN], F)]),
    ("_maximum_scalar", {"scalar": 1}, [([0, 1, 2], F)]),
    ("_minimum_scalar", {"scalar": 1}, [([0, 1, 2], F)]),
    ("broadcast_maximum", {}, [([[1, 2, 3]], F), ([[1], [3]], F)]),
    ("_power", {}, [([2, -2, 0, 0], F), ([3, 2, 2, 0], F)]),
    ("_power_scalar", {"scalar": 2}, [([0, -1, 3], F)]),
    ("_power_scalar", {"scalar": 0.5}, [([0.25, 4], F)]),
    ("_rpower_scalar", {"scalar": 0}, [([0, 1, 3], F)]),
    ("_hypot", {}, [([3, 0], F), ([4, 0], F)]),
    ("abs", {}, [([0, -1, 1], F)]),
    ("sign", {}, [([NAN, 0, -2], F)]),
    ("relu", {}, [([NAN, -1, 0, 1], F)]),
    ("sqrt", {}, [([0, 4, -1], F)]),
    ("cbrt", {}, [([0, 8, -8], F)]),
    ("rcbrt", {}, [([8, -8], F)]),
    ("log", {}, [([0, -1, 1], F)]),
    ("round", {}, [([0.5, -0.5, 1.5, 2.5, -2.5], F)]),
    ("rint", {}, [([0.5, -0.5, 1.5, 2.5, -2.5], F)]),
    ("clip", {"a_min": -1, "a_max": 1}, [([-2, -1, 0, 1, 2], F)]),
    ("clip", {"a_min": -1.5, "a_max": 1.5}, [([1, 2, -3], N)]),
    ("smooth_l1", {"scalar": 2}, [([0.3, -2, 0.25, -0.25, 0], F)]),
    ("hard_sigmoid", {}, [([-5, 0, 2.5, -2.5, 1], F)]),
    ("gamma", {}, [([0, -1, 0.5, 5, -0.5, 40, 3], F)]),
    ("gammaln", {}, [([0.5, 5, -0.5, 40, 3], F)]),
    ("erf", {}, [([-7, -1, -1e-4, 0.3, 2, 4], F)]),
    ("erfinv", {}, [([0, 0.5, -0.9, 0.9999], F)]),
    ("arcsin", {}, [([1, 0.5], F)]),
    ("prod", {}, [([0, 2, 3], F)]),
    ("prod", {}, [([1, 2, -3], N)]),
    ("nanprod", {}, [([NAN, 2, 3], F)]),
    ("nansum", {}, [([NAN, 2, 3], F)]),
    ("max", {}, [([3, 3, 1], F)]),
    ("min", {}, [([1, 3, 1], F)]),
    ("max", {}, [([1, NAN, 3], F)]),
    ("mean", {}, [([1, 2, 4], N)]),
    ("sum", {}, [([1, 2, 4], N)]),
    ("sum", {"axis": ()}, [([1, 2, 4], F)]),
    ("sum", {"axis": (0, 1), "exclude": True}, [([[1, 2, 4]], F)]),
    ("norm", {}, [([0, 0], F)]),
    ("norm", {}, [([1, 2, -3], N)]),
    ("norm", {"ord": 1}, [([0, -1, 2], F)]),
    ("argmax", {}, [([1, 3, 3], N)]),
    ("argmax", {"axis": 0}, [([1, NAN, 3], F)]),
    ("argmin", {"axis": 0}, [([2, 1, 1], F)]),
    ("Cast", {"dtype": "uint8"}, [([1.7, 255.2, 0.9], F)]),
    ("Cast", {"dtype": "int32"}, [([1.7, -1.7], F)]),
    ("Cast", {"dtype": "bool"}, [([0.5, 0, 2], F)]),
    ("where", {}, [([1, 0, NAN], F), ([1, 2, 3], F), ([4, 5, 6], F)]),
    ("take", {}, [([[1, 2], [3, 4]], F), ([-1, 5, 1], F)]),
    ("take", {}, [([1, 2, 3], F), ([0.7, 1.9, -0.5], F)]),
    ("take", {"mode": "wrap"}, [([[1, 2], [3, 4]], F), ([-1, 5, 1], F)]),
    ("pick", {}, [([[1, 2], [3, 4]], F), ([-1, 5], F)]),
    ("pick", {"mode": "wrap"}, [([[1, 2], [3, 4]], F), ([-1, 5], F)]),
    ("batch_take", {}, [([[1, 2], [3, 4]], F), ([-1, 5], N)]),
    ("Embedding", {"input_dim": 2, "output_dim": 2}, [([-1, 7, 1.7], F), ([[1, 2], [3, 4]], F)]),
    ("one_hot", {"depth": 3}, [([-1, 0, 5, 1.5], F)]),
    ("gather_nd", {}, [([[1, 2], [3, 4]], F), ([[0, 1, 1], [1, 0, -1]], F)]),
    ("_arange", {"start": 5, "stop": 0, "step": -2}, []),
    ("_arange", {"start": 0, "stop": 1, "step": 0.3}, []),
    ("_arange", {"start": 1, "stop": 3, "repeat": 2, "dtype": "int32"}, []),
    ("slice", CUT, [([[1, 2, 3], [4, 5, 6]], F)]),
    ("repeat", {"repeats": 2}, [([[1, 2], [3, 4]], F)]),
    ("tile", {"reps": (2, 1, 2)}, [([[1, 2]], F)]),
    ("SwapAxis", {"dim1": 0, "dim2": 1}, [([[1, 2, 3]], F)]),
    ("batch_dot", {"transpose_a": True}, [([[[1], [2]]], F), ([[[3, 4], [5, 6]]], F)]),
]  # fmt: skip


def record(op, attrs, inputs):
    function = getattr(mx.nd, op, None) or getattr(mx.nd._internal, op)
    arrays = [mx.nd.array(numbers, dtype=dtype) for numbers, dtype in inputs]
    for array in arrays:
        array.attach_grad()
    entry = {"op": op, "attrs": {k: str(v) for k, v in attrs.items()}, "inputs": []}
    with mx.autograd.record():
        output = function(*arrays, **attrs)
    entry["inputs"] = [text(a) for a in arrays]
    entry["output"] = text(output)
    try:
        output.backward()
        entry["grads"] = [text(a.grad) if a.dtype == arrays[0].dtype else None for a in arrays]
    except mx.MXNetError:
        entry["grads"] = None
    return entry


def text(array):
    numbers = array.asnumpy()
    words = [repr(v) for v in numbers.reshape(-1).tolist()]
    return [numbers.dtype.name, list(numbers.shape), words]


if __name__ == "__main__":
    lines = [json.dumps(record(*row)) for row in TABLE]
    path = Path(__file__).parent / "ops" / "edges.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
