"""Fixtures of the whole suite, and the folder that helpers are imported from."""

from __future__ import annotations

import pytest

import symgraph.backend


@pytest.fixture
def strict_device(monkeypatch):
    """The stand-in for a GPU in the place of the ``"gpu"`` backend."""
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
