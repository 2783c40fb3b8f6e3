"""Why a model failed, in one line."""

from pathlib import Path

import numpy as np

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.first.why import confusion, smallest_change, weakest_class, why


def made(folder: Path, **changes: object) -> Evidence:
    return evidence([Hunted(methods=("pgd",)).but(**changes).campaign(folder)])


def text(found: Evidence) -> str:
    return "".join(phrase.text for phrase in smallest_change(found))


def test_a_weakest_class_is_named_only_if_it_stands_apart(tmp_path: Path) -> None:
    # Every fifth seed holds, whatever its class: chance alone makes one class the weakest.
    assert weakest_class(made(tmp_path / "a", seeds=40)) is None
    # Only seeds 0, 2, 4 ... hold, which are those of the even ones of two classes.
    apart = made(tmp_path / "b", seeds=40, classes=("even", "odd"), spared=2)
    assert weakest_class(apart) == (1, 20, 20)
    assert "Weakest class: odd, 20 of 20 fail." in "".join(phrase.text for phrase in why(apart))
    assert weakest_class(made(tmp_path / "c", labels=False, oracle="changed")) is None


def test_the_most_frequent_confusion_is_of_smallest_changes_and_unique(tmp_path: Path) -> None:
    # Of 12 seeds 0, 5 and 10 hold. The smallest change leads to the next class: 3 to 0 for the seeds 3, 7 and 11.
    assert confusion(made(tmp_path / "a")) == (3, 0, 3, 3)
    # Of 11 seeds no pair is met more often than all others; of 2 none is met twice.
    assert confusion(made(tmp_path / "b", seeds=11)) is None
    assert confusion(made(tmp_path / "c", seeds=2)) is None


def test_the_most_frequent_confusion_is_out_of_the_failing_images_of_its_class(tmp_path: Path) -> None:
    def said(folder: str, **changes: object) -> str:
        return "".join(phrase.text for phrase in why(made(tmp_path / folder, **changes)))

    assert "confusion: three \u2192 zero, all 3 failing images of class three. " in said("a")
    assert "confusion: two \u2192 three, both failing images of class two. " in said("b", seeds=7)


def test_the_smallest_change_is_in_the_regions_norm(tmp_path: Path) -> None:
    assert text(made(tmp_path / "a")) == "Median smallest change: 0.025 per pixel (L\u221e), of 0.1 allowed."
    assert text(made(tmp_path / "b", each=1)).endswith("found only at the full \u00b10.1 per pixel.")
    assert text(made(tmp_path / "c", region="l2:0.9")).endswith(", of 0.9 allowed.")
    assert text(made(tmp_path / "d", region="linf:32/255")).startswith("Median smallest change: 6.38/255 per")


def test_the_smallest_change_of_clips_is_in_decibels(tmp_path: Path) -> None:
    # Changes have a quarter, a half ... of 0.1 in each value, and are made quieter to 20 dB where they are louder.
    found = made(tmp_path / "a", shape=(64,), region="snr:20")
    words = text(found)
    assert words.endswith(" dB below the clip, where 20 dB are allowed.")
    seeds = dict(zip(*next(iter(found.campaigns[0].store.seed_blocks())), strict=True))
    table = found.campaigns[0].findings
    ratios: dict[str, float] = {}
    for name, length in zip(table["seed_id"].to_pylist(), table["l2"].to_pylist(), strict=True):
        ratio = 20 * np.log10(np.linalg.norm(seeds[name]) / length)
        ratios[name] = max(ratio, ratios.get(name, ratio))
    assert words.startswith(f"Median smallest change: {np.median(list(ratios.values())):.1f} dB")


def test_nothing_found_has_no_reason(tmp_path: Path) -> None:
    assert why(made(tmp_path / "a", each=0)) == ()
