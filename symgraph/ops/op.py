"""The operator contract: one class is the whole truth about an operator.

Signatures are the declaration. ``forward(self, ctx, data, weight, bias=None)`` names the inputs,
``*args`` makes the operator variadic, keyword-only parameters are auxiliary states.
``backward(self, ctx, dout, *, data, weight)`` names what backward reads: the head gradient of the
first output (``dout``), of every visible output (``*douts``) or none, and the tensors kept alive
for it. ``infer_shape`` and ``infer_dtype`` hold equations over a table of facts. Everything else
(``mx.sym.X``, ``mx.nd.X``, JSON, documentation, stub, op table) is made from that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, dataclass_transform

from symgraph.backend import Backend
from symgraph.errors import AttributeValueError, UnknownOperatorError, close_names
from symgraph.ops import attrs
from symgraph.ops.facts import DTypes, Shapes
from symgraph.storage import Array, Shape, SType, Value

REGISTRY: dict[str, type[Op]] = {}
"""Every name and alias of every operator."""

Step = tuple[Callable[..., Any], tuple[Any, ...]]
"""One call of a bound program: a function and its arguments, buffers among them."""


@dataclass(frozen=True, slots=True)
class Ctx:
    """What an operator may know besides its attributes and its tensors.

    Attributes
    ----------
    node_name : str
        For error messages.
    shapes, dtypes : mapping
        Of every tensor of the node by name; in backward, of the forward node.
    wanted : frozenset of str
        Inputs whose gradients somebody asked for.
    rng : callable
        Gives this node's random generator: ``ctx.rng().random(shape)``.
    """

    backend: Backend
    is_train: bool
    node_name: str
    shapes: Mapping[str, Shape]
    dtypes: Mapping[str, str]
    wanted: frozenset[str]
    rng: Callable[[], Any]
    aux_updates: dict[str, Value]

    @property
    def xp(self) -> Any:
        return self.backend.xp

    def wants(self, name: str) -> bool:
        """Whether somebody asked for this gradient; skip the work otherwise."""
        return name in self.wanted

    def update_aux(self, **values: Value) -> None:
        """Replace auxiliary states after this node has run."""
        self.aux_updates.update(values)


@dataclass(frozen=True, slots=True)
class Impl:
    """A body of an operator and the storage types it is for."""

    ins: tuple[str, ...]
    outs: tuple[str, ...]
    when: Callable[[Any], bool]
    method: str

    @property
    def is_dense(self) -> bool:
        return not self.ins


FORWARD = Impl((), (), lambda op: True, "forward")
BACKWARD = Impl((), (), lambda op: True, "backward")


def stored(signature: str, *, when: Callable[[Any], bool] = lambda op: True) -> Callable[..., Any]:
    """Mark ``forward_*`` or ``backward_*`` as the body for ``"csr, default -> default"``.

    Left: the storage types of what the method reads, in the order of its parameters (head
    gradients first). Right: those of what it returns, in the order of outputs (forward) or inputs
    (backward), ``-`` for none. Where nothing matches, the dense body runs on dense copies.
    """
    ins, outs = (tuple(s.strip() for s in side.split(",")) for side in signature.split("->"))

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        method.__dict__.setdefault("impls", []).append(Impl(ins, outs, when, method.__name__))
        return method

    return mark


@dataclass(frozen=True, slots=True)
class Contract:
    """What the signatures of ``forward`` and ``backward`` declare.

    Attributes
    ----------
    variadic : str or None
        Name of the ``*args`` parameter.
    heads : str
        Head gradients that backward reads: ``"none"``, ``"one"`` or ``"all"``.
    needs : tuple of str
        Tensors that backward reads: inputs, auxiliary states or outputs.
    """

    inputs: tuple[str, ...]
    optional: frozenset[str]
    variadic: str | None
    aux: tuple[str, ...]
    heads: str
    needs: tuple[str, ...]

    @classmethod
    def read(cls, op: type[Op]) -> Contract:
        ahead = list(inspect.signature(op.forward).parameters.values())[2:]
        plain = [p for p in ahead if p.kind is p.POSITIONAL_OR_KEYWORD]
        back = list(inspect.signature(op.backward).parameters.values())[2:]
        if op.backward is Op.backward:
            back = []
        heads = {p.kind: p for p in back if p.kind is not p.KEYWORD_ONLY}
        return cls(
            inputs=tuple(p.name for p in plain),
            optional=frozenset(p.name for p in plain if p.default is None),
            variadic=next((p.name for p in ahead if p.kind is p.VAR_POSITIONAL), None),
            aux=tuple(p.name for p in ahead if p.kind is p.KEYWORD_ONLY),
            heads=_heads(heads),
            needs=tuple(p.name for p in back if p.kind is p.KEYWORD_ONLY),
        )


def _heads(kinds: Mapping[Any, inspect.Parameter]) -> str:
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return "all"
    return "one" if kinds else "none"


@dataclass(frozen=True, kw_only=True)
class Op:
    """Base class of all operators. See the module docstring for the contract."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    contract: ClassVar[Contract]
    attr_specs: ClassVar[dict[str, attrs.AttrSpec]]
    impls: ClassVar[tuple[Impl, ...]] = ()
    outputs: ClassVar[tuple[str, ...]] = ("output",)
    hidden: ClassVar[tuple[str, ...]] = ()  # trailing outputs that users do not see
    differentiable: ClassVar[bool]
    count_attr: ClassVar[str] = ""  # the attribute that holds the number of variadic inputs
    alias: ClassVar[bool] = False  # the output is the memory of the first input, reshaped
    in_place: ClassVar[bool] = False  # the output may overwrite an input of its size
    aux_init: ClassVar[Mapping[str, str]] = {}  # auxiliary state or input -> its ``__init__``
    family: ClassVar[str] = ""  # topic for drawing and documentation; by default the module

    def list_inputs(self) -> tuple[str, ...]:
        """Inputs present under these attributes; override where one is conditional."""
        if self.contract.variadic:
            return tuple(f"arg{i}" for i in range(getattr(self, self.count_attr)))
        return self.contract.inputs

    def list_aux(self) -> tuple[str, ...]:
        """Auxiliary states present under these attributes."""
        return self.contract.aux

    def list_outputs(self) -> tuple[str, ...]:
        """All outputs, hidden ones last; override where their number is an attribute."""
        return self.outputs + self.hidden

    def num_visible(self) -> int:
        """How many of them a user sees; override where an attribute shows hidden ones."""
        return len(self.list_outputs()) - len(self.hidden)

    def list_heads(self) -> tuple[str, ...]:
        """Outputs whose gradients backward reads; override where an attribute decides."""
        visible = self.list_outputs()[: self.num_visible()]
        return visible[: {"none": 0, "one": 1, "all": len(visible)}[self.contract.heads]]

    def list_needs(self) -> tuple[str, ...]:
        """Tensors that backward reads; override where an attribute decides.

        What is absent under these attributes is left out; the body gives it a default.
        """
        return self.contract.needs

    def implementation(self, stage: str, stypes: tuple[SType, ...]) -> Impl:
        """The body of ``stage`` ("forward" or "backward") for these storage types."""
        for impl in self.impls:
            if impl.method.startswith(stage) and impl.ins == stypes and impl.when(self):
                return impl
        return FORWARD if stage == "forward" else BACKWARD

    def infer_shape(self, s: Shapes) -> None:
        """State the equations between the shapes of the node's tensors."""
        raise NotImplementedError

    def infer_dtype(self, t: DTypes) -> None:
        """State the equations between the element types; by default all are one."""
        t.unify(*self.list_inputs(), *self.list_aux(), *self.list_outputs())

    def forward(self, ctx: Ctx, *args: Any, **aux: Any) -> Any:
        """Outputs from inputs: an array, or a sequence with one per output."""
        raise NotImplementedError

    def backward(self, ctx: Ctx, *head_grads: Any, **needs: Any) -> dict[str, Value]:
        """Gradients by input name. An input left out has gradient zero."""
        raise NotImplementedError

    def lower(self, ctx: Ctx, ins: list[Array], outs: list[Array]) -> list[Step] | None:
        """Steps that compute ``outs`` from ``ins`` in place, or None: call ``forward``.

        Called once when a program is bound, only for dense inputs. The buffers stay the same for
        the life of the program; a step runs ``function(*arguments)``.
        """
        return None

    def lower_backward(
        self, ctx: Ctx, heads: list[Array], needs: dict[str, Array], grads: dict[str, Array]
    ) -> list[Step] | None:
        """The same for gradients: write those in ``grads``, or None: call ``backward``."""
        return None


