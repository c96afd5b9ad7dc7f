"""Imports every module of operators; importing is registering."""

from symgraph.ops import (  # noqa: F401
    activation,
    conv,
    elemwise,
    loss,
    nn,
    pool,
    reduce,
    softmax,
)
