"""``mx.sym._internal``: the operators whose names begin with an underscore."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("_internal")
