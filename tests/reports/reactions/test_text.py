"""Reactions in a few lines."""

from unnerve.reports.reactions.text import reactions_text
from unnerve.studies.react.result import Reactions


def test_text_for_a_person(found: Reactions) -> None:
    lines = reactions_text(found, "reactions.html").splitlines()
    assert lines[0].startswith("zoo:tiny, sensitivity (scale=spread, signed=False) above 0.5 standard deviations: 5")
    rows = [line.split() for line in lines if line.startswith("  ")]
    assert rows[0] == ["layer", "pgd", "(10)", "tour", "(4)"]
    assert rows[1] == ["conv", "40", "%", "(3.33", "%)", "33.3", "%", "(0", "%)"]
    assert ["all", "44", "%", "(2", "%)", "40", "%", "(0", "%)"] in rows
    assert "  pgd: dense 0 (3), conv 0 (0.9)" in lines
    assert lines[-1] == "Report: reactions.html"