@dataclass_transform(field_specifiers=(attrs.attr,), kw_only_default=True, frozen_default=True)
def operator(
    name: str = "", *, aliases: tuple[str, ...] = (), internal: bool = False
) -> Callable[[type], Any]:
    """Class decorator: freeze the attributes, read the contract, register the names.

    An ``internal`` operator gets no name in the registry: only passes make it.

    Raises
    ------
    TypeError
        If the declaration is inconsistent or a name is taken.
    """

    def decorate(cls: type[Op]) -> type[Op]:
        doc = cls.__doc__
        if inspect.get_annotations(cls):  # without attributes there is nothing to add
            cls = dataclass(frozen=True, kw_only=True)(cls)
        cls.name = name or cls.__name__
        cls.aliases = aliases
        cls.attr_specs = attrs.specs_of(cls)
        cls.contract = Contract.read(cls)
        cls.differentiable = cls.backward is not Op.backward
        cls.family = cls.family or cls.__module__.rpartition(".")[2]
        found = [getattr(cls, m) for m in dir(cls) if m.startswith(("forward_", "backward_"))]
        cls.impls = tuple(impl for method in found for impl in getattr(method, "impls", ()))
        _check(cls, doc)
        for key in () if internal else (cls.name, *aliases):
            if REGISTRY.setdefault(key, cls) is not cls:
                raise TypeError(f"operator {key!r} is already {REGISTRY[key].__qualname__}")
        return cls

    return decorate


