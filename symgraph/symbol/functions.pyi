# Written by `python -m symgraph.symbol.stub`. Do not edit.
# ruff: noqa

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from symgraph.ops.attrs import AttrSpec
from symgraph.ops.op import Op
from symgraph.symbol.symbol import Symbol

NAMESPACES: dict[str, str]

def names_in(namespace: str) -> list[str]: ...
def lookup(namespace: str, name: str) -> Callable[..., Symbol]: ...
def make(called: str, name: str) -> Callable[..., Symbol]: ...
def signature(cls: type[Op]) -> inspect.Signature: ...
def docstring(cls: type[Op], name: str) -> str: ...
def describe(spec: AttrSpec) -> list[str]: ...

__all__ = [
    "Activation",
    "BatchNorm",
    "BlockGrad",
    "Cast",
    "Concat",
    "Convolution",
    "Deconvolution",
    "Dropout",
    "ElementWiseSum",
    "Embedding",
    "Flatten",
    "FullyConnected",
    "GroupNorm",
    "InstanceNorm",
    "L2Normalization",
    "LRN",
    "LayerNorm",
    "LeakyReLU",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "MakeLoss",
    "Pooling",
    "Reshape",
    "SVMOutput",
    "SliceChannel",
    "Softmax",
    "SoftmaxActivation",
    "SoftmaxOutput",
    "SwapAxis",
    "abs",
    "add_n",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "argmax",
    "argmax_channel",
    "argmin",
    "batch_dot",
    "batch_take",
    "broadcast_add",
    "broadcast_axes",
    "broadcast_axis",
    "broadcast_div",
    "broadcast_equal",
    "broadcast_greater",
    "broadcast_greater_equal",
    "broadcast_hypot",
    "broadcast_lesser",
    "broadcast_lesser_equal",
    "broadcast_like",
    "broadcast_logical_and",
    "broadcast_logical_or",
    "broadcast_logical_xor",
    "broadcast_maximum",
    "broadcast_minimum",
    "broadcast_minus",
    "broadcast_mod",
    "broadcast_mul",
    "broadcast_not_equal",
    "broadcast_plus",
    "broadcast_power",
    "broadcast_sub",
    "broadcast_to",
    "cast",
    "cast_storage",
    "cbrt",
    "ceil",
    "choose_element_0index",
    "clip",
    "concat",
    "cos",
    "cosh",
    "crop",
    "degrees",
    "dot",
    "elemwise_add",
    "elemwise_div",
    "elemwise_mul",
    "elemwise_sub",
    "erf",
    "erfinv",
    "exp",
    "expand_dims",
    "expm1",
    "fix",
    "flatten",
    "flip",
    "floor",
    "gamma",
    "gammaln",
    "gather_nd",
    "hard_sigmoid",
    "identity",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logical_not",
    "make_loss",
    "max",
    "max_axis",
    "mean",
    "min",
    "min_axis",
    "nanprod",
    "nansum",
    "negative",
    "norm",
    "one_hot",
    "ones_like",
    "pick",
    "prod",
    "radians",
    "rcbrt",
    "reciprocal",
    "relu",
    "repeat",
    "reshape",
    "reshape_like",
    "reverse",
    "rint",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "slice",
    "slice_axis",
    "slice_like",
    "smooth_l1",
    "softmax",
    "softmax_cross_entropy",
    "softmin",
    "softsign",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "sum",
    "sum_axis",
    "swapaxes",
    "take",
    "tan",
    "tanh",
    "tile",
    "transpose",
    "trunc",
    "where",
    "zeros_like",
]

