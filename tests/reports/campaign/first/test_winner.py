"""Which method of an arena wins, and who ties with it."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.winner import Winner, winner
from unnerve.reports.parts.phrases import Phrase


def said(folder: Path, **changes: object) -> tuple[str, str]:
    found = winner(evidence([Hunted().but(**changes).campaign(folder)]))
    assert isinstance(found, Winner)
    return found.label, "".join(phrase.text for phrase in (*found.headline, Phrase(" | "), *found.lead))


def test_methods_that_no_test_tells_apart_tie(tmp_path: Path) -> None:
    label, words = said(tmp_path / "a")
    assert label == ""
    assert words.startswith("random and pgd tie: no test tells them apart on images broken (9 to 10 of 12) | No method")


def test_more_seeds_broken_win_and_the_next_is_named(tmp_path: Path) -> None:
    label, words = said(tmp_path / "a", seeds=80, spared=1)
    # At place 0 every seed is spared, at place 1 every second one.
    assert label == "random"
    assert words.startswith(
        "random wins: it breaks 40 of 80 images | Behind by more than chance: pgd with 0 of 80 (0 to"
    )


def test_others_that_are_behind_are_named(tmp_path: Path) -> None:
    _, words = said(tmp_path / "a", seeds=80, spared=1, methods=("pgd", "random", "gaussian", "square"))
    assert words.endswith("(38.6 to 61.4 %); so is pgd.")


def test_one_method_or_nothing_found_has_no_winner(tmp_path: Path) -> None:
    assert winner(evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "a")])) is None
    assert winner(evidence([Hunted(each=0).campaign(tmp_path / "b")])) is None
