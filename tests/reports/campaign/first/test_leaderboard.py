"""Methods side by side, with brackets around ties."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.first.leaderboard import apart, brackets, leaderboard


def made(folder: Path, **changes: object) -> Evidence:
    return evidence([Hunted().but(**changes).campaign(folder)])


def test_rows_have_bars_in_per_cent_of_their_room(tmp_path: Path) -> None:
    first, second = leaderboard(made(tmp_path / "a"), "random")
    # Of 12 seeds random spares 0 and 6, pgd 0, 5 and 10; each finds 2 of 3 wrong classes of the others.
    assert (first.label, first.broken.figure, first.wins) == ("random", "10 of 12", True)
    assert (second.label, second.broken.figure, second.wins) == ("pgd", "9 of 12", False)
    assert first.broken.share == pytest.approx(100 * 10 / 12)
    assert first.broken.low < first.broken.share < first.broken.high
    assert first.kinds.figure == "20"
    # The room of the kinds ends where the largest interval does.
    assert max(first.kinds.high, second.kinds.high) == pytest.approx(100)
    assert first.kinds.share / second.kinds.share == pytest.approx(20 / 18)
    assert 0 < first.kinds.low < first.kinds.share < first.kinds.high
    assert (first.queries, first.each) == ("240", "20 each")


def test_only_methods_that_no_test_tells_apart_share_a_bracket(tmp_path: Path) -> None:
    close = made(tmp_path / "a")
    assert not apart(close, "pgd", "random", "seeds_broken")
    assert [row.broken.bracket for row in leaderboard(close, "")] == ["first", "last"]
    # With 80 seeds, sparing every second one differs from sparing every fourth by far.
    far = made(tmp_path / "b", seeds=80, spared=2, methods=("pgd", "random", "gaussian"))
    assert apart(far, "gaussian", "pgd", "seeds_broken")
    assert brackets(far, far.methods, "seeds_broken")[-1] == ""


def test_each_tied_row_says_with_which(tmp_path: Path) -> None:
    close = made(tmp_path / "a", methods=("pgd", "random", "gaussian"), spared=8)
    rows = leaderboard(close, "")
    assert [row.broken.bracket for row in rows] == ["first", "middle", "last"]
    first, *others = (row.label for row in rows)
    assert [row.broken.tied for row in rows] == [", ".join(others), first, first]