def Activation(
    data: Symbol | None = ...,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Nonlinear function of each element, chosen by name."""

def BatchNorm(
    data: Symbol | None = ...,
    gamma: Symbol | None = ...,
    beta: Symbol | None = ...,
    moving_mean: Symbol | None = ...,
    moving_var: Symbol | None = ...,
    eps: float = ...,
    momentum: float = ...,
    fix_gamma: bool = ...,
    use_global_stats: bool = ...,
    output_mean_var: bool = ...,
    axis: int = ...,
    cudnn_off: bool = ...,
    min_calib_range: float | None = ...,
    max_calib_range: float | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Normalise each channel to mean zero and variance one, then scale and shift."""

def BlockGrad(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The input itself, through which no gradient passes."""

def Cast(
    data: Symbol | None = ...,
    dtype: Any = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``data`` in another element type; fractions are cut off for integers."""

def Concat(
    *args: Symbol,
    num_args: int = ...,
    dim: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inputs one after the other along an axis."""

def Convolution(
    data: Symbol | None = ...,
    weight: Symbol | None = ...,
    bias: Symbol | None = ...,
    kernel: Sequence[int | None] | int = ...,
    stride: Sequence[int | None] | int = ...,
    dilate: Sequence[int | None] | int = ...,
    pad: Sequence[int | None] | int = ...,
    num_filter: int = ...,
    num_group: int = ...,
    workspace: int = ...,
    no_bias: bool = ...,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = ...,
    cudnn_off: bool = ...,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Cross-correlation over one, two or three spatial axes."""

def Deconvolution(
    data: Symbol | None = ...,
    weight: Symbol | None = ...,
    bias: Symbol | None = ...,
    kernel: Sequence[int | None] | int = ...,
    stride: Sequence[int | None] | int = ...,
    dilate: Sequence[int | None] | int = ...,
    pad: Sequence[int | None] | int = ...,
    adj: Sequence[int | None] | int = ...,
    target_shape: Sequence[int | None] | int = ...,
    num_filter: int = ...,
    num_group: int = ...,
    workspace: int = ...,
    no_bias: bool = ...,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = ...,
    cudnn_off: bool = ...,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Transposed convolution: the gradient of a convolution with respect to its data."""

def Dropout(
    data: Symbol | None = ...,
    p: float = ...,
    mode: Literal['always', 'training'] = ...,
    axes: Sequence[int | None] | int = ...,
    cudnn_off: bool | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)``."""

def ElementWiseSum(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum of all inputs, which may all be ``row_sparse``."""

def Embedding(
    data: Symbol | None = ...,
    weight: Symbol | None = ...,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: Any = ...,
    sparse_grad: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Look up rows of ``weight``: ``output[..., :] = weight[data[...]]``."""

def Flatten(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Collapse all axes but the first."""

def FullyConnected(
    data: Symbol | None = ...,
    weight: Symbol | None = ...,
    bias: Symbol | None = ...,
    num_hidden: int = ...,
    no_bias: bool = ...,
    flatten: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Affine map ``output = data @ weight.T + bias``."""

def GroupNorm(
    data: Symbol | None = ...,
    gamma: Symbol | None = ...,
    beta: Symbol | None = ...,
    num_groups: int = ...,
    eps: float = ...,
    output_mean_var: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Normalise each group of channels of each sample, then scale and shift it."""

def InstanceNorm(
    data: Symbol | None = ...,
    gamma: Symbol | None = ...,
    beta: Symbol | None = ...,
    eps: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Normalise each channel of each sample to mean zero and variance one, scale and shift."""

def L2Normalization(
    data: Symbol | None = ...,
    eps: float = ...,
    mode: Literal['channel', 'instance', 'spatial'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Divide by the Euclidean norm of each sample, position or channel."""

def LRN(
    data: Symbol | None = ...,
    alpha: float = ...,
    beta: float = ...,
    knorm: float = ...,
    nsize: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Divide by ``(knorm + alpha / nsize * sum(data ** 2)) ** beta``, summing close channels."""

def LayerNorm(
    data: Symbol | None = ...,
    gamma: Symbol | None = ...,
    beta: Symbol | None = ...,
    axis: int = ...,
    eps: float = ...,
    output_mean_var: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Normalise along ``axis`` to mean zero and variance one, then scale and shift."""

def LeakyReLU(
    data: Symbol | None = ...,
    gamma: Symbol | None = ...,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = ...,
    slope: float = ...,
    lower_bound: float = ...,
    upper_bound: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data where it is positive, something smaller elsewhere."""

def LinearRegressionOutput(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    grad_scale: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of half the squared error against the label."""

def LogisticRegressionOutput(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    grad_scale: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Logistic sigmoid, with the gradient of the cross entropy against a label in [0, 1]."""

def MAERegressionOutput(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    grad_scale: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of the absolute error against the label."""

def MakeLoss(
    data: Symbol | None = ...,
    grad_scale: float = ...,
    valid_thresh: float = ...,
    normalization: Literal['batch', 'null', 'valid'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data, with ``grad_scale`` as gradient, so that it is what gets minimised."""

def Pooling(
    data: Symbol | None = ...,
    kernel: Sequence[int | None] | int = ...,
    pool_type: Literal['avg', 'lp', 'max', 'sum'] = ...,
    global_pool: bool = ...,
    cudnn_off: bool = ...,
    pooling_convention: Literal['full', 'same', 'valid'] = ...,
    stride: Sequence[int | None] | int = ...,
    pad: Sequence[int | None] | int = ...,
    p_value: int | None = ...,
    count_include_pad: bool | None = ...,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC'] | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One number for every window over the spatial axes."""

def Reshape(
    data: Symbol | None = ...,
    shape: Sequence[int | None] | int = ...,
    reverse: bool = ...,
    target_shape: Sequence[int | None] | int = ...,
    keep_highest: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The same elements in another shape, given by numbers from left to right."""

def SVMOutput(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    margin: float = ...,
    regularization_coefficient: float = ...,
    use_linear: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of a hinge loss of each class against the others."""

def SliceChannel(
    data: Symbol | None = ...,
    num_outputs: int = ...,
    axis: int = ...,
    squeeze_axis: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Cut ``data`` into ``num_outputs`` equal pieces along ``axis``."""

def Softmax(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    grad_scale: float = ...,
    ignore_label: float = ...,
    multi_output: bool = ...,
    use_ignore: bool = ...,
    preserve_shape: bool = ...,
    normalization: Literal['batch', 'null', 'valid'] = ...,
    out_grad: bool = ...,
    smooth_alpha: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Softmax whose gradient is that of the cross entropy with ``label``."""

def SoftmaxActivation(
    data: Symbol | None = ...,
    mode: Literal['channel', 'instance'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Softmax over the last axis, or over axis 1 in ``channel`` mode."""

def SoftmaxOutput(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    grad_scale: float = ...,
    ignore_label: float = ...,
    multi_output: bool = ...,
    use_ignore: bool = ...,
    preserve_shape: bool = ...,
    normalization: Literal['batch', 'null', 'valid'] = ...,
    out_grad: bool = ...,
    smooth_alpha: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Softmax whose gradient is that of the cross entropy with ``label``."""

def SwapAxis(
    data: Symbol | None = ...,
    dim1: int = ...,
    dim2: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Two axes in each other's place."""

def abs(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Absolute value; its gradient at zero is zero."""

def add_n(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum of all inputs, which may all be ``row_sparse``."""

def arccos(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse cosine."""

def arccosh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse hyperbolic cosine."""

def arcsin(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse sine."""

def arcsinh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse hyperbolic sine."""

def arctan(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse tangent."""

def arctanh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse hyperbolic tangent."""

def argmax(
    data: Symbol | None = ...,
    axis: int | None = ...,
    keepdims: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Position of the first largest element, in the element type of data."""

def argmax_channel(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Position of the largest element along axis 1."""

def argmin(
    data: Symbol | None = ...,
    axis: int | None = ...,
    keepdims: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Position of the first smallest element, in the element type of data."""

def batch_dot(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """A matrix product for each leading index."""

def batch_take(
    a: Symbol | None = ...,
    indices: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One element of each row: ``output[i] = a[i, indices[i]]``, indices outside being clipped."""

def broadcast_add(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum, with axes of length one stretched."""

def broadcast_axes(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int = ...,
    size: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Stretch some axes of length one."""

def broadcast_axis(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int = ...,
    size: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Stretch some axes of length one."""

def broadcast_div(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The quotient; integers are cut off, with axes of length one stretched."""

def broadcast_equal(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the sides are equal, else 0, with axes of length one stretched."""

def broadcast_greater(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the left is larger, else 0, with axes of length one stretched."""

def broadcast_greater_equal(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the left is not smaller, else 0, with axes of length one stretched."""

def broadcast_hypot(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``sqrt(lhs**2 + rhs**2)``, with axes of length one stretched."""

def broadcast_lesser(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the left is smaller, else 0, with axes of length one stretched."""

def broadcast_lesser_equal(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the left is not larger, else 0, with axes of length one stretched."""

def broadcast_like(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    lhs_axes: Sequence[int | None] | int | None = ...,
    rhs_axes: Sequence[int | None] | int | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Stretch axes of length one to the lengths of another array."""

def broadcast_logical_and(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where both sides are not 0, else 0, with axes of length one stretched."""

def broadcast_logical_or(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where a side is not 0, else 0, with axes of length one stretched."""

def broadcast_logical_xor(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where exactly one side is not 0, else 0, with axes of length one stretched."""

def broadcast_maximum(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The larger; ties give the left the gradient, with axes of length one stretched."""

def broadcast_minimum(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The smaller; ties give the left the gradient, with axes of length one stretched."""

def broadcast_minus(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The difference, with axes of length one stretched."""

def broadcast_mod(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The remainder, which has the sign of the divisor; 0 where that is 0, with axes of length one stretched."""

def broadcast_mul(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The product, with axes of length one stretched."""

def broadcast_not_equal(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where the sides differ, else 0, with axes of length one stretched."""

def broadcast_plus(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum, with axes of length one stretched."""

def broadcast_power(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The power, with axes of length one stretched."""

def broadcast_sub(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The difference, with axes of length one stretched."""

def broadcast_to(
    data: Symbol | None = ...,
    shape: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Stretch axes of length one."""

def cast(
    data: Symbol | None = ...,
    dtype: Any = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``data`` in another element type; fractions are cut off for integers."""

def cast_storage(
    data: Symbol | None = ...,
    stype: Literal['csr', 'default', 'row_sparse'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``data`` in another storage type. A sparse result waits for the device to count."""

def cbrt(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The cube root."""

def ceil(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The next integer above."""

def choose_element_0index(
    data: Symbol | None = ...,
    index: Symbol | None = ...,
    axis: int | None = ...,
    keepdims: bool = ...,
    mode: Literal['clip', 'wrap'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One element along an axis, by index."""

def clip(
    data: Symbol | None = ...,
    a_min: float = ...,
    a_max: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Cut to ``[a_min, a_max]``."""

def concat(
    *args: Symbol,
    num_args: int = ...,
    dim: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inputs one after the other along an axis."""

def cos(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The cosine."""

def cosh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic cosine."""

def crop(
    data: Symbol | None = ...,
    begin: Sequence[int | None] | int = ...,
    end: Sequence[int | None] | int = ...,
    step: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The part of ``data`` from ``begin`` to ``end``, as Python slices it."""

def degrees(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Radians to degrees."""

def dot(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum over the last axis of ``lhs`` and the first of ``rhs``."""

def elemwise_add(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum."""

def elemwise_div(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The quotient; integers are cut off."""

def elemwise_mul(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The product."""

def elemwise_sub(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The difference."""

def erf(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The error function."""

def erfinv(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the error function."""

def exp(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The exponential function."""

def expand_dims(
    data: Symbol | None = ...,
    axis: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One more axis, of length one."""

def expm1(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``exp(x) - 1``, exact for small x."""

def fix(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The next integer towards zero."""

def flatten(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Collapse all axes but the first."""

def flip(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Elements in reverse order along some axes."""

def floor(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The next integer below."""

def gamma(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The gamma function."""

def gammaln(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The logarithm of the absolute value of the gamma function."""

def gather_nd(
    data: Symbol | None = ...,
    indices: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Elements or slices at positions given by one column of ``indices`` each."""

def hard_sigmoid(
    data: Symbol | None = ...,
    alpha: float = ...,
    beta: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``alpha * x + beta``, cut to [0, 1]."""

def identity(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The input itself."""

def log(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The natural logarithm."""

def log10(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The logarithm to base 10."""

def log1p(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``log(1 + x)``, exact for small x."""

def log2(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The logarithm to base 2."""

def log_softmax(
    data: Symbol | None = ...,
    axis: int = ...,
    temperature: float | None = ...,
    dtype: Any | None = ...,
    use_length: bool | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Logarithm of the softmax of ``data / temperature`` along ``axis``."""

def logical_not(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """1 where x is 0, else 0."""

def make_loss(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The data, with ones as gradient, so that its sum is what gets minimised."""

def max(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The largest; all that tie get the whole gradient."""

def max_axis(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The largest; all that tie get the whole gradient."""

def mean(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The mean."""

def min(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The smallest; all that tie get the whole gradient."""

def min_axis(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The smallest; all that tie get the whole gradient."""

def nanprod(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The product, nan counting as one."""

def nansum(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum, nan counting as zero."""

def negative(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The opposite."""

def norm(
    data: Symbol | None = ...,
    ord: int = ...,
    axis: Sequence[int | None] | int | None = ...,
    out_dtype: Any | None = ...,
    keepdims: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum of absolute values, or the root of the sum of squares, over axes."""

def one_hot(
    indices: Symbol | None = ...,
    depth: int = ...,
    on_value: float = ...,
    off_value: float = ...,
    dtype: Any = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``on_value`` at the index along a new last axis, ``off_value`` elsewhere and outside."""

def ones_like(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Ones in the shape and type of ``data``."""

def pick(
    data: Symbol | None = ...,
    index: Symbol | None = ...,
    axis: int | None = ...,
    keepdims: bool = ...,
    mode: Literal['clip', 'wrap'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One element along an axis, by index."""

def prod(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The product."""

def radians(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Degrees to radians."""

def rcbrt(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One over the cube root."""

def reciprocal(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One over."""

def relu(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``max(x, 0)``."""

def repeat(
    data: Symbol | None = ...,
    repeats: int = ...,
    axis: int | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Each element again and again, of the flattened data or along one axis."""

def reshape(
    data: Symbol | None = ...,
    shape: Sequence[int | None] | int = ...,
    reverse: bool = ...,
    target_shape: Sequence[int | None] | int = ...,
    keep_highest: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The same elements in another shape, given by numbers from left to right."""

def reshape_like(
    lhs: Symbol | None = ...,
    rhs: Symbol | None = ...,
    lhs_begin: int | None = ...,
    lhs_end: int | None = ...,
    rhs_begin: int | None = ...,
    rhs_end: int | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``lhs`` in the shape of ``rhs``, or some of its axes in those of some axes of ``rhs``."""

def reverse(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Elements in reverse order along some axes."""

def rint(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The nearest integer; halves go down."""

def round(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The nearest integer; halves go away from zero."""

def rsqrt(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """One over the square root."""

def sigmoid(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``1 / (1 + exp(-x))``."""

def sign(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """-1, 0 or 1."""

def sin(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sine."""

def sinh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic sine."""

def slice(
    data: Symbol | None = ...,
    begin: Sequence[int | None] | int = ...,
    end: Sequence[int | None] | int = ...,
    step: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The part of ``data`` from ``begin`` to ``end``, as Python slices it."""

def slice_axis(
    data: Symbol | None = ...,
    axis: int = ...,
    begin: int = ...,
    end: int | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The part of ``data`` from ``begin`` to ``end`` along one axis."""

def slice_like(
    data: Symbol | None = ...,
    shape_like: Symbol | None = ...,
    axes: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The part of ``data`` that is as long as another array."""

def smooth_l1(
    data: Symbol | None = ...,
    scalar: float = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Absolute value, rounded off near zero: ``(scalar * x)**2 / 2`` for small x."""

def softmax(
    data: Symbol | None = ...,
    length: Symbol | None = ...,
    axis: int = ...,
    temperature: float | None = ...,
    dtype: Any | None = ...,
    use_length: bool | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``exp(data / temperature)``, scaled to sum one along ``axis``."""

def softmax_cross_entropy(
    data: Symbol | None = ...,
    label: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Sum over all rows of the cross entropy between softmax and label."""

def softmin(
    data: Symbol | None = ...,
    axis: int = ...,
    temperature: float | None = ...,
    dtype: Any | None = ...,
    use_length: bool | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``exp(-data / temperature)``, scaled to sum one along ``axis``."""

def softsign(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """``x / (1 + |x|)``."""

def split(
    data: Symbol | None = ...,
    num_outputs: int = ...,
    axis: int = ...,
    squeeze_axis: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Cut ``data`` into ``num_outputs`` equal pieces along ``axis``."""

def sqrt(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The square root."""

def square(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The square."""

def squeeze(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Without axes of length one; one is left where none would be."""

def stack(
    *args: Symbol,
    axis: int = ...,
    num_args: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The inputs one after the other along a new axis."""

def stop_gradient(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The input itself, through which no gradient passes."""

def sum(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum."""

def sum_axis(
    data: Symbol | None = ...,
    axis: Sequence[int | None] | int | None = ...,
    keepdims: bool = ...,
    exclude: bool = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The sum."""

def swapaxes(
    data: Symbol | None = ...,
    dim1: int = ...,
    dim2: int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Two axes in each other's place."""

def take(
    a: Symbol | None = ...,
    indices: Symbol | None = ...,
    axis: int = ...,
    mode: Literal['clip', 'raise', 'wrap'] = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Slices of ``a`` along an axis, by index."""

def tan(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The tangent."""

def tanh(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic tangent."""

def tile(
    data: Symbol | None = ...,
    reps: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The whole array again and again."""

def transpose(
    data: Symbol | None = ...,
    axes: Sequence[int | None] | int = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Axes in another order, by default reversed."""

def trunc(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """The next integer towards zero."""

def where(
    condition: Symbol | None = ...,
    x: Symbol | None = ...,
    y: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Elements of ``x`` where ``condition`` is not zero, of ``y`` elsewhere."""

def zeros_like(
    data: Symbol | None = ...,
    name: str | None = ...,
    attr: Mapping[str, str] | None = ...,
    out: Any = ...,
    **kwargs: Any,
) -> Symbol:
    """Zeros in the shape and type of ``data``."""
