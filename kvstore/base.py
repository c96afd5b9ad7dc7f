"""What every store offers, and the registry that ``create`` looks in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from symgraph.errors import KVStoreError, close_names

Store = TypeVar("Store", bound="type[KVStoreBase]")


class KVStoreBase:
    """Base of all stores. A store of your own overrides what it can do and is registered::

    @mx.kv.KVStoreBase.register
    class MyStore(mx.kv.KVStoreBase): ...

    kv = mx.kv.create("mystore")
    """

    OPTIMIZER: ClassVar[str] = "optimizer"
    """The capability of running an optimizer; see :meth:`is_capable`."""

    kv_registry: ClassVar[dict[str, Callable[[], KVStoreBase]]] = {}
    """Name -> what makes a store of that type."""

    @staticmethod
    def register(klass: Store) -> Store:
        """Class decorator: :func:`create` finds the class under its name in lower case."""
        KVStoreBase.kv_registry[klass.__name__.lower()] = klass
        return klass

    @property
    def type(self) -> str:
        """The name that the store was created by."""
        return type(self).__name__.lower()

    @property
    def rank(self) -> int:
        """Number of this process among the workers."""
        raise NotImplementedError(f"{type(self).__name__} has no rank")

    @property
    def num_workers(self) -> int:
        """Number of worker processes."""
        raise NotImplementedError(f"{type(self).__name__} has no num_workers")

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Initialise keys and give their values to all of ``out``."""
        raise NotImplementedError(f"{type(self).__name__} cannot broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Combine the values of all devices and workers, and give the result to all of ``out``."""
        raise NotImplementedError(f"{type(self).__name__} cannot pushpull")

    def is_capable(self, capability: str) -> bool:
        """Whether the store can do more than broadcast and pushpull, such as ``OPTIMIZER``."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it can do")

    def set_optimizer(self, optimizer: Any) -> None:
        """Let the store update its values with an optimizer."""
        raise NotImplementedError(f"{type(self).__name__} cannot run an optimizer")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the states of the optimizer to a file."""
        raise NotImplementedError(f"{type(self).__name__} has no optimizer states")

    def load_optimizer_states(self, fname: str) -> None:
        """Read what :meth:`save_optimizer_states` wrote."""
        raise NotImplementedError(f"{type(self).__name__} has no optimizer states")


def create(name: str = "local") -> Any:
    """A new store.

    Parameters
    ----------
    name : str
        In any case. ``local`` sums in host memory, ``device`` where the values lie; both live in
        this process. ``dist_*`` joins several machines. A class of your own is found under its
        name, see :meth:`KVStoreBase.register`.

    Returns
    -------
    KVStore
        Or an instance of the registered class.

    Raises
    ------
    TypeError
        If the name is no string.
    KVStoreError
        If there is no such type, or it needs what is not there.
    """
    if not isinstance(name, str):
        raise TypeError(f"the type of a KVStore is given as a string, not as {name!r}")
    known = KVStoreBase.kv_registry
    make = known.get(name.lower())
    if make is None:
        raise KVStoreError(
            f"there is no KVStore type {name!r}{close_names(name.lower(), known)} "
            f"(known: {', '.join(sorted(known))})"
        )
    return make()
