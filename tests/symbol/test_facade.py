"""``import symgraph as mx``: MXNet's names, each loaded when it is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import symgraph as mx

SAME = {
    "sym": "symbol",
    "nd": "ndarray",
    "kv": "kvstore",
    "viz": "visualization",
    "mod": "module",
    "init": "initializer",
    "mon": "monitor",
    "rnd": "random",
}


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_loads_no_heavy_part():
    heavy = "numpy numba networkx cupy graphviz pygraphviz jinja2 symgraph.symbol symgraph.ndarray"
    code = f"import sys, symgraph; print(*[m for m in '{heavy}'.split() if m in sys.modules])"
    assert run(code) == []


def test_symbols_load_no_executor():
    code = (
        "import sys, symgraph as mx; mx.sym.FullyConnected(mx.sym.Variable('x'), num_hidden=3); "
        "heavy = ('numba', 'networkx', 'symgraph.executor.executor'); "
        "print(*[m for m in heavy if m in sys.modules])"
    )
    assert run(code) == []


def test_from_import():
    assert run("from symgraph import nd, sym; print(sym.Variable('x').name)") == ["x"]


@pytest.mark.parametrize("name", SAME)
def test_two_names_of_one_module(name):
    assert getattr(mx, name) is getattr(mx, SAME[name])


def test_names():
    assert mx.cpu(1).device_id == 1
    assert mx.current_context() == mx.cpu()
    assert issubclass(mx.MXNetError, RuntimeError)
    assert mx.base.MXNetError is mx.MXNetError
    assert mx.attribute.AttrScope is mx.AttrScope
    assert mx.context.Context is mx.Context
    assert {"sym", "nd", "mod", "Executor"} <= set(dir(mx))
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        mx.nosuch  # noqa: B018
    with pytest.raises(AttributeError, match="'gluon': this part of MXNet is not here so far"):
        mx.gluon  # noqa: B018
    with pytest.raises(TypeError, match="the number of a device is '0', but an int is required"):
        mx.gpu("0")
