"""Operators that move elements: their output is a view of their input, which callers copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from symgraph.ops.op import Ctx, Op, Step
from symgraph.ops.steps import put
from symgraph.storage import Array

T = TypeVar("T", bound=type[Op])


def copies_view(*, whole: bool) -> Callable[[T], T]:
    """Class decorator: all bodies follow from a method ``_view(self, ctx, data)``.

    Parameters
    ----------
    whole : bool
        Whether every element is in the view; the gradient of the others is zero.
    """

    def forward(self, ctx: Ctx, data):
        return self._view(ctx, data)

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step]:
        return [put(outs[0], self._view(ctx, ins[0]))]

    def backward(self, ctx: Ctx, dout):
        grad = ctx.xp.zeros(ctx.shapes["data"], dout.dtype)
        self._view(ctx, grad)[...] = dout
        return {"data": grad}

    def lower_backward(self, ctx: Ctx, heads, needs, grads) -> list[Step]:
        grad = grads["data"]
        move = put(self._view(ctx, grad), heads[0])
        return [move] if whole else [(grad.fill, (0,)), move]

    def decorate(cls: T) -> T:
        for body in (forward, lower, backward, lower_backward):
            setattr(cls, body.__name__, body)
        return cls

    return decorate
