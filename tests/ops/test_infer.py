"""Shapes and types that operators infer, in all directions, from what is known in part."""

from __future__ import annotations

import pytest

from symgraph.errors import DTypeError, MXNetError
from symgraph.ops.facts import DTypes, Shapes, Unknown
from symgraph.ops.op import create


def inferred(table, rule, op, attrs, known):
    made = create(op, {k: str(v) for k, v in attrs.items()})
    names = [*made.list_inputs(), *made.list_aux(), *made.list_outputs()]
    facts = {n: known.get(n) for n in names}
    for _ in range(2):
        try:
            getattr(made, rule)(table(facts))
        except Unknown:
            continue
    return facts


# operator, attributes, what is known, what must be found; 0 is an unknown length
SHAPES = [
    ("exp", {}, {"output": (2, 3)}, {"data": (2, 3)}),
    ("elemwise_add", {}, {"lhs": (0, 3), "output": (2, 0)}, {"rhs": (2, 3)}),
    ("add_n", {"num_args": 2}, {"arg0": (0, 3), "arg1": (2, 0)}, {"output": (2, 3)}),
    ("broadcast_add", {}, {"lhs": (2, 3), "rhs": (3,)}, {"output": (2, 3)}),
    ("broadcast_add", {}, {"lhs": (0, 3), "rhs": (1, 3)}, {"output": (0, 3)}),
    ("broadcast_add", {}, {"lhs": (2, 3)}, {"output": None}),
    ("Flatten", {}, {"data": (0, 3, 4)}, {"output": (0, 12)}),
    ("Flatten", {}, {"data": (0, 3), "output": (5, 0)}, {"data": (5, 3), "output": (5, 3)}),
    ("Flatten", {}, {"data": (5,)}, {"output": (5, 1)}),
    ("Reshape", {"shape": (-1, 4)}, {"data": (0, 4)}, {"output": (0, 4)}),
    ("Reshape", {"shape": (0, 3)}, {"data": (0, 3), "output": (5, 3)}, {"data": (5, 3)}),
    ("Reshape", {"shape": (-1,)}, {"data": (2, 0), "output": (6,)}, {"data": (2, 3)}),
    ("Reshape", {"shape": (1, -2, 1)}, {"data": (2, 3, 4)}, None),
    ("Reshape", {"shape": (-2, 1)}, {"data": (2, 3)}, {"output": (2, 3, 1)}),
    ("Reshape", {"target_shape": (0, 0), "keep_highest": True}, {"data": (2, 3, 4)},
     {"output": (2, 12)}),
    ("transpose", {"axes": (1, 0, 2)}, {"output": (4, 3, 2)}, {"data": (3, 4, 2)}),
    ("transpose", {}, {"data": (0, 3), "output": (0, 5)}, {"data": (5, 3), "output": (3, 5)}),
    ("SwapAxis", {"dim1": 0, "dim2": -1}, {"output": (2, 3, 4)}, {"data": (4, 3, 2)}),
    ("expand_dims", {"axis": -2}, {"output": (4, 1, 3)}, {"data": (4, 3)}),
    ("squeeze", {}, {"data": (1, 2, 1)}, {"output": (2,)}),
    ("Concat", {"num_args": 2}, {"arg0": (0, 2), "arg1": (5, 3)},
     {"arg0": (5, 2), "output": (5, 5)}),
    ("Concat", {"num_args": 2}, {"arg0": (2, 0), "arg1": (2, 3), "output": (2, 8)},
     {"arg0": (2, 5)}),
    ("Concat", {"num_args": 2}, {"arg0": (2, 0), "arg1": (2, 3)}, {"output": (2, 0)}),
    ("stack", {"num_args": 2, "axis": 1}, {"arg0": (0, 3), "arg1": (2, 0)},
     {"output": (2, 2, 3)}),
    ("stack", {"num_args": 2, "axis": 1}, {"output": (4, 2, 3)}, {"arg0": (4, 3)}),
    ("SliceChannel", {"num_outputs": 2}, {"data": (0, 4)}, {"output1": (0, 2)}),
    ("SliceChannel", {"num_outputs": 2}, {"data": (0, 4), "output0": (3, 2)},
     {"data": (3, 4), "output1": (3, 2)}),
    ("SliceChannel", {"num_outputs": 4, "squeeze_axis": True}, {"output2": (2,)},
     {"output0": (2,)}),
    ("slice", {"begin": (0, 0), "end": (2, 2)}, {"data": (0, 5)}, {"output": (0, 2)}),
    ("slice_axis", {"axis": 1, "begin": 0, "end": 2}, {"data": (0, 5)}, {"output": (0, 2)}),
    ("broadcast_to", {"shape": (2, 0)}, {"data": (1, 3)}, {"output": (2, 3)}),
    ("tile", {"reps": (2, 1, 2)}, {"data": (2, 3)}, {"output": (2, 2, 6)}),
    ("dot", {}, {"lhs": (0, 3), "rhs": (0, 5)}, {"rhs": (3, 5), "output": (0, 5)}),
    ("dot", {"transpose_a": True}, {"lhs": (2, 3, 4), "rhs": (2, 5, 6)},
     {"output": (3, 4, 5, 6)}),
    ("batch_dot", {}, {"lhs": (0, 3, 4), "rhs": (2, 4, 5)},
     {"lhs": (2, 3, 4), "output": (2, 3, 5)}),
    ("Embedding", {"input_dim": 4, "output_dim": 2}, {"data": (0,)},
     {"weight": (4, 2), "output": (0, 2)}),
    ("Embedding", {"input_dim": 4, "output_dim": 2}, {"output": (7, 3, 2)}, {"data": (7, 3)}),
    ("take", {"axis": -1}, {"a": (4, 5), "indices": (2, 3)}, {"output": (4, 2, 3)}),
    ("pick", {"axis": 0, "keepdims": True}, {"data": (4, 5)},
     {"index": (5,), "output": (1, 5)}),
    ("pick", {}, {"data": (4, 5), "index": (4, 1)}, {"output": (4,)}),
    ("gather_nd", {}, {"data": (4, 5, 6), "indices": (2, 7)}, {"output": (7, 6)}),
    ("one_hot", {"depth": 3}, {"indices": (2, 4)}, {"output": (2, 4, 3)}),
    ("where", {}, {"condition": (2, 3), "x": (0, 3)}, {"y": (2, 3)}),
    ("where", {}, {"condition": (2,), "x": (0, 3)}, {"output": (0, 3)}),
    ("sum", {"axis": 1}, {"data": (0, 3)}, {"output": (0,)}),
    ("sum", {}, {"data": (0, 3)}, {"output": (1,)}),
    ("max", {"axis": 0}, {"data": (3,)}, {"output": (1,)}),
    ("argmax", {"keepdims": True}, {"data": (3, 2)}, {"output": (1, 1)}),
    ("_zeros", {"shape": (0, 3)}, {"output": (2, 0)}, {"output": (2, 3)}),
    ("_arange", {"start": 0, "infer_range": True}, {"output": (5,)}, {"output": (5,)}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "attrs", "known", "found"), SHAPES)
