"""Normalisation: batch, layer, instance, group, L2 and local response."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from symgraph.errors import ShapeError
from symgraph.ops.attrs import attr
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import Ctx, Op, operator
from symgraph.ops.precision import narrow, wide
from symgraph.storage import Array, Shape


@operator(aliases=("_npx_batch_norm",))
class BatchNorm(Op):
    """Normalise each channel to mean zero and variance one, then scale and shift.

    As in MXNet, the moving statistics change in the backward pass: a forward pass alone, even
    in training mode, leaves them as they are. Unlike in MXNet, ``fix_gamma`` does not write ones
    into gamma; it is treated as one.

    Shapes, with C the length of ``axis``
    ------
    data, output : (N, C, ...)
    gamma, beta, moving_mean, moving_var, mean, var : (C,); ``var``, as in MXNet, is the inverse
        of the standard deviation
    """

    hidden = ("mean", "var")
    aux_init: ClassVar = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}

    eps: float = attr(default=1e-3, ge=0, doc="Added to the variance.")
    momentum: float = attr(default=0.9, doc="Weight of the old moving statistics.")
    fix_gamma: bool = attr(default=True, doc="Treat gamma as one and give it no gradient.")
    use_global_stats: bool = attr(default=False, doc="Normalise with the moving statistics.")
    output_mean_var: bool = attr(
        default=False, doc="Show mean and var; their gradients are ignored."
    )
    axis: int = attr(default=1, doc="Channel axis.")
    cudnn_off: bool = attr(default=False, doc="Accepted and ignored.")
    min_calib_range: float | None = attr(default=None, doc="Accepted and ignored.")
    max_calib_range: float | None = attr(default=None, doc="Accepted and ignored.")

    def num_visible(self):
        return 3 if self.output_mean_var else 1

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        axis = _from_front(self.axis, s["data"])
        vectors = ("gamma", "beta", "moving_mean", "moving_var", "mean", "var")
        s["gamma"] = s["data"][axis : axis + 1]
        s.unify(*vectors)
        s["data"] = _with_length(s["data"], axis, s["gamma"])

    def infer_dtype(self, t: DTypes):
        t.unify("data", "output")
        statistics = "float32" if t["data"] == "float16" else t["data"]
        for name in ("gamma", "beta", "moving_mean", "moving_var", "mean", "var"):
            t[name] = statistics

    def forward(self, ctx: Ctx, data, gamma, beta, *, moving_mean, moving_var):
        x = wide(data)
        mean, var = moving_mean, moving_var
        if self._uses_batch(ctx):
            others = _all_but(self.axis, x.ndim)
            mean, var = x.mean(others), x.var(others)
        inverse = 1 / ctx.xp.sqrt(var + self.eps)
        column = _column(self.axis, x.ndim)
        out = x - mean.reshape(column)
        out *= self._scale(gamma, inverse).reshape(column)
        out += beta.reshape(column)
        return narrow(out, data), mean, inverse

    def backward(self, ctx: Ctx, dout, *, data, gamma, mean, var, moving_mean, moving_var):
        x, d = wide(data), wide(dout)
        others, column = _all_but(self.axis, x.ndim), _column(self.axis, x.ndim)
        normal = (x - mean.reshape(column)) * var.reshape(column)
        dbeta, dgamma = d.sum(others), (d * normal).sum(others)
        if self._uses_batch(ctx):
            count = x.size // mean.size
            self._move(ctx, mean, var, moving_mean, moving_var)
            normal *= dgamma.reshape(column) / count
            d = d - dbeta.reshape(column) / count - normal
        grads = {"data": narrow(d * self._scale(gamma, var).reshape(column), data), "beta": dbeta}
        return grads if self.fix_gamma else {"gamma": dgamma, **grads}

    def _uses_batch(self, ctx: Ctx):
        return ctx.is_train and not self.use_global_stats

    def _scale(self, gamma, inverse):
        return inverse if self.fix_gamma else gamma * inverse

    def _move(self, ctx: Ctx, mean, inverse, moving_mean, moving_var):
        keep, new = self.momentum, 1 - self.momentum
        variance = 1 / ctx.xp.square(inverse) - self.eps
        ctx.update_aux(
            moving_mean=keep * moving_mean + new * mean,
            moving_var=keep * moving_var + new * variance,
        )


@operator(aliases=("_npx_layer_norm",))
class LayerNorm(Op):
    """Normalise along ``axis`` to mean zero and variance one, then scale and shift.

    Shapes, with C the length of ``axis``
    ------
    data, output : any
    gamma, beta : (C,)
    mean, std : the shape of data, with length one along ``axis``
    """

    hidden = ("mean", "std")

    axis: int = attr(default=-1, doc="Axis to normalise along.")
    eps: float = attr(default=1e-5, ge=0, doc="Added to the variance.")
    output_mean_var: bool = attr(
        default=False, doc="Show mean and std; their gradients are ignored."
    )

    def num_visible(self):
        return 3 if self.output_mean_var else 1

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        axis = _from_front(self.axis, s["data"])
        s["gamma"] = s["data"][axis : axis + 1]
        s.unify("gamma", "beta")
        s["data"] = _with_length(s["data"], axis, s["gamma"])
        s["mean"] = _with_length(s["data"], axis, (1,), replace=True)
        s.unify("mean", "std")

    def forward(self, ctx: Ctx, data, gamma, beta):
        normal, mean, std = _normalize(ctx.xp, wide(data), self.axis, self.eps)
        column = _column(self.axis, data.ndim)
        normal *= wide(gamma).reshape(column)
        normal += wide(beta).reshape(column)
        return [narrow(a, data) for a in (normal, mean, std)]

    def backward(self, ctx: Ctx, dout, *, data, gamma):
        x, d = wide(data), wide(dout)
        others = _all_but(self.axis, x.ndim)
        normal, _, std = _normalize(ctx.xp, x, self.axis, self.eps)
        grads = {"beta": d.sum(others), "gamma": (d * normal).sum(others)}
        d = d * wide(gamma).reshape(_column(self.axis, x.ndim))
        grads["data"] = _normalize_gradient(d, normal, std, self.axis)
        return {name: narrow(grad, data) for name, grad in grads.items()}


@operator()
class InstanceNorm(Op):
    """Normalise each channel of each sample to mean zero and variance one, scale and shift.

    Shapes
    ------
    data, output : (N, C, ...)
    gamma, beta : (C,)
    mean, var : (N, C); ``var`` is the inverse of the standard deviation
    """

    hidden = ("mean", "var")

    eps: float = attr(default=1e-3, ge=0, doc="Added to the variance.")

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        if len(s["data"]) < 3:
            raise ShapeError(f"data has shape {s['data']}, but at least three axes are required")
        s["gamma"] = s["data"][1:2]
        s.unify("gamma", "beta")
        s["data"] = _with_length(s["data"], 1, s["gamma"])
        s["mean"] = s["data"][:2]
        s.unify("mean", "var")

    def forward(self, ctx: Ctx, data, gamma, beta):
        x = wide(data)
        normal, mean, std = _normalize(ctx.xp, x, tuple(range(2, x.ndim)), self.eps)
        column = _column(1, x.ndim)
        normal *= wide(gamma).reshape(column)
        normal += wide(beta).reshape(column)
        shape = x.shape[:2]
        return [narrow(a, data) for a in (normal, mean.reshape(shape), 1 / std.reshape(shape))]

    def backward(self, ctx: Ctx, dout, *, data, gamma):
        x, d = wide(data), wide(dout)
        space, others = tuple(range(2, x.ndim)), _all_but(1, x.ndim)
        normal, _, std = _normalize(ctx.xp, x, space, self.eps)
        grads = {"beta": d.sum(others), "gamma": (d * normal).sum(others)}
        d = d * wide(gamma).reshape(_column(1, x.ndim))
        grads["data"] = _normalize_gradient(d, normal, std, space)
        return {name: narrow(grad, data) for name, grad in grads.items()}


@operator()
class GroupNorm(Op):
    """Normalise each group of channels of each sample, then scale and shift it.

    Shapes, with G = num_groups
    ------
    data, output : (N, C, ...)
    gamma, beta : (G,)
    mean, std : (N, G)
    """

    hidden = ("mean", "std")

    num_groups: int = attr(default=1, ge=1, doc="Number of groups; it divides C.")
    eps: float = attr(default=1e-5, ge=0, doc="Added to the variance.")
    output_mean_var: bool = attr(
        default=False, doc="Show mean and std; their gradients are ignored."
    )

    def num_visible(self):
        return 3 if self.output_mean_var else 1

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        data = s["data"]
        if len(data) < 3:
            raise ShapeError(f"data has shape {data}, but at least three axes are required")
        if data[1] % self.num_groups:
            raise ShapeError(
                f"data has {data[1]} channels, which do not split into {self.num_groups} groups"
            )
        s["gamma"] = s["beta"] = (self.num_groups,)
        s["mean"] = s["std"] = (data[0], self.num_groups)

    def forward(self, ctx: Ctx, data, gamma, beta):
        normal, mean, std = _normalize(ctx.xp, self._grouped(wide(data)), 2, self.eps)
        normal *= wide(gamma)[:, None]
        normal += wide(beta)[:, None]
        shape = mean.shape[:2]
        out = normal.reshape(data.shape)
        return [narrow(a, data) for a in (out, mean.reshape(shape), std.reshape(shape))]

    def backward(self, ctx: Ctx, dout, *, data, gamma):
        d = self._grouped(wide(dout))
        normal, _, std = _normalize(ctx.xp, self._grouped(wide(data)), 2, self.eps)
        grads = {"beta": d.sum((0, 2)), "gamma": (d * normal).sum((0, 2))}
        grad = _normalize_gradient(d * wide(gamma)[:, None], normal, std, 2)
        grads["data"] = grad.reshape(data.shape)
        return {name: narrow(grad, data) for name, grad in grads.items()}

    def _grouped(self, array):
        return array.reshape(array.shape[0], self.num_groups, -1)


@operator()
class L2Normalization(Op):
    """Divide by the Euclidean norm of each sample, position or channel.

    Shapes
    ------
    data, output : (N, ...)
    norm : (N,) for ``instance``; (N, ...) without axis 1 for ``channel``; (N, C) for ``spatial``
    """

    hidden = ("norm",)

    eps: float = attr(default=1e-10, ge=0, doc="Added to the sum of squares.")
    mode: Literal["channel", "instance", "spatial"] = attr(
        default="instance", doc="Sum over all axes but the first, over axis 1, or from axis 2 on."
    )

    def infer_shape(self, s: Shapes):
        s.unify("data", "output")
        data = s["data"]
        if self.mode != "instance" and len(data) < 3:
            raise ShapeError(f"data has shape {data}, but at least three axes are required")
        axes = self._axes(len(data))
        s["norm"] = tuple(n for i, n in enumerate(data) if i not in axes)

    def forward(self, ctx: Ctx, data):
        x = wide(data)
        axes = self._axes(x.ndim)
        norm = ctx.xp.sqrt(ctx.xp.square(x).sum(axes, keepdims=True) + self.eps)
        return narrow(x / norm, data), narrow(norm.reshape(ctx.shapes["norm"]), data)

    def backward(self, ctx: Ctx, dout, *, output, norm):
        d, out = wide(dout), wide(output)
        axes = self._axes(d.ndim)
        norm = wide(norm).reshape(_ones_at(axes, d.shape))
        grad = (d - out * (d * out).sum(axes, keepdims=True)) / norm
        return {"data": narrow(grad, dout)}

    def _axes(self, rank: int) -> tuple[int, ...]:
        if self.mode == "channel":
            return (1,)
        return tuple(range(1 if self.mode == "instance" else 2, rank))


@operator()
class LRN(Op):
    """Divide by ``(knorm + alpha / nsize * sum(data ** 2)) ** beta``, summing close channels.

    Shapes
    ------
    data, output, tmp_norm : (N, C, ...); ``tmp_norm`` is the base of that power
    """

    hidden = ("tmp_norm",)

    alpha: float = attr(default=1e-4, doc="Weight of the sum.")
    beta: float = attr(default=0.75, doc="Exponent.")
    knorm: float = attr(default=2.0, doc="Added to the sum.")
    nsize: int = attr(ge=1, doc="Number of channels summed, rounded down to an odd one.")

    def infer_shape(self, s: Shapes):
        s.unify("data", "output", "tmp_norm")
        if len(s["data"]) < 2:
            raise ShapeError(f"data has shape {s['data']}, but at least two axes are required")

    def forward(self, ctx: Ctx, data):
        x = wide(data)
        norm = self.knorm + self.alpha / self.nsize * self._sum(ctx.xp, ctx.xp.square(x))
        return narrow(x * norm**-self.beta, data), narrow(norm, data)

    def backward(self, ctx: Ctx, dout, *, data, tmp_norm):
        x, d, norm = wide(data), wide(dout), wide(tmp_norm)
        power = norm**-self.beta
        close = self._sum(ctx.xp, d * x * power / norm)
        grad = d * power - (2 * self.alpha * self.beta / self.nsize) * x * close
        return {"data": narrow(grad, data)}

    def _sum(self, xp: Any, array: Array) -> Array:
        """The sum over the channels around each one."""
        reach, channels = (self.nsize - 1) // 2, array.shape[1]
        total = array.copy()
        for i in range(1, min(reach, channels - 1) + 1):
            total[:, i:] += array[:, :-i]
            total[:, :-i] += array[:, i:]
        return total


# ---- what they share ----------------------------------------------------------------


def _normalize(
    xp: Any, data: Array, axes: int | tuple[int, ...], eps: float
) -> tuple[Array, Array, Array]:
    """(normal, mean, std): data with mean zero and variance one over ``axes``."""
    mean = data.mean(axes, keepdims=True)
    normal = data - mean
    std = xp.sqrt(xp.square(normal).mean(axes, keepdims=True) + eps)
    normal /= std
    return normal, mean, std


def _normalize_gradient(
    dnormal: Array, normal: Array, std: Array, axes: int | tuple[int, ...]
) -> Array:
    """Gradient of data from that of ``normal``."""
    along = normal * (dnormal * normal).mean(axes, keepdims=True)
    return (dnormal - dnormal.mean(axes, keepdims=True) - along) / std


def _from_front(axis: int, shape: Shape) -> int:
    rank = len(shape)
    if not -rank <= axis < rank:
        raise ShapeError(f"data has shape {shape}, so that axis {axis} is none of its axes")
    return axis % rank


def _with_length(shape: Shape, axis: int, length: Shape, *, replace: bool = False) -> Shape:
    """``shape`` with what is known of the length along ``axis``."""
    kept = () if replace else shape[axis : axis + 1]
    return (*shape[:axis], *(kept if any(kept) else length), *shape[axis + 1 :])


def _all_but(axis: int, rank: int) -> tuple[int, ...]:
    return tuple(i for i in range(rank) if i != axis % rank)


def _column(axis: int, rank: int) -> Shape:
    """The shape in which a vector broadcasts along ``axis``."""
    return tuple(-1 if i == axis % rank else 1 for i in range(rank))


def _ones_at(axes: tuple[int, ...], shape: Shape) -> Shape:
    return tuple(1 if i in axes else n for i, n in enumerate(shape))
