"""Record which storage type the outputs of MXNet 1.9.1's operators have, by that of their inputs.

    MXNET_SUBGRAPH_BACKEND=NONE python tests/golden/make_op_storage.py

needs mxnet 1.9.1 and writes ``tests/golden/ops/storage.json``: rows of operator, attributes,
storage types of the inputs and of the output.
"""

import itertools
import json
from pathlib import Path

import mxnet as mx

STYPES = ("default", "row_sparse", "csr")
UNARY = """abs sign floor ceil trunc fix round rint square sqrt rsqrt cbrt rcbrt reciprocal exp
expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh
degrees radians relu sigmoid softsign gamma gammaln negative _copy BlockGrad zeros_like ones_like
sum mean max norm"""
BINARY = """elemwise_add elemwise_sub elemwise_mul elemwise_div broadcast_add broadcast_sub
broadcast_mul broadcast_div _maximum _minimum _power _equal"""
SCALAR = """_plus_scalar _minus_scalar _rminus_scalar _mul_scalar _div_scalar _rdiv_scalar
_power_scalar _maximum_scalar _greater_scalar _lesser_scalar _equal_scalar _not_equal_scalar"""


def rows():
    for op in UNARY.split():
        yield from ((op, {}, (stype,)) for stype in STYPES)
    yield from (("clip", {"a_min": -1, "a_max": 1}, (stype,)) for stype in STYPES)
    yield from (("sum", {"axis": 1, "keepdims": True}, (stype,)) for stype in STYPES)
    yield from (
        (op, {}, pair) for op in BINARY.split() for pair in itertools.product(STYPES, STYPES)
    )
    yield from (
        (op, {"scalar": scalar}, (stype,))
        for op in SCALAR.split()
        for scalar in (0, 2)
        for stype in STYPES
    )
    for a, b in itertools.product((False, True), (False, True)):
        attrs = {"transpose_a": a, "transpose_b": b}
        yield from (("dot", attrs, pair) for pair in itertools.product(STYPES, STYPES))
    yield ("dot", {"transpose_a": True, "forward_stype": "default"}, ("csr", "default"))
    for pair in itertools.product(STYPES, STYPES):
        yield from ((op, {"num_args": 2}, pair) for op in ("add_n", "Concat"))
        yield ("Concat", {"num_args": 2, "dim": 0}, pair)
    yield from (("slice", {"begin": (0,), "end": (2,)}, (stype,)) for stype in STYPES)
    yield from (("cast_storage", {"stype": "row_sparse"}, (stype,)) for stype in STYPES[:2])


def record(op, attrs, stypes):
    function = getattr(mx.nd, op, None) or getattr(mx.nd._internal, op)
    arrays = [mx.nd.array([[0, 2, 0], [1, 0, 3], [0, 0, 0]]).tostype(s) for s in stypes]
    given = {k: v for k, v in attrs.items() if k != "num_args"}
    try:
        out = function(*arrays, **given)
        out.asnumpy()
        return [op, {k: str(v) for k, v in attrs.items()}, list(stypes), out.stype]
    except mx.MXNetError:
        return None


if __name__ == "__main__":
    lines = [json.dumps(row) for row in (record(*r) for r in rows()) if row]
    path = Path(__file__).parent / "ops" / "storage.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
