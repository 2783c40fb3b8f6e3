"""The page on defences: its figures, its charts, and names that want to be markup."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from tests.reports.markup import payload
from unnerve.core.errors import OutputRefused
from unnerve.reports.defence.html import defence_html, write_defence_report
from unnerve.studies.defend.held import Held
from unnerve.studies.defend.result import Defended, Shown


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
    return Defended("net", "data", tuple(rows), {}, 50, shown=(shown,), region="linf:0.1")


def said(html: str) -> str:
    return " ".join(html.split())


def test_what_it_says() -> None:
    html = said(defence_html(result(), "unnerve defend it", date=datetime(2025, 11, 15, 12, 30)))
    assert "<code>jpeg:75</code>, on uncommon inputs: <b>25 %</b> right, without a defence <b>75 %</b>" in html
    assert "on clean inputs <b>80 %</b> instead of <b>100 %</b>." in html
    assert "Attacks that know a defence looked in linf:0.1, and it got 40 % right." in html
    assert ">80 %<" in html
    assert ">25 %<" in html
    # Without the defence all ten clean inputs are right: what it costs stands beside what it brings.
    assert "<span>of clean inputs right by jpeg:75</span><small>without a defence 100 %;" in html
    assert "<strong>unknown</strong><span>accuracy on the inputs looked at</span>" in html
    assert "of inputs under attacks that know the defence right by jpeg:75" in html
    assert "4 inputs, 1 of them with a wrong answer" in html
    assert '<span class="turned">seven</span>' in html
    assert "unnerve defend it" in html


def several(*attacked: int) -> Defended:
    """Return defences a, b ... that get so many of 20 attacked inputs right, each 18 of 20 clean ones."""
    named = zip("abcdef", attacked, strict=False)
    rows = [
        row
        for name, held in named
        for row in (
            Held(name, "transform", "clean", False, 20, 0, 18),
            Held(name, "transform", "pgd in a", False, 20, 20, held),
        )
    ]
    bare = [Held("none", "none", "clean", False, 20, 0, 20), Held("none", "none", "pgd in a", False, 20, 20, 0)]
    return Defended("net", "data", (*bare, *rows), {}, 50)


def test_the_best_on_attacked_inputs_is_named_with_those_that_tie() -> None:
    html = said(defence_html(several(12, 16, 4)))
    assert "Of 3 defences <code>b</code> does best on attacked inputs: <b>80 %</b> right" in html
    # 16 against 12 of 20 is p = 0.3 by Fisher's exact test, 16 against 4 is p = 0.0003.
    assert "each by itself): a (60 %)." in html
    assert several(12, 16, 4).headline() == (
        "b does best of the defences of net on attacked inputs: 80 % right (0 % without a defence); not told apart: a"
    )


def test_clean_and_attacked_inputs_have_bars_of_their_own() -> None:
    clean, attacked = payload(defence_html(several(12)))["charts"]["bars"]["data"]
    assert (clean["name"], clean["x"]) == ("clean", [1, 0.9])
    assert (attacked["name"], attacked["x"]) == ("attacked", [0, 0.6])


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


def test_a_defence_that_costs_nothing_is_said_to() -> None:
    rows = []
    for name, kind, held in (("none", "none", 0), ("jpeg:75", "transform", 3)):
        rows += [Held(name, kind, "clean", False, 10, 0, 10), Held(name, kind, "pgd", False, 5, 5, held)]
    html = said(defence_html(Defended("net", "data", tuple(rows), {}, 50)))
    assert "on clean inputs <b>100 %</b>, as without it." in html
