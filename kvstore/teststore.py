"""The smallest store there can be: it keeps nothing."""

from __future__ import annotations

from typing import Any

from symgraph.kvstore.arguments import grouped, require_outs, require_values
from symgraph.kvstore.base import KVStoreBase
from symgraph.kvstore.merge import merged
from symgraph.ndarray.ndarray import wrap


@KVStoreBase.register
class TestStore(KVStoreBase):
    """Sums what one call brings and gives it back: an example, and a test of trainers."""

    __test__ = False  # pytest collects classes of this name

    @property
    def rank(self) -> int:
        """0: there is one worker, this process."""
        return 0

    @property
    def num_workers(self) -> int:
        """1: there is one worker, this process."""
        return 1

    def is_capable(self, capability: str) -> bool:
        """False: there is nothing that an optimizer could step."""
        return False

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy values to all of ``out``."""
        self.pushpull(key, value, out, priority)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Give the sum of the values to all of ``out``, or to the values themselves."""
        values = grouped("pushpull", key, value)
        outs = grouped("pushpull", key, value if out is None else out)
        for (name, arrays), (_, targets) in zip(values, outs, strict=True):
            require_values(name, arrays[0], arrays)
            require_outs("pushpull", name, arrays[0], targets)
            context = arrays[0].context
            total = wrap(merged(arrays, arrays[0]), context).copy()
            for target in targets:
                total.copyto(target)
