"""Record what MXNet 1.9.1 answers for layers and losses, at edges that the other records leave out.

    MXNET_SUBGRAPH_BACKEND=NONE python tests/golden/record_nn.py

needs ``mxnet==1.9.1``, which it runs as a black box. ``ops_nn.npz`` holds all arrays end to end,
one blob for each element type; ``ops_nn.json`` says where each begins.
"""

import itertools
import json
import zlib
from pathlib import Path

import mxnet as mx
import numpy as np

HERE = Path(__file__).parent
SPECIAL = [0.0, -0.0, 1.0, -1.0, 30.0, -30.0, 0.25, -100.0, 100.0, 1e-6, -1e-6, 3.5]
CASES = []


def case(op, attrs, *inputs, given=None, dtype="float32", null=(), eval_only=False):
    """Remember a case; ``inputs`` are shapes, ``given`` replaces some of them by numbers."""
    CASES.append((op, attrs, inputs, given or {}, dtype, null, eval_only))


def combinations(**choices):
    """Dictionaries with every choice; None leaves the key out."""
    for values in itertools.product(*choices.values()):
        yield {k: v for k, v in zip(choices, values, strict=True) if v is not None}


# ---- layers -------------------------------------------------------------------------

FC = "FullyConnected"
for dtype in ("float32", "float64"):
    case(FC, {"num_hidden": 2, "no_bias": True}, (3, 4), (2, 4), dtype=dtype)
case(FC, {"num_hidden": 3}, (4,), (3, 1), (3,))
case(FC, {"num_hidden": 1}, (1, 1), (1, 1), (1,))
case(FC, {"num_hidden": 3, "flatten": False}, (2, 4), (3, 4), (3,))
case(FC, {"num_hidden": 3, "flatten": False, "no_bias": True}, (2, 1, 5, 4), (3, 4))

for act in ("relu", "sigmoid", "softrelu", "softsign", "tanh"):
    case("Activation", {"act_type": act}, (12,), given={0: SPECIAL})
    case("Activation", {"act_type": act}, (2, 1, 3), dtype="float64")
for act in ("leaky", "elu", "gelu", "selu"):
    case("LeakyReLU", {"act_type": act, "slope": 0.3}, (3, 4), given={0: SPECIAL})
case("LeakyReLU", {"act_type": "prelu"}, (2, 3, 4), (3,))
case("LeakyReLU", {"act_type": "prelu"}, (2, 3), (1,))
case("Dropout", {"p": 0.0, "axes": (0,)}, (2, 3))

for op in ("softmax", "log_softmax", "softmin"):
    for attrs in combinations(axis=(None, 0, 1), temperature=(None, 2.5)):
        case(op, attrs, (2, 3, 4))
    case(op, {}, (3, 1))
    case(op, {}, (5,), given={0: [1000.0, -1000.0, 0.0, 999.0, 1.0]})
    case(op, {"dtype": "float64"}, (2, 3))
    case(op, {"axis": 1}, (2, 3), dtype="float64")
LENGTHS = {1: np.array([[1, 2, 3, 0], [3, 3, 1, 2]], "int32")}
case("softmax", {"axis": 1, "use_length": True}, (2, 3, 4), (2, 4), given=LENGTHS, null=(1,))
case("SoftmaxActivation", {"mode": "channel"}, (2, 3, 4))
case("SoftmaxActivation", {}, (2, 3))

# ---- convolution and pooling --------------------------------------------------------