def test_shapes(op, attrs, known, found):
    if found is None:
        with pytest.raises(MXNetError):
            inferred(Shapes, "infer_shape", op, attrs, known)
        return
    facts = inferred(Shapes, "infer_shape", op, attrs, known)
    assert {n: facts[n] for n in found} == found


TYPES = [
    ("exp", {}, {"output": "float16"}, {"data": "float16"}),
    ("broadcast_equal", {}, {"lhs": "float16"}, {"rhs": "float16", "output": "float16"}),
    ("Cast", {"dtype": "int32"}, {"data": "float64"}, {"output": "int32"}),
    ("argmax", {}, {"data": "int32"}, {"output": "int32"}),
    ("norm", {"out_dtype": "float64"}, {"data": "float32"}, {"output": "float64"}),
    ("take", {}, {"a": "float64", "indices": "int32"}, {"output": "float64"}),
    ("Embedding", {"input_dim": 4, "output_dim": 2}, {"data": "int32"},
     {"weight": "float32", "output": "float32"}),
    ("Embedding", {"input_dim": 4, "output_dim": 2, "dtype": "float16"}, {"data": "int32"},
     {"weight": "float16"}),
    ("Embedding", {"input_dim": 4, "output_dim": 2}, {"weight": "float64"},
     {"output": "float64", "data": None}),
    ("one_hot", {"depth": 3}, {"indices": "int32"}, {"output": "float32"}),
    ("where", {}, {"condition": "int32", "y": "float16"}, {"x": "float16"}),
    ("_sparse_retain", {}, {"data": "float16", "indices": "int64"}, {"output": "float16"}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "attrs", "known", "found"), TYPES)
def test_types(op, attrs, known, found):
    facts = inferred(DTypes, "infer_dtype", op, attrs, known)
    assert {n: facts[n] for n in found} == found


