"""Nodes, entries and graphs. Nodes link to their inputs and are shared between graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from symgraph.ops.op import Op

if TYPE_CHECKING:
    import networkx as nx

NO_ATTRS: Mapping[str, str] = MappingProxyType({})


class Node:
    """A variable (``op`` is None) or one use of an operator.

    Nodes compare by identity and are never changed, but for ``attrs``, which MXNet lets a user
    replace (``Symbol._set_attr``) in all graphs that share the node.

    Attributes
    ----------
    attrs : mapping of str to str
        As they stand in JSON: the operator's own, ``__hidden__`` and free ones.
    inputs : tuple of Entry
        The operator's inputs, then its auxiliary states.
    subgraphs : tuple of Graph
        Bodies of control flow operators.
    source : Node or None
        In a gradient graph, the forward node that this one belongs to.
    versions : tuple of int
        What a file said of how often each input had been changed, where ``graph.json`` would
        write something else; empty everywhere else.
    """

    __slots__ = (
        "__weakref__",
        "_outputs",
        "attrs",
        "inputs",
        "name",
        "op",
        "source",
        "subgraphs",
        "versions",
    )

    def __init__(
        self,
        op: Op | None,
        name: str,
        attrs: Mapping[str, str] = NO_ATTRS,
        inputs: Sequence[Entry] = (),
        subgraphs: Sequence[Graph] = (),
        source: Node | None = None,
    ) -> None:
        self.op = op
        self.name = name
        self.attrs = MappingProxyType(dict(attrs)) if attrs else NO_ATTRS
        self.inputs = tuple(inputs)
        self.subgraphs = tuple(subgraphs)
        self.source = source
        self.versions: tuple[int, ...] = ()
        self._outputs: tuple[str, ...] | None = None

    def set_attrs(self, changes: Mapping[str, str]) -> None:
        """Add or replace attributes, in all graphs that share the node."""
        self.attrs = MappingProxyType({**self.attrs, **changes})

    def twin(self, name: str, inputs: Sequence[Entry]) -> Node:
        """The same use of the operator under another name or on other inputs."""
        twin = Node(self.op, name, self.attrs, inputs, self.subgraphs, self.source)
        twin.versions = self.versions
        return twin

    @property
    def is_variable(self) -> bool:
        return self.op is None

    @property
    def op_name(self) -> str:
        """The operator's canonical name, ``"null"`` for a variable, as in JSON."""
        return "null" if self.op is None else self.op.name

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of all outputs, hidden ones last; asked once, as there may be many."""
        if self._outputs is None:
            self._outputs = ("",) if self.op is None else self.op.list_outputs()
        return self._outputs

    @property
    def num_outputs(self) -> int:
        """How many outputs there are, hidden ones too."""
        return len(self.output_names)

    @property
    def num_visible(self) -> int:
        return 1 if self.op is None else self.op.num_visible()

    def input_names(self) -> tuple[str, ...]:
        """Names of the tensors in ``inputs``: inputs, then auxiliary states."""
        return () if self.op is None else self.op.list_inputs() + self.op.list_aux()

    def aux_inputs(self) -> tuple[Entry, ...]:
        """Those of ``inputs`` that the operator changes."""
        count = 0 if self.op is None else len(self.op.list_aux())
        return self.inputs[len(self.inputs) - count :]

    def __repr__(self) -> str:
        return f"{self.name}({self.op_name})"


class Entry(NamedTuple):
    """One output of a node."""

    node: Node
    number: int = 0

    @property
    def name(self) -> str:
        """``"data"`` for a variable, ``"fc_output"`` for an operator's output."""
        node = self.node
        return node.name if node.op is None else f"{node.name}_{node.output_names[self.number]}"


class Graph:
    """What some entries, the heads, are computed from.

    Parameters
    ----------
    heads : iterable of Entry
    """

    def __init__(self, heads: Iterable[Entry]) -> None:
        self.heads = tuple(heads)

    @cached_property
    def order(self) -> tuple[Node, ...]:
        """All nodes, inputs before readers: depth first over input slots, as MXNet lists them."""
        return tuple(_post_order([e.node for e in self.heads]))

    @cached_property
    def position(self) -> dict[Node, int]:
        """Where each node stands in :attr:`order`; also its number in JSON and ``dag``."""
        return {node: i for i, node in enumerate(self.order)}

    @cached_property
    def aux_nodes(self) -> frozenset[Node]:
        """Variables that some operator changes: auxiliary states."""
        return frozenset(e.node for n in self.order for e in n.aux_inputs() if e.node.is_variable)

    @cached_property
    def variables(self) -> tuple[Node, ...]:
        """All variables, auxiliary states among them."""
        return tuple(n for n in self.order if n.is_variable)

    @cached_property
    def arguments(self) -> tuple[Node, ...]:
        """Variables that are no auxiliary states."""
        return tuple(n for n in self.variables if n not in self.aux_nodes)

    @cached_property
    def auxiliaries(self) -> tuple[Node, ...]:
        return tuple(n for n in self.variables if n in self.aux_nodes)

    def entries(self) -> Iterator[Entry]:
        """Every output of every node."""
        return (Entry(n, i) for n in self.order for i in range(n.num_outputs))

    @cached_property
    def dag(self) -> nx.MultiDiGraph:
        """The graph as a frozen networkx MultiDiGraph.

        Nodes are numbers, the same as in JSON, with ``name``, ``op`` and ``attrs``; an edge has
        the reader's input slot as key, and ``output``, the number of the output read.
        """
        import networkx as nx

        dag = nx.MultiDiGraph()
        for i, node in enumerate(self.order):
            dag.add_node(i, name=node.name, op=node.op_name, attrs=MappingProxyType(node.attrs))
        for i, node in enumerate(self.order):
            for slot, entry in enumerate(node.inputs):
                dag.add_edge(self.position[entry.node], i, key=slot, output=entry.number)
        return nx.freeze(dag)


def _post_order(roots: Iterable[Node]) -> Iterator[Node]:
    seen: set[Node] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack: list[tuple[Node, Iterator[Entry]]] = [(root, iter(root.inputs))]
        while stack:
            node, rest = stack[-1]
            child = next((e.node for e in rest if e.node not in seen), None)
            if child is None:
                stack.pop()
                yield node
            else:
                seen.add(child)
                stack.append((child, iter(child.inputs)))


def attr_of(node: Node, key: str) -> Any:
    """The attribute ``key`` of a node, under its plain or its hidden spelling, or None."""
    found = node.attrs.get(key)
    return found if found is not None else node.attrs.get(f"__{key}__")
