"""``mx.sym.linalg``: the operators whose names begin with ``_linalg_``."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("linalg")
