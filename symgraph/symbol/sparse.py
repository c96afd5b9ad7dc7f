"""``mx.sym.sparse``: the operators whose names begin with ``_sparse_``."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("sparse")
