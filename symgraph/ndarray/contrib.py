"""``mx.nd.contrib``: operators outside MXNet's stable set."""

from symgraph.ndarray.functions import namespace_getattr, operator_names

__getattr__ = namespace_getattr("contrib")


def __dir__() -> list[str]:
    return operator_names("contrib")
