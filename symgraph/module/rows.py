"""Which rows of a parameter a batch needs, found from the graph or given by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgraph.errors import MXNetError, close_names
from symgraph.graph.graph import Graph, Node
from symgraph.ndarray import NDArray
from symgraph.storage import CSR

INDEX_INPUTS = {
    ("Embedding", "data"),
    ("take", "indices"),
    ("one_hot", "indices"),
    ("batch_take", "indices"),
}
"""(operator, input) that read numbers of rows or classes and nothing else of an array."""

READERS = {"Embedding": ("weight", "data"), "take": ("a", "indices"), "dot": ("rhs", "lhs")}
"""Operator -> (the input it reads rows of, the input that says which ones)."""


class Source(NamedTuple):
    """An input whose elements, or whose stored columns, are the rows that are read."""

    input: str
    columns: bool


def row_sources(graph: Graph, names: Sequence[str]) -> dict[str, tuple[Source, ...] | None]:
    """By parameter, the inputs that say which of its rows are read; None where that is not known.

    Known is: ``Embedding`` and ``take`` of an input, and ``dot`` of an input stored as csr.
    """
    found: dict[str, list[Source] | None] = {name: [] for name in names}
    for node in graph.order:
        if node.op is None:
            continue
        for slot, entry in enumerate(node.inputs):
            name = entry.node.name
            sources = found.get(name)
            if not entry.node.is_variable or sources is None:
                continue
            source = _source(node, slot)
            if source is None:
                found[name] = None
            else:
                sources.append(source)
    return {name: (None if s is None else tuple(s)) for name, s in found.items()}


def _source(node: Node, slot: int) -> Source | None:
    op = node.op
    assert op is not None
    table, chooser = READERS.get(op.name, ("", ""))
    inputs = op.list_inputs()
    if not table or inputs[slot] != table:
        return None
    chosen = node.inputs[inputs.index(chooser)].node
    plain = op.name != "take" or getattr(op, "axis", 0) == 0
    turned = getattr(op, "transpose_a", False) or getattr(op, "transpose_b", False)
    if not chosen.is_variable or not plain or turned:
        return None
    return Source(chosen.name, op.name == "dot")


def index_inputs(graph: Graph) -> frozenset[str]:
    """Variables that are read as numbers of rows only, so that any integer type will do."""
    only: dict[str, bool] = {}
    for node in graph.order:
        if node.op is None:
            continue
        names = node.op.list_inputs()
        for slot, entry in enumerate(node.inputs[: len(names)]):
            if entry.node.is_variable:
                is_index = (node.op.name, names[slot]) in INDEX_INPUTS
                only[entry.node.name] = only.get(entry.node.name, True) and is_index
    return frozenset(name for name, is_index in only.items() if is_index)


def rows_read(
    sources: Sequence[Source] | None, inputs: Mapping[str, NDArray], num_rows: int
) -> np.ndarray | None:
    """The rows that a batch reads, in any order and repeated; None for all of them.

    Numbers out of range are left to the operator, which clips or refuses them.
    """
    if sources is None:
        return None
    parts = []
    for source in sources:
        array = inputs.get(source.input)
        if array is None or (source.columns and not isinstance(array.value, CSR)):
            return None
        stored = array.indices if source.columns else array  # type: ignore[attr-defined]
        parts.append(stored.asnumpy().ravel().astype(np.int64))
    if not parts:
        return np.zeros(0, np.int64)
    return np.clip(np.concatenate(parts), 0, max(num_rows - 1, 0))


def checked_row_ids(given: Any, shapes: Mapping[str, tuple[int, ...]], sparse: Sequence[str]):
    """What a row id function returned, as int64 arrays by parameter.

    Parameters
    ----------
    given : dict of str to NDArray, numpy.ndarray or list
    shapes : mapping
        Of all parameters.
    sparse : list of str
        The row_sparse ones, for the message.

    Raises
    ------
    MXNetError
        If it is no dict, names no parameter, or a row number is out of range.
    """
    known = ", ".join(sparse) or "none"
    if not isinstance(given, Mapping):
        raise MXNetError(
            "prepare: the row id function must return a dict of parameter name to row ids, "
            f"not {type(given).__name__} (row_sparse parameters: {known})"
        )
    found: dict[str, np.ndarray] = {}
    for name, ids in given.items():
        if name not in shapes:
            raise MXNetError(
                f"prepare: {name!r} is no parameter{close_names(name, shapes)} "
                f"(row_sparse parameters: {known} )"
            )
        rows = _whole_numbers(name, ids)
        bad = rows[(rows < 0) | (rows >= shapes[name][0])]
        if bad.size:
            raise MXNetError(
                f"prepare: row {bad[0]} of {name} is asked for, but it has {shapes[name][0]} rows"
            )
        found[name] = rows
    return found


def _whole_numbers(name: str, ids: Any) -> np.ndarray:
    host = ids.asnumpy() if isinstance(ids, NDArray) else np.asarray(ids)
    rows = host.ravel()
    if rows.dtype.kind not in "iuf" or (rows.dtype.kind == "f" and (rows % 1 != 0).any()):
        raise MXNetError(f"prepare: row ids of {name} must be whole numbers, {host.dtype} came")
    return rows.astype(np.int64)


class RowFetcher:
    """Sees to it that every row of a row_sparse parameter is current before it is read.

    Parameters
    ----------
    graph : Graph
    names : list of str
        The parameters.
    """

    def __init__(self, graph: Graph, names: Sequence[str]) -> None:
        self._sources = row_sources(graph, names)
        self._prepared: tuple[Any, dict[str, np.ndarray]] = (None, {})

    def take(self, group: Any, sync: Any, batch: Any, given: Any) -> None:
        """Take and fetch what a row id function said of a batch; None stands for any batch."""
        shapes = {name: copies[0].shape for name, copies in group.params.items()}
        sparse = [n for n, copies in group.params.items() if copies[0].stype == "row_sparse"]
        ids = checked_row_ids(given, shapes, sparse)
        self._prepared = (batch, ids)
        if sync is not None:
            for name in ids.keys() & set(sync.rows_apart):
                sync.pull_rows(name, ids[name])

    def forget(self) -> None:
        """Rows that were fetched are old now."""
        self._prepared = (None, {})

    def fetch(self, sync: Any, batch: Any, inputs: Mapping[str, NDArray]) -> None:
        """Fetch the rows that a batch reads.

        The network itself knows best which ones these are; where it does not, it is what
        :meth:`take` was told of this batch, or all rows.
        """
        for name in sync.rows_apart:
            rows = rows_read(self._sources[name], inputs, sync.num_rows(name))
            told_of, ids = self._prepared
            if rows is None and (told_of is batch or told_of is None):
                rows = ids.get(name)
            sync.pull_rows(name, rows)
