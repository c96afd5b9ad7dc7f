"""``mx.sym.image``: the operators whose names begin with ``_image_``."""

from symgraph.symbol.namespace import namespace

__getattr__, __dir__ = namespace("image")
