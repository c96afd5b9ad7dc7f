"""symgraph: symbolic networks you can see, bind and train.

``import symgraph as mx`` gives MXNet's names: ``mx.sym``, ``mx.nd``, ``mx.mod``, ``mx.kv``,
``mx.viz`` and the rest. Each part is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from symgraph.context import Context, cpu, cpu_pinned, current_context, gpu
from symgraph.errors import MXNetError
from symgraph.scopes import AttrScope

if TYPE_CHECKING:
    from symgraph import (
        attribute,
        base,
        callback,
        context,
        executor,
        initializer,
        io,
        kvstore,
        lr_scheduler,
        metric,
        model,
        module,
        monitor,
        name,
        ndarray,
        optimizer,
        random,
        symbol,
        viz,
    )
    from symgraph import initializer as init
    from symgraph import kvstore as kv
    from symgraph import module as mod
    from symgraph import monitor as mon
    from symgraph import ndarray as nd
    from symgraph import random as rnd
    from symgraph import symbol as sym
    from symgraph import viz as visualization
    from symgraph.executor.executor import Executor

__version__ = "0.1.0"

# name here -> module below this package
_MODULES = {
    "attribute": "attribute",
    "base": "base",
    "callback": "callback",
    "context": "context",
    "executor": "executor",
    "init": "initializer",
    "initializer": "initializer",
    "io": "io",
    "kv": "kvstore",
    "kvstore": "kvstore",
    "lr_scheduler": "lr_scheduler",
    "metric": "metric",
    "mod": "module",
    "model": "model",
    "module": "module",
    "mon": "monitor",
    "monitor": "monitor",
    "name": "name",
    "nd": "ndarray",
    "ndarray": "ndarray",
    "optimizer": "optimizer",
    "random": "random",
    "registry": "registry",
    "rnd": "random",
    "sym": "symbol",
    "symbol": "symbol",
    "visualization": "viz",
    "viz": "viz",
}

# Parts of MXNet that scripts often use, to tell them from misspelt names
_MISSING = {"autograd", "contrib", "gluon", "image", "np", "npx", "operator", "profiler", "rnn"}

__all__ = [
    "AttrScope",
    "Context",
    "Executor",
    "MXNetError",
    "attribute",
    "base",
    "callback",
    "context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "executor",
    "gpu",
    "init",
    "initializer",
    "io",
    "kv",
    "kvstore",
    "lr_scheduler",
    "metric",
    "mod",
    "model",
    "module",
    "mon",
    "monitor",
    "name",
    "nd",
    "ndarray",
    "optimizer",
    "random",
    "rnd",
    "sym",
    "symbol",
    "visualization",
    "viz",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found: Any = import_module(f"symgraph.{_MODULES[name]}")
    elif name == "Executor":
        found = import_module("symgraph.executor.executor").Executor
    else:
        missing = ": this part of MXNet is not here so far" if name in _MISSING else ""
        raise AttributeError(f"module 'symgraph' has no attribute {name!r}{missing}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__", "__version__"})
