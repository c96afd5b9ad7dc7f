"""``mx.module.contrib``: where the proposal of SparseModule puts it."""

from symgraph.module.sparse import SparseModule

__all__ = ["SparseModule"]
