"""``mx.nd.image``: image operators."""

from symgraph.ndarray.functions import namespace_getattr, operator_names

__getattr__ = namespace_getattr("image")


def __dir__() -> list[str]:
    return operator_names("image")
