"""Imports every module of operators; importing is registering."""

from symgraph.ops import (  # noqa: F401
    activation,
    arrange,
    conv,
    creation,
    elemwise,
    indexing,
    loss,
    matrix,
    nn,
    normalize,
    pool,
    reduce,
    regression,
    reshape,
    softmax,
    sparse,
    stretch,
)
