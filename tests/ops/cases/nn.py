"""Cases of ``symgraph/ops/{nn,activation,softmax,normalize}.py``."""

import numpy as np
from scipy import special

from ops.harness import Case, Given, Uniform

S = (3, 4, 2)
WIDE = Given(np.linspace(-6, 6, 10).reshape(2, 5) + 0.01)
EXACT = ("float64", "float32")  # where float16 data comes with float32 parameters
POSITIVE = Uniform((4,), 0.5, 2.0)


def fc(data, weight, bias, flatten=True):
    rows = data.reshape(len(data), -1) if flatten else data
    return rows @ weight.T + bias


def normal(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def batch_norm(name, attrs, shape=S, axis=1, **more):
    vector = (shape[axis],)
    inputs = {"data": shape, "gamma": vector, "beta": vector}
    inputs |= {"moving_mean": vector, "moving_var": Uniform(vector, 0.5, 2.0)}
    return Case("BatchNorm", inputs, attrs, name, dtypes=EXACT, rtol=10, **more)


def batch_normed(data, gamma, beta, moving_mean, moving_var):
    return normal(data, (0, 2), 1e-3) * gamma[:, None] + beta[:, None]


def globally_normed(data, gamma, beta, moving_mean, moving_var):
    scale = 1 / np.sqrt(moving_var + 1e-3)
    return (data - moving_mean[:, None]) * scale[:, None] + beta[:, None]


def layer_normed(data, gamma, beta):
    return normal(data, -1, 1e-5) * gamma + beta


def instance_normed(data, gamma, beta):
    return normal(data, (2, 3), 1e-3) * gamma[:, None, None] + beta[:, None, None]


def group_normed(data, gamma, beta):
    groups = normal(data.reshape(3, 2, -1), 2, 1e-5) * gamma[:, None] + beta[:, None]
    return groups.reshape(data.shape)


def response_normed(data):
    squares = np.pad(data**2, ((0, 0), (1, 1), (0, 0)))
    near = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    return data / (2 + 0.5 / 3 * near) ** 0.75


FULLY_CONNECTED = [
    Case(
        "FullyConnected",
        {"data": S, "weight": (5, 8), "bias": (5,)},
        {"num_hidden": 5},
        expected=fc,
    ),
    Case(
        "FullyConnected",
        {"data": S, "weight": (5, 2), "bias": (5,)},
        {"num_hidden": 5, "flatten": False},
        expected=lambda data, weight, bias: fc(data, weight, bias, flatten=False),
    ),
    Case(
        "FullyConnected",
        {"data": (3, 4), "weight": (5, 4)},
        {"num_hidden": 5, "no_bias": True},
        expected=lambda data, weight: data @ weight.T,
    ),
    Case(
        "FullyConnected",
        {"data": (3,), "weight": (5, 1), "bias": (5,)},
        {"num_hidden": 5},
        "vector",
        expected=fc,
    ),
    Case(
        "FullyConnected",
        {"data": (3, 4), "weight": (1, 4), "bias": (1,)},
        {"num_hidden": 1},
        "one",
        expected=fc,
    ),
]

ACTIVATIONS = (
    [
        Case("Activation", {"data": WIDE}, {"act_type": kind}, differentiate=("data",), expected=f)
        for kind, f in {
            "relu": lambda data: np.where(data > 0, data, 0),
            "sigmoid": lambda data: special.expit(data),
            "softrelu": lambda data: np.log1p(np.exp(data)),
            "softsign": lambda data: data / (1 + np.abs(data)),
            "tanh": lambda data: np.tanh(data),
        }.items()
    ]
    + [
        Case("LeakyReLU", {"data": WIDE}, attrs, differentiate=("data",), expected=f)
        for attrs, f in [
            ({}, lambda data: np.where(data > 0, data, data / 4)),
            (
                {"act_type": "elu", "slope": 0.3},
                lambda data: np.where(data > 0, data, 0.3 * np.expm1(data)),
            ),
            ({"act_type": "selu"}, lambda data: special_selu(data)),
            ({"act_type": "gelu"}, lambda data: data * special.ndtr(data)),
        ]
    ]
    + [
        Case(
            "LeakyReLU",
            {"data": S, "gamma": (4,)},
            {"act_type": "prelu"},
            expected=lambda data, gamma: np.where(data > 0, data, data * gamma[:, None]),
        ),
        Case(
            "LeakyReLU",
            {"data": S, "gamma": (1,)},
            {"act_type": "prelu"},
            "one-gamma",
            expected=lambda data, gamma: np.where(data > 0, data, data * gamma),
        ),
        Case("LeakyReLU", {"data": (5,), "gamma": (5,)}, {"act_type": "prelu"}, "prelu-vector"),
        Case("LeakyReLU", {"data": S}, {"act_type": "rrelu"}),
        Case(
            "LeakyReLU",
            {"data": S},
            {"act_type": "rrelu", "lower_bound": 0.1, "upper_bound": 0.5},
            is_train=False,
            expected=lambda data: np.where(data > 0, data, 0.3 * data),
        ),
    ]
)


def special_selu(data):
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return scale * np.where(data > 0, data, alpha * np.expm1(data))


DROPOUTS = [
    Case("Dropout", {"data": S}),
    Case("Dropout", {"data": S}, {"p": 0.3, "axes": (0, 2)}),
    Case("Dropout", {"data": S}, {"mode": "always"}, is_train=False),
    Case("Dropout", {"data": S}, {}, "evaluating", is_train=False, expected=lambda data: data),
    Case("Dropout", {"data": S}, {"p": 0.0}, expected=lambda data: data),
    Case("Dropout", {"data": S}, {"p": 1.0}, expected=lambda data: 0 * data),
]

LENGTHS = Given([[1, 2], [4, 0], [3, 4]], "int32")


def masked(data, length):
    there = np.arange(4)[:, None] < length[:, None]
    weights = np.exp(data) * there
    return weights / np.maximum(weights.sum(1, keepdims=True), 1e-300)


SOFTMAXES = [
    Case("softmax", {"data": S}, expected=lambda data: special.softmax(data, -1)),
    Case("softmax", {"data": S}, {"axis": 1}, expected=lambda data: special.softmax(data, 1)),
    Case(
        "softmax",
        {"data": S},
        {"temperature": 2},
        expected=lambda data: special.softmax(data / 2, -1),
    ),
    Case(
        "softmax", {"data": S, "length": LENGTHS}, {"axis": 1, "use_length": True}, expected=masked
    ),
    Case("softmax", {"data": (3, 1)}, {}, "one-class", expected=lambda data: np.ones((3, 1))),
    Case("softmax", {"data": (5,)}, {}, "vector", expected=lambda data: special.softmax(data)),
    Case("softmax", {"data": S}, {"dtype": "float64"}, dtypes=("float64", "float32")),
    Case(
        "softmax",
        {"data": S},
        {"dtype": "float16"},
        dtypes=("float32",),
        differentiate=(),
    ),
    Case("softmin", {"data": S}, {"axis": 0}, expected=lambda data: special.softmax(-data, 0)),
    Case(
        "softmin",
        {"data": S},
        {"temperature": 0.5},
        expected=lambda data: special.softmax(-2 * data, -1),
    ),
    Case(
        "log_softmax", {"data": S}, {"axis": 1}, expected=lambda data: special.log_softmax(data, 1)
    ),
    Case(
        "log_softmax",
        {"data": S},
        {"temperature": 2},
        expected=lambda data: special.log_softmax(data / 2, -1),
    ),
    Case("SoftmaxActivation", {"data": S}, expected=lambda data: special.softmax(data, -1)),
    Case(
        "SoftmaxActivation",
        {"data": S},
        {"mode": "channel"},
        expected=lambda data: special.softmax(data, 1),
    ),
]

NORMS = [
    batch_norm("scaled", {"fix_gamma": False}, expected=batch_normed),
    batch_norm("", {}),
    batch_norm("", {"fix_gamma": False, "axis": -1, "eps": 0.1}, axis=-1),
    batch_norm("", {"fix_gamma": False, "axis": 0, "output_mean_var": True}, axis=0),
    batch_norm("", {"use_global_stats": True}, expected=globally_normed),
    batch_norm("", {"fix_gamma": False, "use_global_stats": True}),
    batch_norm("evaluating", {}, is_train=False, expected=globally_normed),
    batch_norm("matrix", {"fix_gamma": False}, (5, 3)),
    Case("LayerNorm", {"data": S, "gamma": (2,), "beta": (2,)}, expected=layer_normed, rtol=100),
    Case(
        "LayerNorm",
        {"data": S, "gamma": (4,), "beta": (4,)},
        {"axis": 1, "eps": 0.1, "output_mean_var": True},
        rtol=10,
    ),
    Case(
        "InstanceNorm",
        {"data": (3, 4, 2, 5), "gamma": (4,), "beta": (4,)},
        expected=instance_normed,
        rtol=10,
    ),
    Case(
        "GroupNorm",
        {"data": (3, 4, 5), "gamma": (2,), "beta": (2,)},
        {"num_groups": 2},
        expected=group_normed,
        rtol=10,
    ),
    Case(
        "GroupNorm",
        {"data": (3, 4, 5), "gamma": (1,), "beta": (1,)},
        {"output_mean_var": True, "eps": 0.1},
        rtol=10,
    ),
    *(
        Case(
            "L2Normalization",
            {"data": S},
            {"mode": mode},
            expected=lambda data, axes=axes: (
                data / np.sqrt((data**2).sum(axes, keepdims=True) + 1e-10)
            ),
        )
        for mode, axes in {"instance": (1, 2), "channel": (1,), "spatial": (2,)}.items()
    ),
    Case("LRN", {"data": (3, 5, 2)}, {"nsize": 3, "alpha": 0.5}, expected=response_normed),
    Case("LRN", {"data": (3, 4)}, {"nsize": 9, "alpha": 0.5, "beta": 1.5, "knorm": 1}),
]

CASES = FULLY_CONNECTED + ACTIVATIONS + DROPOUTS + SOFTMAXES + NORMS
