"""Pages that are made from declarations and data are fresh, and the README is true."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

_spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
assert _spec and _spec.loader
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)


@pytest.mark.parametrize("name", make.PAGES)
def test_page_is_fresh(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert text == make.PAGES[name](), "run python docs/make.py"


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = [c for c in re.findall(r"```python\n(.*?)```", readme, re.S) if "fit(" in c]
    assert len(examples) == 1
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", examples[0]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert {p.name for p in tmp_path.iterdir()} == {
        "net",
        "net.svg",
        "net-symbol.json",
        "net-0003.params",
    }
    assert "Total params: 24000" in done.stdout


def test_files_the_readme_points_to_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r'(?:\]\(|src=")([^)"#]+)', readme):
        assert target.startswith("http") or (ROOT / target).exists(), target