def _check(cls: type[Op], doc: str | None) -> None:
    """Refuse a declaration that cannot work, at import."""
    contract, where = cls.contract, f"operator {cls.name}"
    if not doc:
        raise TypeError(f"{where} has no docstring")
    if contract.variadic and cls.list_inputs is Op.list_inputs and not cls.count_attr:
        raise TypeError(f"{where} is variadic but names no count_attr")
    fixed = cls.list_outputs is Op.list_outputs
    tensors = {*contract.inputs, *contract.aux, *cls.outputs, *cls.hidden, contract.variadic}
    strange = [n for n in contract.needs if n not in tensors]
    if fixed and strange:
        raise TypeError(f"{where}: backward reads {strange}, which are no tensors of it")
    clash = tensors & set(cls.attr_specs)
    if clash - {None}:
        raise TypeError(f"{where}: {clash} name both a tensor and an attribute")


def find(name: str) -> type[Op]:
    """The operator called ``name``.

    Raises
    ------
    UnknownOperatorError
        Listing close names.
    """
    load_all()
    try:
        return REGISTRY[name]
    except KeyError:
        raise UnknownOperatorError(
            f"operator {name!r} is not known{close_names(name, REGISTRY)}"
        ) from None


def create(name: str, given: Mapping[str, str]) -> Op:
    """The operator called ``name`` with attributes given as strings.

    Equal calls share one instance.

    Raises
    ------
    UnknownOperatorError, AttributeValueError
    """
    return _create(name, tuple(given.items()))


@lru_cache(maxsize=8192)
def _create(name: str, given: tuple[tuple[str, str], ...]) -> Op:
    cls = find(name)
    try:
        return cls(**attrs.parse_attrs(cls, cls.attr_specs, dict(given)))
    except AttributeValueError as error:
        raise AttributeValueError(f"{name}: {error}") from None


def load_all() -> None:
    """Import every module of operators, so that the registry is whole."""
    from symgraph.ops import catalog  # noqa: F401
