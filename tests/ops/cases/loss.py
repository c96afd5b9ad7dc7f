"""Cases of ``symgraph/ops/{loss,regression}.py``; ``test_losses.py`` has the losses themselves."""

import numpy as np
from scipy import special

from ops.harness import Case, Given, Integers, Uniform

FIVE = Given([0, 2, 1, -1, 3])
DATA = (5, 3)


def softmax_output(attrs, data=DATA, label=FIVE, name="", axis=1):
    return Case(
        "SoftmaxOutput",
        {"data": data, "label": label},
        attrs,
        name,
        differentiate=(),
        expected=lambda data, label: special.softmax(data, axis),
    )


CLASSES = [
    softmax_output({}),
    softmax_output({"grad_scale": 2, "normalization": "batch", "smooth_alpha": 0.2}),
    softmax_output({"normalization": "valid", "use_ignore": True, "ignore_label": 2}),
    softmax_output({"normalization": "valid"}, name="all-ignored", label=Given([-1] * 5)),
    softmax_output({"out_grad": True, "grad_scale": 3}),
    softmax_output({}, label=Uniform(DATA, 0, 1), name="probabilities"),
    softmax_output({}, (5, 1), Given([0] * 5), "one-class"),
    *(
        softmax_output({"multi_output": True, **more}, (2, 3, 4, 5), Integers(label, 0, 3), name)
        for more, label, name in [
            ({}, (2, 20), "flat"),
            ({"smooth_alpha": 0.3}, (2, 4, 5), ""),
            ({"use_ignore": True, "ignore_label": 1, "normalization": "batch"}, (2, 1, 4, 5), ""),
            ({"use_ignore": True, "ignore_label": 1, "normalization": "valid"}, (2, 20), ""),
            ({"out_grad": True}, (2, 4, 5), ""),
        ]
    ),
    softmax_output({"preserve_shape": True}, (2, 3, 4), Integers((2, 3), 0, 4), axis=2),
    softmax_output({}, (2, 3, 4), Integers((2, 3), 0, 4), "flattened", axis=(1, 2)),
    *(
        Case(
            "SVMOutput",
            {"data": data, "label": label},
            attrs,
            name,
            expected=lambda data, label: data,
        )
        for attrs, data, label, name in [
            ({}, DATA, FIVE, ""),
            ({"use_linear": True, "margin": 0.5}, DATA, FIVE, ""),
            ({"regularization_coefficient": 2}, (2, 3, 4), Integers((2, 3), 0, 4), ""),
        ]
    ),
    Case(
        "softmax_cross_entropy",
        {"data": DATA, "label": Given([0, 2, 1, 2, 0])},
        expected=lambda data, label: (
            -special.log_softmax(data, 1)[np.arange(5), label.astype(int)].sum(keepdims=True)
        ),
    ),
    Case("softmax_cross_entropy", {"data": DATA, "label": FIVE}, {}, "no-class"),
]

REGRESSIONS = [
    Case(
        f"{kind}RegressionOutput",
        {"data": data, "label": label},
        {"grad_scale": 2},
        f"{data}-{label}".replace(" ", ""),
        expected=lambda data, label, link=link: link(data),
    )
    for kind, link in {"Linear": np.copy, "Logistic": special.expit, "MAE": np.copy}.items()
    for data, label in [((3, 4), (3, 4)), ((3, 1), (3,)), ((3,), (3, 1)), ((3, 4), (3, 2, 2))]
]

FREE = [
    Case("MakeLoss", {"data": (3, 4)}, attrs, expected=lambda data: data)
    for attrs in (
        {},
        {"grad_scale": 2, "normalization": "batch"},
        {"normalization": "valid", "valid_thresh": 0.5},
    )
] + [Case("make_loss", {"data": (3, 4)}, expected=lambda data: data)]

CASES = CLASSES + REGRESSIONS + FREE
