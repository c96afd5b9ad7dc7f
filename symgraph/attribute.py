"""``mx.attribute``: the scope that gives symbols attributes."""

from symgraph.scopes import AttrScope

__all__ = ["AttrScope"]
