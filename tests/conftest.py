"""Fixtures of the whole suite, and the folder that helpers are imported from."""

from __future__ import annotations

import pytest

import symgraph.backend


@pytest.fixture(params=["stand-in", pytest.param("cupy", marks=pytest.mark.gpu)])
def strict_device(request, monkeypatch):
    """The ``"gpu"`` backend: a stand-in with CuPy's manners, and under ``-m gpu`` a real one."""
    if request.param == "cupy":
        yield symgraph.backend.get_backend("gpu")
        return
    from strict.device import make_backend

    monkeypatch.setitem(symgraph.backend.FACTORIES, "gpu", make_backend)
    symgraph.backend.forget_backend("gpu")
    yield symgraph.backend.get_backend("gpu")
    symgraph.backend.forget_backend("gpu")


@pytest.fixture(autouse=True)
def fresh_names():
    """Auto names are counted per process; a test must not depend on those before it."""
    import symgraph as mx

    with mx.name.NameManager():
        yield
