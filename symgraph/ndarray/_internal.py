"""``mx.nd._internal``: operators whose names begin with an underscore."""

from symgraph.ndarray.functions import namespace_getattr, operator_names

__getattr__ = namespace_getattr("_internal")


def __dir__() -> list[str]:
    return operator_names("_internal")
