"""``mx.name``: scopes that name symbols."""

from symgraph.scopes import NameManager, Prefix

__all__ = ["NameManager", "Prefix"]
