"""Cases of ``symgraph/ops/{conv,pool}.py``; ``tests/kernels`` has the independent formulas."""

from ops.harness import Case

SPACES = {1: (7,), 2: (5, 7), 3: (3, 5, 4)}


def convolution(attrs, space, *, channels=3, groups=1, last=False, op="Convolution"):
    kernel, filters = attrs["kernel"], 4
    out, into = (filters, channels) if op == "Convolution" else (channels, filters)
    data, weight = (2, channels, *space), (out, into // groups, *kernel)
    if last:
        data, weight = (2, *space, channels), (weight[0], *kernel, weight[1])
    inputs = {"data": data, "weight": weight}
    if not attrs.get("no_bias", op == "Deconvolution"):
        inputs["bias"] = (filters,)
    return Case(op, inputs, {"num_filter": filters, "num_group": groups, **attrs}, rtol=10)


CONVOLUTIONS = [
    convolution({"kernel": (3,)}, (7,)),
    convolution({"kernel": (2,), "stride": (3,), "pad": (2,), "dilate": (2,)}, (7,)),
    convolution({"kernel": (2, 3), "no_bias": True}, (5, 7)),
    convolution({"kernel": (2, 3), "stride": (2, 1), "pad": (1, 2), "dilate": (3, 2)}, (5, 7)),
    convolution({"kernel": (1, 1)}, (5, 7)),
    convolution({"kernel": (1, 1), "stride": (2, 3)}, (5, 7)),
    convolution({"kernel": (3, 2)}, (5, 7), channels=6, groups=2),
    convolution({"kernel": (3, 2), "pad": (1, 1)}, (5, 7), channels=4, groups=4),
    convolution({"kernel": (2, 1, 3), "stride": (1, 2, 1)}, (3, 5, 4)),
    convolution({"kernel": (2, 3), "layout": "NHWC"}, (5, 7), channels=6, groups=2, last=True),
    convolution({"kernel": (2, 1, 3), "layout": "NDHWC"}, (3, 5, 4), last=True),
]


def deconvolution(attrs, space, **more):
    return convolution(attrs, space, op="Deconvolution", **more)


DECONVOLUTIONS = [
    deconvolution({"kernel": (3,), "stride": (2,)}, (5,)),
    deconvolution({"kernel": (2, 3), "no_bias": False, "pad": (0, 1)}, (3, 4)),
    deconvolution(
        {"kernel": (3, 2), "stride": (2, 3), "pad": (1, 0), "adj": (1, 2), "dilate": (1, 2)}, (3, 4)
    ),
    deconvolution({"kernel": (4, 4), "stride": (2, 2), "target_shape": (5, 8)}, (3, 4)),
    deconvolution({"kernel": (3, 2)}, (3, 4), channels=6, groups=2),
    deconvolution({"kernel": (2, 1, 2)}, (3, 4, 5)),
    deconvolution({"kernel": (2, 3), "layout": "NHWC"}, (3, 4), last=True),
]


def pooling(attrs, space=(5, 7), last=False):
    data = (2, *space, 3) if last else (2, 3, *space)
    if attrs["pool_type"] == "lp":
        attrs = {"p_value": 2, **attrs}
    return Case("Pooling", {"data": data}, attrs, rtol=10)


POOLINGS = [
    pooling({"pool_type": kind, **attrs}, space)
    for kind in ("max", "avg", "sum", "lp")
    for attrs, space in [
        ({"kernel": (2,), "stride": (2,), "pad": (1,)}, (7,)),
        ({"kernel": (2, 3)}, (5, 7)),
        ({"kernel": (2, 3), "stride": (3, 2), "pad": (0, 1), "pooling_convention": "full"}, (5, 7)),
        ({"kernel": (2, 3), "stride": (3, 2), "pooling_convention": "same"}, (5, 7)),
        ({"kernel": (2, 1, 3), "stride": (1, 2, 1)}, (3, 5, 4)),
        ({"global_pool": True}, (3, 4)),
        ({"global_pool": True, "kernel": (2, 2), "pad": (1, 1)}, (3, 4)),
    ]
] + [
    pooling({"pool_type": "avg", "kernel": (2, 3), "pad": (1, 1), "count_include_pad": False}),
    pooling({"pool_type": "lp", "kernel": (2, 3), "p_value": 3}),
    pooling({"pool_type": "max", "kernel": (2, 3), "layout": "NHWC"}, last=True),
    pooling({"pool_type": "lp", "kernel": (2, 3), "layout": "NHWC"}, last=True),
    pooling({"pool_type": "avg", "kernel": (2,), "layout": "NWC"}, (7,), last=True),
]

CASES = CONVOLUTIONS + DECONVOLUTIONS + POOLINGS
