"""Bodies of :mod:`symgraph.kernels.update` as one CUDA kernel each, instead of ten passes."""

from __future__ import annotations

from typing import Any

import cupy  # pyright: ignore[reportMissingImports]

from symgraph.kernels import update

_BEFORE = """
if (row >= 0 && row < num_rows) {
    const long long k = (long long)row * width + i % width;
    T g = rescale * grad;
"""
_CLIP = "g = g > clip ? clip : (g < -clip ? -clip : g);"
_AFTER = "}"

_SGD = f"""
    {_CLIP}
    w[k] = (T(1) - lr * wd) * w[k] - lr * g;
"""
_SGD_MOM = f"""
    {_CLIP}
    const T m = momentum * mom[k] - lr * wd * w[k] - lr * g;
    mom[k] = m;
    w[k] += m;
"""
_ADAM = f"""
    g += wd * w[k];
    {_CLIP}
    const T m = beta1 * mean[k] + (T(1) - beta1) * g;
    const T v = beta2 * var[k] + (T(1) - beta2) * g * g;
    mean[k] = m;
    var[k] = v;
    w[k] -= lr * m / (sqrt(v) + epsilon);
"""
_ADAGRAD = f"""
    {_CLIP}
    const T h = history[k] + g * g;
    history[k] = h;
    w[k] -= lr * (g / sqrt(h + epsilon) + wd * w[k]);
"""
_FTRL = f"""
    {_CLIP}
    const T after = squares[k] + g * g;
    const T root = sqrt(after);
    const T zs = z[k] + (g - (root - sqrt(squares[k])) * w[k] / lr);
    const T magnitude = zs < T(0) ? -zs : zs;
    z[k] = zs;
    squares[k] = after;
    const T shrunk = magnitude > lamda1 ? magnitude - lamda1 : T(0);
    w[k] = (zs > T(0) ? -shrunk : shrunk) / ((beta + root) / lr + wd);
"""


def _step(name: str, body: str, tables: str, scalars: str) -> Any:
    """A kernel over the elements of grad that changes one place of each table."""
    inputs = "T grad, I row, int64 width, int64 num_rows, " + _declare("T", scalars)
    outputs = _declare("raw T", tables)
    return cupy.ElementwiseKernel(inputs, outputs, _BEFORE + body + _AFTER, f"symgraph_{name}")


def _declare(kind: str, names: str) -> str:
    return ", ".join(f"{kind} {name}" for name in names.split())


def _register(kernel: Any, dense: Any, body: str, tables: str, scalars: str) -> None:
    step = _step(kernel.__name__, body, tables, f"{scalars} rescale clip")
    count = len(tables.split())

    @kernel.register(cupy.ndarray)
    def _(*args: Any, **kwargs: Any) -> None:
        args = kernel.__signature__.bind(*args, **kwargs).args
        states, rows, grad, options = args[:count], args[count], args[count + 1], args[count + 2 :]
        if grad.size == 0:
            return
        if grad.dtype.char == "e" or any(a.dtype != grad.dtype for a in states):
            kernel.reference(cupy, *args)
            return
        num_rows = states[0].shape[0]
        values = update.scalars(grad.dtype, *options[:-1], update.bound(options[-1]))
        steps = grad.reshape(rows.shape[0], -1)
        step(steps, rows[:, None], steps.shape[1], num_rows, *values, *states)

    if dense is None:
        return

    @dense.register(cupy.ndarray)
    def _(*args: Any, **kwargs: Any) -> None:
        args = dense.__signature__.bind(*args, **kwargs).args
        states = [table[None] for table in args[:count]]
        kernel(*states, cupy.zeros(1, cupy.int64), args[count][None], *args[count + 1 :])


_register(update.sgd_rows, update.sgd_dense, _SGD, "w", "lr wd")
_register(update.sgd_mom_rows, update.sgd_mom_dense, _SGD_MOM, "w mom", "lr wd momentum")
_register(update.adam_rows, update.adam_dense, _ADAM, "w mean var", "lr wd beta1 beta2 epsilon")
_register(update.adagrad_rows, None, _ADAGRAD, "w history", "lr wd epsilon")
_register(update.ftrl_rows, None, _FTRL, "w z squares", "lr wd lamda1 beta")
