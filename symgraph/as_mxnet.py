"""Run scripts written for MXNet unchanged: ``import symgraph.as_mxnet`` before ``import mxnet``.

Afterwards ``import mxnet as mx``, ``from mxnet import nd`` and ``import mxnet.module`` give
symgraph and its parts, in this process only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class _Finder(MetaPathFinder, Loader):
    """Answers imports of ``mxnet`` and of what lies below it with symgraph's modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] == "mxnet":
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the machinery make a placeholder; :meth:`exec_module` puts ours in its place."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        parent, _, last = name.rpartition(".")
        if not parent:
            sys.modules[name] = import_module("symgraph")
            return
        try:
            # The facade knows names that are no modules of ours, such as ``visualization``.
            found = getattr(sys.modules[parent], last)
        except AttributeError:
            found = import_module("symgraph" + name.removeprefix("mxnet"))
        sys.modules[name] = found


def _install() -> None:
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        if "mxnet" in sys.modules or PathFinder.find_spec("mxnet"):
            raise ImportError(
                "MXNet itself is installed here; uninstall it, or write `import symgraph as mx`"
            )
        sys.meta_path.insert(0, _Finder())


_install()
