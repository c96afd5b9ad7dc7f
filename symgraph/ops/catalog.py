"""Imports every module of operators; importing is registering."""

from symgraph.ops import (  # noqa: F401
    activation,
    elemwise,
    loss,
    nn,
    reduce,
    softmax,
)
