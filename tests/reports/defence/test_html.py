"""The page on defences: its figures, its charts, and names that want to be markup."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from unnerve.core.errors import OutputRefused
from unnerve.reports.defence.html import defence_html, write_defence_report
from unnerve.studies.defend.result import Defended, Held, Shown


def result(name: str = "jpeg:75", adaptive: bool = True) -> Defended:
    rows = [
        Held("none", "none", "clean", False, 10, 0, 10),
        Held("none", "none", "kuk LL", True, 4, 1, 3),
        Held(name, "transform", "clean", False, 10, 0, 8),
        Held(name, "transform", "kuk LL", True, 4, 1, 1),
        *([Held(name, "transform", "adaptive", False, 5, 5, 2)] if adaptive else []),
    ]
    shown = Shown(
        "kuk LL", np.zeros((2, 1, 8, 8), dtype=np.float32), (("3", "3"), ("5", "seven")), (False, True, False, False),
        (0.1, 0.2, 0.1, 0.2), (0.3, 0.1, 0.2, 0.3),
    )  # fmt: skip
    return Defended("net", "data", tuple(rows), {}, 50, shown=(shown,))


def said(html: str) -> str:
    return " ".join(html.split())


def test_what_it_says() -> None:
    html = said(defence_html(result(), "unnerve defend it", date=datetime(2025, 11, 15, 12, 30)))
    assert "of common inputs" in html
    assert ">80 %<" in html
    assert ">25 %<" in html
    # Without the defence all ten clean inputs are right: what it costs stands beside what it brings.
    assert "<strong>100 %</strong><span>common inputs right without a defence</span>" in html
    assert "<strong>unknown</strong><span>accuracy on the inputs looked at</span>" in html
    assert "of inputs against attacks that know them" in html
    assert "4 inputs, 1 of them with a wrong answer" in html
    assert '<span class="turned">seven</span>' in html
    assert "unnerve defend it" in html


def test_what_was_not_tested_is_said() -> None:
    html = said(defence_html(result(adaptive=False)))
    assert "No attack here knows the defence" in html
    plain = Defended("net", "data", result(adaptive=False).rows[::2], {}, 50)
    html = said(defence_html(plain))
    assert "No uncommon inputs were tested" in html
    assert 'id="plane"' not in html


def test_names_are_not_markup() -> None:
    html = defence_html(result("<script>alert(1)</script>"))
    assert "<script>alert(1)" not in html


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputRefused):
        write_defence_report(result(), tmp_path / "no" / "a.html")
    assert result().report(tmp_path / "a.html").exists()
