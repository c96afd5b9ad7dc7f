"""Cases of ``symgraph/ops/elemwise.py``."""

import numpy as np
from scipy import special

from ops.harness import FLOATS, Case, Given, Integers, Uniform

S = (3, 4, 2)
ALL_TYPES = ("float64", "float32", "float16", "int32", "int64", "int8", "uint8")

FORMULAS = {
    "abs": np.abs,
    "sign": np.sign,
    "negative": np.negative,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "fix": np.trunc,
    "square": np.square,
    "cbrt": np.cbrt,
    "exp": np.exp,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "arcsinh": np.arcsinh,
    "degrees": np.degrees,
    "radians": np.radians,
    "erf": special.erf,
    "gamma": special.gamma,
    "gammaln": special.gammaln,
    "relu": lambda x: np.where(x > 0, x, 0),
    "sigmoid": special.expit,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "logical_not": np.logical_not,
}
POSITIVE = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x**-0.5,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "reciprocal": lambda x: 1 / x,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "gamma": special.gamma,
    "gammaln": special.gammaln,
}
WITHIN_ONE = {
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctanh": np.arctanh,
    "erfinv": special.erfinv,
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "mod": np.mod,
    "power": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "hypot": np.hypot,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "lesser": np.less,
    "lesser_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
WORDS = {"add": "plus", "sub": "minus"}
REVERSED = ("sub", "div", "mod", "power")
ARITHMETIC = ("add", "sub", "mul", "div")
DISCRETE = [n for n in BINARY if n not in (*ARITHMETIC, "mod", "power", "hypot")]
EXACT = [n for n in BINARY if n not in ("div", "power", "hypot")]


def unary(name, formula, low, high):
    maker = Uniform(S, low, high)
    return Case(name, {"data": maker}, expected=lambda data: formula(data), name=f"{low}..{high}")


def pair(name, lhs, rhs):
    """Inputs in the domain; small whole numbers where equality matters."""
    if name in DISCRETE:
        return Integers(lhs, 0, 3), Integers(rhs, 0, 3)
    if name in ("power", "div", "mod", "hypot"):
        return Uniform(lhs, 0.5, 2), Uniform(rhs, 0.6, 2.1)
    return Uniform(lhs), Uniform(rhs)


def binary_cases():
    for name, formula in BINARY.items():
        f = lambda lhs, rhs, formula=formula: formula(lhs, rhs)
        lhs, rhs = pair(name, S, S)
        wrt = () if name in DISCRETE and name not in ("maximum", "minimum") else None
        elementwise = f"elemwise_{name}" if name in ARITHMETIC else f"_{name}"
        types = ALL_TYPES if name in EXACT and name in DISCRETE else FLOATS
        sides = {"lhs": lhs, "rhs": rhs}
        yield Case(elementwise, sides, expected=f, differentiate=wrt, dtypes=types)
        for shapes in (((3, 1, 2), (4, 1)), ((2,), (3, 4, 1)), (S, S)):
            lhs, rhs = pair(name, *shapes)
            yield Case(
                f"broadcast_{name}",
                {"lhs": lhs, "rhs": rhs},
                expected=f,
                differentiate=wrt,
                name=f"{shapes[0]}-{shapes[1]}".replace(" ", ""),
            )
        data, _ = pair(name, S, S)
        for scalar in (1.0, 1.5) if name in DISCRETE else (1.5,):
            yield Case(
                f"_{WORDS.get(name, name)}_scalar",
                {"data": data},
                {"scalar": scalar},
                expected=lambda data, formula=formula, scalar=scalar: formula(data, scalar),
                differentiate=wrt,
            )
        if name in REVERSED:
            yield Case(
                f"_r{WORDS.get(name, name)}_scalar",
                {"data": data},
                {"scalar": 1.5},
                expected=lambda data, formula=formula: formula(1.5, data),
            )


M = (4, 3)  # a matrix, so that csr bodies run too
CASES = [
    *(unary(name, f, -2, 2) for name, f in FORMULAS.items()),
    *(unary(name, f, 0.4, 3) for name, f in POSITIVE.items()),
    *(unary(name, f, -0.9, 0.9) for name, f in WITHIN_ONE.items()),
    unary("gamma", special.gamma, -2.9, -2.1),
    unary("gammaln", special.gammaln, 3, 40),
    unary("erf", special.erf, -1e-3, 1e-3),
    unary("erf", special.erf, 2, 6),
    unary("arccosh", np.arccosh, 1.2, 3),
    *(
        Case(name, {"data": M}, name="matrix", dtypes=("float64",))
        for name in (*FORMULAS, *WITHIN_ONE, "round", "rint", "zeros_like", "identity", "BlockGrad")
        if name not in WITHIN_ONE
    ),
    *(
        Case(name, {"data": Uniform(M, -0.9, 0.9)}, name="matrix", dtypes=("float64",))
        for name in (*WITHIN_ONE, "log1p")
    ),
    Case("sqrt", {"data": Uniform(M, 0.1, 2)}, name="matrix", dtypes=("float64",)),
    *(
        Case(f"elemwise_{n}", {"lhs": M, "rhs": M}, name="matrix", dtypes=("float64",))
        for n in ("add", "sub", "mul")
    ),
    *(
        Case(f"broadcast_{n}", {"lhs": M, "rhs": Uniform((4, 1), 0.5, 2)}, name="matrix")
        for n in ("mul", "div")
    ),
    *(
        Case(op, {"data": M}, {"scalar": scalar}, name=f"matrix-{scalar}", dtypes=("float64",))
        for op, scalar in (
            ("_mul_scalar", 3),
            ("_div_scalar", 2),
            ("_plus_scalar", 0),
            ("_minus_scalar", 0),
            ("_greater_scalar", 0.5),
            ("_lesser_scalar", -0.5),
            ("_greater_equal_scalar", 0.5),
            ("_lesser_equal_scalar", -0.5),
            ("_equal_scalar", 1),
            ("_not_equal_scalar", 0),
        )
    ),
    Case(
        "round",
        {"data": Given([0.5, -0.5, 1.5, 2.5, -2.5, 0.2, -7.8, 4e7, np.inf, -np.inf])},
        expected=lambda data: [1, -1, 2, 3, -3, 0, -8, 4e7, np.inf, -np.inf],
        dtypes=("float64", "float32"),
    ),
    Case(
        "round",
        {"data": Given([0.49999997, 8388609.0, -8388609.0])},
        name="hard",
        expected=lambda data: [0, 8388609, -8388609],
        dtypes=("float64", "float32"),
    ),
    Case(
        "rint",
        {"data": Given([0.5, -0.5, 1.5, 2.5, -2.5, 0.2, -7.8, 8388609.0, np.inf])},
        expected=lambda data: [0, -1, 1, 2, -3, 0, -8, 8388609, np.inf],
        dtypes=("float64", "float32"),
    ),
    Case(
        "hard_sigmoid",
        {"data": Uniform(S, -4, 4)},
        {"alpha": 0.3},
        expected=lambda data: np.clip(0.3 * data + 0.5, 0, 1),
    ),
    Case(
        "clip",
        {"data": M},
        {"a_min": -0.5, "a_max": 1},
        expected=lambda data: np.clip(data, -0.5, 1),
        dtypes=ALL_TYPES[:6],
    ),
    Case(
        "smooth_l1",
        {"data": S},
        {"scalar": 1.5},
        expected=lambda data: np.where(
            np.abs(data) < 1 / 2.25, 0.5 * (1.5 * data) ** 2, np.abs(data) - 0.5 / 2.25
        ),
    ),
    Case(
        "sqrt",
        {"data": Integers(S, 0, 9, "int32")},
        name="integers",
        expected=lambda data: np.sqrt(data).astype(int),
        dtypes=("int32",),
    ),
    Case("relu", {"data": Integers(S, -3, 4)}, name="integers", dtypes=ALL_TYPES[:6]),
    *(
        Case(
            f"_{name}",
            {"lhs": Integers(S, 1, 9), "rhs": Integers(S, 1, 4)},
            name="integers",
            expected=lambda lhs, rhs, f=f: f(lhs, rhs),
            differentiate=(),
            dtypes=("int32", "int64", "uint8"),
        )
        for name, f in (("div", lambda a, b: a // b), ("mod", np.mod), ("power", np.power))
    ),
    Case(
        "_mul_scalar",
        {"data": Given([1, 2, -3], "int32")},
        {"scalar": 1.5},
        name="integers",  # MXNet cuts off the number
        expected=lambda data: [1, 2, -3],
        dtypes=("int32",),
    ),
    Case(
        "_plus_scalar",
        {"data": Given([1, 250], "uint8")},
        {"scalar": 300},
        name="wraps",
        expected=lambda data: [45, 38],
        dtypes=("uint8",),
    ),
    *binary_cases(),
    Case(
        "_mod",
        {"lhs": Given([5.0, -5, 5, -5, 5.5]), "rhs": Given([3.0, 3, -3, -3, 0])},
        name="signs",
        expected=lambda lhs, rhs: [2, 1, -1, -2, 0],
    ),
    Case("_power_scalar", {"data": Uniform(S, 0.5, 2)}, {"scalar": 2}),
    Case("_power_scalar", {"data": Uniform(S, 0.5, 2)}, {"scalar": 0.5}),
    Case("_power_scalar", {"data": Uniform(S, 0.5, 2)}, {"scalar": -1}),
    Case("_copy", {"data": S}, expected=lambda data: data, dtypes=ALL_TYPES),
    Case("BlockGrad", {"data": S}, expected=lambda data: data),
    Case("Cast", {"data": S}, {"dtype": "float16"}, rtol=1e9),
    Case("Cast", {"data": S}, {"dtype": "float64"}),
    Case(
        "Cast",
        {"data": Given([1.7, -1.7, 0.2])},
        {"dtype": "int32"},
        expected=lambda data: [1, -1, 0],
        differentiate=(),
    ),
    Case(
        "Cast",
        {"data": Given([0.5, 0, 2])},
        {"dtype": "bool"},
        expected=lambda data: [1, 0, 1],
        differentiate=(),
    ),
    Case("add_n", {"arg0": S}, {"num_args": 1}, expected=lambda arg0: arg0),
    Case(
        "add_n",
        {"arg0": S, "arg1": S, "arg2": S},
        {"num_args": 3},
        expected=lambda **args: sum(args.values()),
    ),
    Case(
        "where",
        {"condition": Integers(S, 0, 2), "x": S, "y": S},
        expected=lambda condition, x, y: np.where(condition, x, y),
    ),
    Case(
        "where",
        {"condition": Integers((3,), 0, 2, "int32"), "x": S, "y": S},
        name="rows",
        expected=lambda condition, x, y: np.where(condition[:, None, None], x, y),
    ),
]
