"""Claims in a few lines."""

from pathlib import Path

from tests.reports.reproductions import a_reproduction
from unnerve.reports.reproduction.text import reproduction_text


def test_text() -> None:
    lines = reproduction_text(a_reproduction(), Path("runs/x")).splitlines()
    assert lines[1] == "[ held  ] it works"
    assert lines[3] == "          rule: once is enough (Table I)"
    assert lines[4] == "[not held] a|b"
    assert lines[-1] == "tables: runs/x/results.md; figures: runs/x/report.html"
