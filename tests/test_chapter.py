"""Every snippet of the chapter on KVStore and visualization, verbatim, prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

CHAPTER = Path(__file__).parent / "chapter"
OURS = "import symgraph as mx\nfrom symgraph import nd, sym\n"
SQUARE = "[[{0} {0} {0}]\n [{0} {0} {0}]\n [{0} {0} {0}]]"
SMALL = "[[{0} {0}]\n [{0} {0}]]"


def snippet(*names: str, imports: str = "import symgraph.as_mxnet\n", between: str = "") -> str:
    """The text of snippets, one after the other."""
    texts = [(CHAPTER / f"{name}.py").read_text(encoding="utf-8") for name in names]
    if imports == OURS:
        texts = [
            re.sub(r"^(import mxnet as mx|from mxnet import .*)$", "", t, flags=re.M) for t in texts
        ]
    return imports + between.join(texts)


def output(code: str, cwd: Path) -> str:
    """What a fresh Python prints when it runs ``code``."""
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=cwd,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


both = pytest.mark.parametrize("imports", ["import symgraph.as_mxnet\n", OURS], ids=["mxnet", "mx"])


@both
def test_steps(imports: str, tmp_path: Path) -> None:
    """Init, push, a list that is summed, an updater, a pull to many devices."""
    assert output(snippet("steps", imports=imports), tmp_path) == "\n".join(
        [
            "Initialized value:",
            SQUARE.format("2."),
            "Value after push:",
            SQUARE.format("8."),
            "Value after pushing from multiple sources (summed):",
            SQUARE.format("4."),
            "Updater called on key: 3",
            "Value after push with custom updater:",
            SQUARE.format("6."),
            "Value pulled onto one of the devices:",
            SQUARE.format("6."),
            "",
        ]
    )


@both
def test_consolidated(imports: str, tmp_path: Path) -> None:
    assert output(snippet("consolidated", imports=imports), tmp_path) == "\n".join(
        [
            "1. Initialization",
            SQUARE.format("2."),
            "\n2. Push (overwrite)",
            SQUARE.format("8."),
            "\n3. Push from multiple sources (aggregation)",
            SQUARE.format("4."),
            "\n4. Custom Updater",
            "Updater logic: key 3, input shape (3, 3), stored shape (3, 3)",
            SQUARE.format("6."),
            "\n5. Pull to multiple devices",
            SQUARE.format("6."),
            "",
        ]
    )


def test_many_keys_with_the_default_updater(tmp_path: Path) -> None:
    """As written: ``set_updater(None)`` goes back to replacing, or to the sum of a list."""
    printed = output(snippet("consolidated", "many_keys", "many_devices", between="\n"), tmp_path)
    _, keys, devices = re.split(r"\nValue for one", printed)
    assert keys.partition("\n")[2] == SMALL.format("1.") + "\n"
    assert devices.partition("\n")[2] == SMALL.format("2.") + "\n"


def test_many_keys_with_the_updater_still_set(tmp_path: Path) -> None:
    """The printed output of the chapter assumes that the custom updater is still active."""
    code = snippet("consolidated", "many_keys", "many_devices", between="\n")
    printed = output(re.sub(r"^kv\.set_updater\(None\)", "pass", code, flags=re.M), tmp_path)
    for key in (5, 7, 9, 10, 11, 12):
        assert f"Updater logic: key {key}, input shape (2, 2), stored shape (2, 2)\n" in printed
    _, keys, devices = re.split(r"\nValue for one", printed)
    assert SMALL.format("3.") in keys
    assert SMALL.format("4.5") in devices


@both
def test_network(imports: str, tmp_path: Path) -> None:
    """The network is drawn, and its name with a space and an accent stays whole everywhere."""
    code = snippet("network", imports=imports) + (
        "\nviz_graph = mx.viz.plot_network(network_symbol)\n"
        'viz_graph.render("matrix_factorization_network", view=False)\n'
        'viz_graph.render("matrix_factorization_network", view=False, format="svg")\n'
        "print(network_symbol.get_internals().list_outputs())\n"
        "print(network_symbol.tojson())\n"
    )
    printed = output(code, tmp_path)
    assert printed.startswith("Textual description of the network symbol:\nInputs: 'user', 'item'")
    assert "'sum_ reducción_output'" in printed
    assert '"name": "sum_ reducción"' in printed
    stem = tmp_path / "matrix_factorization_network"
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert "sum_ reducción" in stem.read_text(encoding="utf-8")
    assert "reducción" in stem.with_suffix(".svg").read_text(encoding="utf-8")
