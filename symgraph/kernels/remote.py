"""Bodies for arrays whose values the host cannot see without waiting for a device."""

from __future__ import annotations

from symgraph.kernels import namespace_of
from symgraph.kernels.scatter import check_rows, scatter_add
from symgraph.kernels.sparse import check_indptr


def register_remote(array_type: type) -> None:
    """Register them for ``array_type``, whose namespace must be known already."""
    check_rows.register(array_type)(lambda index, num_rows: -1)
    check_indptr.register(array_type)(lambda indptr, nnz: True)

    @scatter_add.register(array_type)
    def _(dst, index, src):
        xp = namespace_of(dst)
        if dst.dtype != xp.int64:
            return scatter_add.reference(xp, dst, index, src)
        # devices add no signed 64-bit integers atomically; unsigned ones have the same bits
        unsigned = src.astype(xp.int64, copy=False).view(xp.uint64)
        return scatter_add.reference(xp, dst.view(xp.uint64), index, unsigned)
