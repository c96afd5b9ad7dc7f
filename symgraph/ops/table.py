"""The table of operators, made from their declarations: ``python -m symgraph.ops``."""

from __future__ import annotations

from symgraph.ops.attrs import AttrSpec
from symgraph.ops.op import REGISTRY, Op, load_all

HEADER = """# Operators

Made by `python -m symgraph.ops > docs/operators.md`; do not edit. `X?` is optional, `X*` stands for
any number, `(X)` is an auxiliary state, `[X]` an output that users do not see. *Gradient* says what
backward reads: dY is a head gradient. *Sparse* lists storage types of inputs and outputs that have
a body of their own; what is not listed runs on dense copies.

| operator | also called | inputs | outputs | attributes | gradient | sparse |
|---|---|---|---|---|---|---|
"""


def render_table() -> str:
    """The whole table, in Markdown."""
    load_all()
    every = sorted(set(REGISTRY.values()), key=lambda cls: (cls.family, cls.name.lower()))
    return HEADER + "\n".join(map(_row, every)) + "\n"


def _row(cls: type[Op]) -> str:
    cells = (
        f"`{cls.name}`",
        " ".join(f"`{a}`" for a in cls.aliases),
        _inputs(cls),
        _outputs(cls),
        " ".join(map(_attribute, cls.attr_specs.values())),
        _gradient(cls),
        "; ".join(dict.fromkeys(f"{', '.join(i.ins)} -> {', '.join(i.outs)}" for i in cls.impls)),
    )
    return f"| {' | '.join(cells)} |"


def _inputs(cls: type[Op]) -> str:
    contract = cls.contract
    names = [n + "?" * (n in contract.optional) for n in contract.inputs]
    names += [f"{contract.variadic}*"] if contract.variadic else []
    return ", ".join([*names, *(f"({n})" for n in contract.aux)])


def _outputs(cls: type[Op]) -> str:
    if cls.list_outputs is not Op.list_outputs:
        return "by attribute"
    return ", ".join([*cls.outputs, *(f"[{n}]" for n in cls.hidden)])


def _attribute(spec: AttrSpec) -> str:
    return f"`{spec.name}`" if spec.required else f"`{spec.name}={spec.default!r}`"


def _gradient(cls: type[Op]) -> str:
    if not cls.differentiable:
        return "zero"
    heads = {"none": [], "one": ["dY"], "all": ["dY*"]}[cls.contract.heads]
    return ", ".join([*heads, *cls.contract.needs]) or "nothing"
