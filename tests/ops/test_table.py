"""The table of operators in ``docs`` is that of the declarations."""

from pathlib import Path

from symgraph.ops.table import render_table


def test_table_is_fresh():
    written = Path(__file__).parents[2] / "docs" / "operators.md"
    assert written.read_text(encoding="utf-8") == render_table(), (
        "run python -m symgraph.ops > docs/operators.md"
    )
