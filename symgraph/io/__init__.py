"""Data iterators (``mx.io``)."""

from symgraph.io.base import DataBatch, DataDesc, DataIter
from symgraph.io.csv_iter import CSVIter
from symgraph.io.libsvm_iter import LibSVMIter
from symgraph.io.ndarray_iter import NDArrayIter
from symgraph.io.wrappers import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "LibSVMIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
