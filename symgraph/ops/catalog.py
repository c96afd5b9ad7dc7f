"""Imports every module of operators; importing is registering."""

from symgraph.ops import (  # noqa: F401
    elemwise,
    loss,
    nn,
)