WINDOWS = [
    ((7,), {"kernel": (3,)}),
    ((1,), {"kernel": (1,)}),
    ((9,), {"kernel": (2,), "stride": (3,), "pad": (2,), "dilate": (2,)}),
    ((5, 6), {"kernel": (1, 1)}),
    ((5, 6), {"kernel": (1, 1), "stride": (2, 3)}),
    ((5, 6), {"kernel": (1, 1), "pad": (1, 0)}),
    ((5, 6), {"kernel": (2, 3), "stride": (2, 1), "pad": (1, 2), "dilate": (3, 2)}),
    ((3, 1), {"kernel": (3, 1)}),
    ((3, 4, 2), {"kernel": (2, 2, 1), "stride": (1, 2, 1), "pad": (0, 1, 0)}),
]
for (space, window), (groups, no_bias) in itertools.product(WINDOWS, [(1, True), (2, False)]):
    attrs = {**window, "num_filter": 4, "num_group": groups, "no_bias": no_bias}
    bias = () if no_bias else ((4,),)
    channels = 6 if groups == 2 else 3
    data = (2, channels, *space)
    case("Convolution", attrs, data, (4, channels // groups, *window["kernel"]), *bias)
    filters = (channels, 4 // groups, *window["kernel"])
    case("Deconvolution", attrs, data, filters, *bias, eval_only=len(space) == 3)
ADJ = {"kernel": (3, 2), "num_filter": 2, "stride": (2, 3), "pad": (1, 0), "adj": (1, 2)}
case("Deconvolution", ADJ, (1, 2, 3, 4), (2, 2, 3, 2))
case("Convolution", {"kernel": (3,), "num_filter": 2}, (1, 2, 5), (2, 2, 3), (2,), dtype="float64")

POOLS = [
    ((7,), {"kernel": (3,), "stride": (3,), "pad": (1,)}),
    ((5,), {"kernel": (2,), "stride": (4,), "pad": (1,)}),
    ((4,), {"kernel": (1,)}),
    ((6, 5), {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 0)}),
    ((5, 5), {"kernel": (1, 2), "stride": (3, 3)}),
    ((3, 4, 5), {"kernel": (2, 2, 3), "stride": (2, 1, 2), "pad": (1, 0, 1)}),
]
for (space, window), convention in itertools.product(POOLS, ("valid", "full")):
    for kind in ("max", "sum", "lp"):
        attrs = {**window, "pool_type": kind, "pooling_convention": convention}
        case("Pooling", attrs | ({"p_value": 2} if kind == "lp" else {}), (2, 3, *space))
    for counted in (None, False):
        attrs = {**window, "pool_type": "avg", "pooling_convention": convention}
        attrs |= {} if counted is None else {"count_include_pad": counted}
        case("Pooling", attrs, (2, 3, *space))
for kind, space in itertools.product(("max", "avg", "sum"), [(4,), (3, 4), (2, 3, 4)]):
    case("Pooling", {"pool_type": kind, "global_pool": True}, (2, 3, *space))
case("Pooling", {"global_pool": True, "kernel": (2, 2), "stride": (2, 2)}, (2, 3, 4, 5))
for p in (1, 3):
    attrs = {"pool_type": "lp", "p_value": p, "kernel": (2, 2)}
    case("Pooling", attrs, (1, 1, 3, 4), given={0: np.arange(1.0, 13.0).reshape(1, 1, 3, 4)})
for kind in ("max", "avg"):
    attrs = {"pool_type": kind, "kernel": (2, 3), "stride": (2, 1), "layout": "NHWC"}
    case("Pooling", attrs, (2, 4, 5, 3))
    case("Pooling", {"pool_type": kind, "kernel": (2,), "layout": "NWC"}, (2, 5, 3))
TIES = {0: np.ones((1, 1, 3, 3))}
case("Pooling", {"kernel": (2, 2)}, (1, 1, 3, 3), given=TIES)
case("Pooling", {"kernel": (2, 2), "pad": (1, 1)}, (1, 1, 3, 3), given=TIES)
case("Pooling", {"global_pool": True}, (1, 1, 3, 3), given=TIES)

# ---- normalisation ------------------------------------------------------------------

for attrs in combinations(
    fix_gamma=(True, False), use_global_stats=(None, True), output_mean_var=(None, True)
):
    case("BatchNorm", attrs, (4, 3, 2), *[(3,)] * 4)
case("BatchNorm", {"fix_gamma": False, "axis": 0, "eps": 0.1}, (4, 3), *[(4,)] * 4)
case("BatchNorm", {"fix_gamma": False, "axis": -1, "momentum": 0.3}, (4, 3), *[(3,)] * 4)
case("BatchNorm", {"fix_gamma": False}, (1, 3), *[(3,)] * 4)
case("BatchNorm", {"fix_gamma": False}, (3, 1, 4), *[(1,)] * 4)
case("LayerNorm", {"axis": 1, "eps": 0.1, "output_mean_var": True}, (2, 3, 4), (3,), (3,))
case("LayerNorm", {"axis": 0}, (4,), (4,), (4,))
case("LayerNorm", {}, (2, 1), (1,), (1,))
case("InstanceNorm", {"eps": 0.1}, (2, 3, 4, 2), (3,), (3,))
case("GroupNorm", {"num_groups": 2, "output_mean_var": True}, (2, 4, 3), (2,), (2,))
case("GroupNorm", {"num_groups": 1, "eps": 0.1}, (2, 4, 3, 2), (1,), (1,))
for mode in ("instance", "channel", "spatial"):
    case("L2Normalization", {"mode": mode, "eps": 0.1}, (2, 3, 4))
case("L2Normalization", {}, (3, 4))
case("LRN", {"nsize": 5, "alpha": 0.5, "beta": 1.5, "knorm": 1}, (1, 6, 2, 3))
case("LRN", {"nsize": 9, "alpha": 0.5}, (1, 3, 2, 2))
case("LRN", {"nsize": 1, "alpha": 0.5}, (1, 3, 2, 2))

# ---- losses -------------------------------------------------------------------------

ODD_LABELS = {1: [-1.0, 0.0, 3.0, 1.7, 2.0]}
NORMALIZATIONS = ("null", "batch", "valid")
for attrs in combinations(use_ignore=(None, True), normalization=NORMALIZATIONS):
    attrs["ignore_label"] = 2
    case("SoftmaxOutput", attrs, (5, 3), (5,), given=ODD_LABELS)
    positions = {1: np.array([[1, 2, 0, 1], [0, 1, 2, 0]])}
    case("SoftmaxOutput", {**attrs, "multi_output": True}, (2, 3, 4), (2, 4), given=positions)
    rows = {1: np.array([[1, 2, 3], [0, 1, 2]])}
    case("SoftmaxOutput", {**attrs, "preserve_shape": True}, (2, 3, 4), (2, 3), given=rows)
    case("SoftmaxOutput", attrs, (2, 3, 4), (2, 3), given=rows)
SMOOTH = {"smooth_alpha": 0.3, "use_ignore": True, "grad_scale": 2}
case("SoftmaxOutput", SMOOTH, (5, 3), (5,), given=ODD_LABELS)
for shape in [(2, 1, 2, 2), (2, 2, 2), (2, 4)]:
    labels = {1: np.array([0, 2, 1, 1, 0, 2, 1, 0]).reshape(shape)}
    attrs = {"multi_output": True, "smooth_alpha": 0.1}
    case("SoftmaxOutput", attrs, (2, 3, 2, 2), shape, given=labels)
case("SoftmaxOutput", {"multi_output": True}, (4, 3), (4, 1), given={1: [[0], [2], [1], [1]]})
for attrs in ({}, {"multi_output": True}, {"preserve_shape": True}, {"grad_scale": 3}):
    case("SoftmaxOutput", {**attrs, "normalization": "batch"}, (2, 3, 4), (2, 3, 4))
case("SoftmaxOutput", {}, (2, 1), (2,), given={1: [0, 0]})

SHAPES = [((4, 1), (4,)), ((4,), (4, 1)), ((4, 3), (4, 3)), ((2, 6), (2, 2, 3)), ((1,), (1,))]
for kind, (data, label) in itertools.product(("Linear", "Logistic", "MAE"), SHAPES):
    case(f"{kind}RegressionOutput", {"grad_scale": 2.5}, data, label)
case("LogisticRegressionOutput", {}, (12,), (12,), given={0: SPECIAL})
case("MAERegressionOutput", {}, (3,), (3,), given={0: [1, 2, 3], 1: [1, 3, 2]})
for attrs in combinations(
    use_linear=(None, True), margin=(None, 0.5), regularization_coefficient=(None, 2)
):
    case("SVMOutput", attrs, (5, 3), (5,), given=ODD_LABELS)
case("SVMOutput", {}, (2, 3, 4), (2, 3), given={1: np.array([[1, 2, 3], [0, 1, 2]])})
for attrs in combinations(normalization=NORMALIZATIONS, valid_thresh=(None, 0.3)):
    case("MakeLoss", {**attrs, "grad_scale": 3}, (4, 3))
case("MakeLoss", {"normalization": "valid"}, (2, 2), given={0: -np.ones((2, 2))})
case("make_loss", {}, (2, 3), dtype="float64")
CLASSES = {1: [0, 2, 1, 2]}
case("softmax_cross_entropy", {}, (4, 3), (4,), given=CLASSES, null=(1,))


# ---- running ------------------------------------------------------------------------


def answer(op, attrs, inputs, given, dtype, null, eval_only):
    """(arguments and auxiliary states in order, arrays by key)."""
    names = [f"in{i}" for i in range(len(inputs))]
    symbol = getattr(mx.sym, op)(*map(mx.sym.var, names), name="op", **attrs)
    rng = np.random.default_rng(zlib.crc32(repr((op, attrs, inputs)).encode()))
    values = {}
    for i, (name, shape) in enumerate(zip(names, inputs, strict=True)):
        made = rng.uniform(-1, 1, shape) if i not in given else np.asarray(given[i])
        if name in symbol.list_auxiliary_states():
            made = np.abs(made) + 0.5
        kept = made.dtype if made.dtype.name == "int32" else dtype
        values[name] = made.astype(kept).reshape(shape)
    arguments, aux = symbol.list_arguments(), symbol.list_auxiliary_states()
    request = {n: "null" if names.index(n) in null else "write" for n in arguments}
    arrays = dict(values)
    bound = symbol.bind(
        mx.cpu(),
        {n: mx.nd.array(values[n], dtype=values[n].dtype) for n in arguments},
        {n: mx.nd.zeros(values[n].shape, dtype=values[n].dtype) for n in arguments},
        request,
        {n: mx.nd.array(values[n], dtype=values[n].dtype) for n in aux},
    )
    evaluated = [o.asnumpy() for o in bound.forward(is_train=False)]
    arrays.update({f"out_eval{i}": o for i, o in enumerate(evaluated)})
    if not eval_only:
        trained = [o.asnumpy() for o in bound.forward(is_train=True)]
        if any((a != b).any() for a, b in zip(evaluated, trained, strict=True)):
            arrays.update({f"out_train{i}": o for i, o in enumerate(trained)})
        heads = [rng.uniform(-1, 1, o.shape).astype(o.dtype) for o in trained]
        bound.backward([mx.nd.array(h, dtype=h.dtype) for h in heads])
        arrays.update({f"head{i}": h for i, h in enumerate(heads)})
        for n in arguments:
            if request[n] == "write":
                arrays[f"grad_{n}"] = bound.grad_dict[n].asnumpy()
        arrays.update({f"aux_after_{n}": bound.aux_dict[n].asnumpy() for n in aux})
    return arguments + aux, arrays


def name_of(op, attrs, inputs):
    words = ",".join(f"{k}={v}" for k, v in attrs.items()).replace(" ", "")
    return "/".join(["nn", op, words, *("x".join(map(str, shape)) for shape in inputs)])


def main():
    blobs, lines, names = {}, [], set()
    for op, attrs, inputs, *rest in CASES:
        order, arrays = answer(op, attrs, inputs, *rest)
        name = name_of(op, attrs, inputs)
        names.add(name := name if name not in names else f"{name}/again")
        places = {}
        for key, array in arrays.items():
            dtype = array.dtype.name
            start = sum(a.size for a in blobs.setdefault(dtype, []))
            blobs[dtype].append(array.reshape(-1))
            places[key] = [dtype, start, list(array.shape)]
        lines.append(
            json.dumps(
                {
                    "id": name,
                    "op": op,
                    "attrs": {k: str(v) for k, v in attrs.items()},
                    "arguments": order,
                    "arrays": places,
                },
                separators=(",", ":"),
            )
        )
    merged = {k: np.concatenate(v) for k, v in blobs.items()}
    np.savez_compressed(HERE / "ops_nn.npz", **merged)
    (HERE / "ops_nn.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
