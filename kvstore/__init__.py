"""Key-value stores: where the parameters of a model meet its gradients."""

from symgraph.kvstore import dist, teststore  # noqa: F401  each registers its types
from symgraph.kvstore.base import KVStoreBase, create
from symgraph.kvstore.local import KVStore

__all__ = ["KVStore", "KVStoreBase", "create"]
