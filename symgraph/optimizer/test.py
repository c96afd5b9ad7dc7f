"""An optimizer for tests of stores."""

from __future__ import annotations

from typing import Any

from symgraph.optimizer.base import Index, Optimizer, register
from symgraph.optimizer.values import dense_of, narrow, table_of, wide, zeros_like


@register
class Test(Optimizer):
    """``w += rescale * grad``; the state is a copy of the weight."""

    __test__ = False  # pytest collects classes of this name

    def create_state(self, index: Index, weight: Any) -> Any:
        """Zeros, until the first update."""
        return zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Add the gradient. Updates are not counted, as in MXNet."""
        w = table_of(weight)
        narrow(w, wide(w) + self.rescale_grad * wide(dense_of(grad.value)))
        narrow(state.value, w)
