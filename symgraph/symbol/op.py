"""``mx.sym.op``: the operators of ``mx.sym``, without what is written by hand there."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("op")
