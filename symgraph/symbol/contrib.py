"""``mx.sym.contrib``: the operators whose names begin with ``_contrib_``."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("contrib")
