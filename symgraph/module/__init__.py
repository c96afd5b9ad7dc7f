"""Modules: networks with parameters, and how they are trained (``mx.mod``)."""

from symgraph.module import contrib
from symgraph.module.base import BaseModule, ModuleStateError
from symgraph.module.module import Module
from symgraph.module.sparse import SparseModule

__all__ = ["BaseModule", "Module", "ModuleStateError", "SparseModule", "contrib"]
