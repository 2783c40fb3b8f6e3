"""The sentences at the top."""

from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from unnerve.campaign.plan import shards
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.verdict import caveats, failures, method_words, verdicts
from unnerve.reports.parts.campaigns import unfinished
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.stability import Stability


def sentences(made: Hunted, folder: Path) -> tuple[str, str]:
    found = evidence([made.campaign(folder)])
    (verdict,) = verdicts(found)
    return "".join(phrase.text for phrase in verdict), " ".join(caveats(found))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "Within ±0.1 per pixel, zoo:tiny was made to fail on 11 of 12 images; 11 of them fail within "
            "±8/255 per pixel.",
        ),
        (
            {"region": "linf:0.02"},
            "Within ±0.02 per pixel, zoo:tiny was made to fail on 11 of 12 images.",
        ),
        (
            {"each": 1},
            "Within ±0.1 per pixel, zoo:tiny was made to fail on 11 of 12 images; none is known to fail "
            "within ±8/255 per pixel.",
        ),
        (
            {"shape": (40,), "oracle": "changed", "labels": False},
            "Within ±0.1 per value, zoo:tiny was made to change its answer on 11 of 12 inputs; 11 of them "
            "fail within ±8/255 per value.",
        ),
        (
            {"oracle": "becomes:2", "region": "l2:0.5"},
            "Within an L2 distance of 0.5, zoo:tiny was made to answer two on 11 of 12 images.",
        ),
        ({"each": 0}, "Within ±0.1 per pixel, no error of zoo:tiny was found on 12 images."),
        (
            {"missing": 6},
            "Within ±0.1 per pixel, nothing has been hunted yet for zoo:tiny.",
        ),
    ],
)
def test_verdicts(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    assert sentences(Hunted().but(**changes), tmp_path / "a")[0] == sentence


def test_caveats_have_an_interval_and_the_proof(tmp_path: Path) -> None:
    text = sentences(Hunted(quantised=True), tmp_path / "a")[1]
    assert text.startswith("95 % interval of the share broken: 61.5 to 99.8 %.")
    assert "failed again" in text
    assert "8-bit" in text
    none = sentences(Hunted(each=0), tmp_path / "b")[1]
    assert none.startswith("95 % interval of the share broken: 0 to 26.5 %.")
    assert none.endswith("That none was found does not prove that none exists.")


def test_the_proof_is_claimed_only_where_all_of_it_was_done(tmp_path: Path) -> None:
    """Not of a campaign of which a shard was set aside, nor where findings are still to be judged again."""
    proven, open_ = "Every finding was run again", "--resume may still drop findings."
    noisy = Stability(12, 4, 0.5, 0.5, "it draws at random", 3)
    assert proven in sentences(Hunted(), tmp_path / "whole")[1]
    assert proven in sentences(Hunted(stability=noisy, doubted=1), tmp_path / "noisy")[1]
    for place, one in enumerate([Hunted(missing=1), Hunted(stability=None), Hunted(doubted=1)]):
        text = sentences(one, tmp_path / str(place))[1]
        assert proven not in text
        assert open_ in text
    campaign = Hunted().campaign(tmp_path / "aside")
    campaign.store.set_aside(shards(campaign.plan)[0])
    text = " ".join(caveats(evidence([Campaign.at(tmp_path / "aside")])))
    assert proven not in text
    assert open_ in text


def test_methods_are_compared_with_the_best(tmp_path: Path) -> None:
    close = evidence([Hunted().campaign(tmp_path / "a")])
    assert method_words(close) == (
        "random broke the most seeds (10 of 12): not significantly more than pgd (over seeds, in pairs).",
    )
    clear = evidence([Hunted(seeds=60, methods=("pgd", "random"), spared=1).campaign(tmp_path / "b")])
    assert method_words(clear) == (
        "random broke the most seeds (30 of 60): significantly more than pgd (over seeds, in pairs).",
    )
    assert method_words(evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "c")])) == ()


def test_many_methods_are_not_all_named(tmp_path: Path) -> None:
    methods = tuple(f"pgd:steps={number}" for number in range(1, 9))
    words = method_words(evidence([Hunted(methods=methods).campaign(tmp_path / "a")]))
    assert words[0].count("pgd:steps=") == 4
    assert "and 4 others" in words[0]


def test_unfinished_and_failed(tmp_path: Path) -> None:
    made = Hunted(missing=2, failed=(1, 2), reason="RuntimeError: \x1b[31m<b>no</b>")
    found = evidence([made.campaign(tmp_path / "a")])
    assert unfinished(found.campaigns) == ("4 of 6 shards finished; --resume goes on.",)
    assert failures(found) == (
        "Left out: 2 seeds that could not be hunted; the first: RuntimeError: \u241b[31m<b>no</b>",
    )


def test_every_task_has_a_sentence_with_its_folder(tmp_path: Path) -> None:
    made = Hunted()
    found = evidence([made.campaign(tmp_path / "a"), made.but(model="zoo:other").campaign(tmp_path / "b")])
    first, second = ("".join(phrase.text for phrase in one) for one in verdicts(found))
    assert first.startswith("a: within ±0.1 per pixel, zoo:tiny")
    assert second.startswith("b: within ±0.1 per pixel, zoo:other")
    assert "share broken in b:" in " ".join(caveats(found))
