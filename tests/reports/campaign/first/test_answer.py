"""The answer on the first screen."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.answer import answer, exhibits
from unnerve.reports.campaign.gallery import gallery
from unnerve.reports.campaign.sample import sample


@pytest.mark.parametrize(
    ("each", "figure", "interval"),
    [(4, "9 of 12 images fail", "95 %: 42.8 to 94.5 %"), (0, "0 of 12 images fail", "95 %: 0 to 26.5 %")],
)
def test_the_figure_has_its_interval(tmp_path: Path, each: int, figure: str, interval: str) -> None:
    shown = answer(evidence([Hunted(methods=("pgd",), each=each).campaign(tmp_path / "a")]))
    assert shown is not None
    assert (shown.figure, shown.interval, shown.found) == (figure, interval, each > 0)
    assert bool(shown.export) == shown.found


def test_nothing_found_is_no_pass_and_says_if_the_method_is_weak(tmp_path: Path) -> None:
    weak = answer(evidence([Hunted(methods=("gaussian",), each=0).campaign(tmp_path / "a")]))
    strong = answer(evidence([Hunted(methods=("pgd",), each=0).campaign(tmp_path / "b")]))
    assert weak is not None
    assert strong is not None
    words = ["".join(phrase.text for phrase in one.why) for one in (weak, strong)]
    assert words[0].startswith(
        "This is not a pass. gaussian changes inputs without looking at the model, so 240 queries"
    )
    assert words[1].startswith("This is not a pass. pgd found none with 240 queries.")


def test_a_single_step_and_a_small_region_are_named(tmp_path: Path) -> None:
    made = Hunted(methods=("fgsm",), each=0, region="linf:0.004", shape=(1, 28, 28))
    shown = answer(evidence([made.campaign(tmp_path / "a")]))
    assert shown is not None
    words = "".join(phrase.text for phrase in shown.why)
    assert "fgsm takes one step along the gradient" in words
    assert words.endswith("The region is small: 0.004 per pixel, where 0.1 is usual.")


def test_there_is_no_single_answer_to_two_questions_or_before_the_hunt(tmp_path: Path) -> None:
    made = Hunted()
    two = [made.campaign(tmp_path / "a"), made.but(model="zoo:other").campaign(tmp_path / "b")]
    assert answer(evidence(two)) is None
    assert answer(evidence([Hunted(missing=6).campaign(tmp_path / "c")])) is None


def test_what_is_missing_is_said_beside_it(tmp_path: Path) -> None:
    shown = answer(evidence([Hunted(missing=2, failed=(1,)).campaign(tmp_path / "a")]))
    assert shown is not None
    assert "shards finished" in " ".join(shown.warnings)
    assert "could not be hunted" in " ".join(shown.warnings)


def test_exhibits_are_the_surest_of_different_seeds_and_pairs(tmp_path: Path) -> None:
    found = evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "a")])
    chosen = exhibits(gallery(found, sample(found)).findings)
    assert len({one.original for one in chosen}) == len({(one.before, one.after) for one in chosen}) == 3
    assert [one.confidence_after for one in chosen] == ["55 %"] * 3
    assert exhibits(()) == ()
