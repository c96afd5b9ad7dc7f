"""Operators that symgraph does not have: kept from files for inspection and drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from symgraph.errors import UnknownOperatorError, close_names
from symgraph.ops.attrs import AttrSpec
from symgraph.ops.facts import DTypes, Shapes
from symgraph.ops.op import REGISTRY, Contract, Op, load_all

_NOTHING = Contract((), frozenset(), None, (), "none", ())


@dataclass(frozen=True)
class Opaque(Op):
    """One use of an unknown operator; its attributes are those of its node, as they stand.

    Attributes
    ----------
    name, node_name : str
    inputs, aux : int
        How many tensors it reads, and how many of its last ones it changes.
    count, shown : int
        How many outputs it has, and how many of the first ones something reads.
    """

    name: str  # pyright: ignore[reportIncompatibleVariableOverride]  fixed in other operators
    node_name: str
    inputs: int
    aux: int
    count: int
    shown: int

    contract: ClassVar[Contract] = _NOTHING
    attr_specs: ClassVar[dict[str, AttrSpec]] = {}
    differentiable: ClassVar[bool] = False
    family: ClassVar[str] = "unknown"

    def list_inputs(self) -> tuple[str, ...]:
        return tuple(f"input{i}" for i in range(self.inputs))

    def list_aux(self) -> tuple[str, ...]:
        return tuple(f"state{i}" for i in range(self.aux))

    def list_outputs(self) -> tuple[str, ...]:
        return ("output",) if self.count == 1 else tuple(f"output{i}" for i in range(self.count))

    def num_visible(self) -> int:
        return self.shown

    def infer_shape(self, s: Shapes) -> NoReturn:
        self._refuse()

    def infer_dtype(self, t: DTypes) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        load_all()
        raise UnknownOperatorError(
            f"{self.node_name}: operator {self.name!r} is not known"
            f"{close_names(self.name, REGISTRY)}; the network can be inspected and drawn, not run"
        )