def test_types_that_contradict():
    with pytest.raises(DTypeError, match="rhs has type int32, but float32 is required"):
        inferred(DTypes, "infer_dtype", "elemwise_add", {}, {"lhs": "float32", "rhs": "int32"})


# operator, attributes, shapes, words of the message
WRONG = [
    ("elemwise_add", {}, {"lhs": (2, 3), "rhs": (2, 4)}, r"rhs has shape \(2, 4\)"),
    ("broadcast_add", {}, {"lhs": (2, 3), "rhs": (4,)}, r"\(2, 3\) and \(4,\) do not broadcast"),
    ("Reshape", {"shape": (5, -1)}, {"data": (2, 3)}, "the sizes differ"),
    ("Reshape", {"shape": (4, 2)}, {"data": (2, 3)}, "the sizes differ"),
    ("Reshape", {"shape": (-1, -1)}, {"data": (2, 3)}, "-1 may be given only once"),
    ("Reshape", {}, {"data": (2, 3)}, "shape is required"),
    ("Reshape", {"shape": (-4, 2)}, {"data": (2, 3)}, "followed by two numbers"),
    ("Reshape", {"shape": (-4, -1, -1)}, {"data": (6,)}, "two lengths, one of which may be -1"),
    ("Reshape", {"shape": (-4, 0, -1)}, {"data": (6,)}, "two lengths, one of which may be -1"),
    ("Reshape", {"shape": (-4, -2, -3)}, {"data": (6,)}, "two lengths, one of which may be -1"),
    ("Reshape", {"shape": (0, -4, 2, 2)}, {"data": (2, 3)}, "3 does not split into"),
    ("Reshape", {"shape": (0, 0, 0)}, {"data": (2, 3)}, "more axes than data"),
    ("transpose", {"axes": (0, 0)}, {"data": (2, 3)}, "an order of 2 axes is required"),
    ("expand_dims", {"axis": 3}, {"data": (2, 3)}, "axis is 3, but there are 3 axes"),
    ("squeeze", {"axis": 1}, {"data": (1, 2)}, r"axis is \(1,\), but data has shape \(1, 2\)"),
    ("Concat", {"num_args": 2}, {"arg0": (2, 2), "arg1": (3, 3)}, "is required"),
    ("Concat", {"num_args": 2, "dim": 2}, {"arg0": (2, 2)}, "axis is 2, but there are 2 axes"),
    ("SliceChannel", {"num_outputs": 2}, {"data": (2, 5)}, "does not split into 2 equal pieces"),
    ("SliceChannel", {"num_outputs": 2, "squeeze_axis": True}, {"data": (2, 4)}, "length 1"),
    ("slice", {"begin": (2,), "end": (2,)}, {"data": (4, 5)}, "nothing of"),
    ("slice_axis", {"axis": 0, "begin": 0, "end": 9}, {"data": (4,)}, "cut nothing of length 4"),
    ("broadcast_to", {"shape": (2, 4)}, {"data": (1, 3)}, "does not stretch"),
    ("broadcast_axis", {"axis": (0,), "size": (4,)}, {"data": (2, 1)}, "does not stretch"),
    ("dot", {}, {"lhs": (2, 3), "rhs": (4, 5)}, r"rhs has shape \(4, 5\), but \(3, 5\)"),
    ("batch_dot", {}, {"lhs": (2, 3), "rhs": (3, 4)}, "at least 3 axes"),
    ("Embedding", {"input_dim": 4, "output_dim": 2}, {"data": (3,), "weight": (5, 2)},
     r"weight has shape \(5, 2\), but \(4, 2\) is required"),
    ("pick", {"axis": None}, {"data": (2, 3)}, "an axis is required"),
    ("sum", {"axis": 5}, {"data": (2, 3)}, r"axis is \(5,\), but data has 2 axes"),
    ("sum", {"axis": (0, -2)}, {"data": (2, 3)}, "only once"),
    ("cast_storage", {"stype": "csr"}, {"data": (2, 3, 4)}, "a matrix is required"),
    ("_arange", {"start": 5, "stop": 0}, {}, "no number lies"),
    ("gather_nd", {}, {"data": (2, 3), "indices": (3, 4)}, "indices has 3 rows"),
]  # fmt: skip


@pytest.mark.parametrize(("op", "attrs", "shapes", "words"), WRONG)
def test_what_does_not_fit_is_said(op, attrs, shapes, words):
    with pytest.raises(MXNetError, match=words):
        inferred(Shapes, "infer_shape", op, attrs, shapes)
