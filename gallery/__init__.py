"""Models to read and run, one file each: ``get_symbol(...)`` and ``train(...)``."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from symgraph.errors import MXNetError, close_names

MODELS = ("matrix_factorization",)


def load(name: str) -> ModuleType:
    """The module of the model called ``name``.

    Raises
    ------
    MXNetError
        Listing the models there are.
    """
    if name not in MODELS:
        raise MXNetError(
            f"the gallery has no model {name!r}{close_names(name, MODELS)} "
            f"(models: {', '.join(MODELS)})"
        )
    return import_module(f"symgraph.gallery.{name}")
