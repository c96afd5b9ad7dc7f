"""Operators that only gradient graphs hold; they are not registered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from symgraph.ops.op import Contract, Op

_NOTHING = Contract((), frozenset(), None, (), "none", ())


@dataclass(frozen=True)
class Backward(Op):
    """The backward pass of one use of an operator.

    Inputs are the head gradients that the operator reads, then what it keeps alive; outputs are
    the gradients of ``wanted``, named after the inputs they belong to.
    """

    of: Op
    wanted: tuple[str, ...]

    contract: ClassVar[Contract] = _NOTHING
    differentiable: ClassVar[bool] = False
    family: ClassVar[str] = "backward"

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"_backward_{self.of.name}"

    @property
    def alias(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.of.alias and self.of.contract.heads == "one"

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """Names of the outputs whose gradients are read."""
        return self.of.list_heads()

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """Names of the tensors read; a variadic one stands for each of its members."""
        names: list[str] = []
        tensors = {*self.of.list_inputs(), *self.of.list_aux(), *self.of.list_outputs()}
        for name in self.of.list_needs():
            if name == self.of.contract.variadic:
                names += self.of.list_inputs()
            elif name in tensors:
                names.append(name)
        return tuple(names)

    def list_inputs(self) -> tuple[str, ...]:
        return tuple(f"d{name}" for name in self.heads) + self.needs

    def list_outputs(self) -> tuple[str, ...]:
        return self.wanted


@dataclass(frozen=True)
class ZeroGradient(Op):
    """The gradient of an output that nothing reads, made once when a program is bound."""

    number: int

    name: ClassVar[str] = "_zero_gradient"
    contract: ClassVar[Contract] = _NOTHING
    differentiable: ClassVar[bool] = False
    family: ClassVar[str] = "backward"
