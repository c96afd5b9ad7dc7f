"""``mx.nd.linalg``: linear algebra."""

from symgraph.ndarray.functions import namespace_getattr, operator_names

__getattr__ = namespace_getattr("linalg")


def __dir__() -> list[str]:
    return operator_names("linalg")
