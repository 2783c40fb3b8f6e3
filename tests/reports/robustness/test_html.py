"""The page and the text on robustness; no network is asked."""

from datetime import datetime

import pytest

from tests.reports.markup import parsed, payload
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.parts.palette import light
from unnerve.reports.robustness.html import robustness_html
from unnerve.reports.robustness.words import robustness_text
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.score.result import Robustness, Scored

DATE = datetime(2025, 11, 15, 12, 30)
MADE = Provenance(Call("score", {}), Opening("zoo:tiny"), Opening("made-up"))
CLEVER = Robustness(
    "zoo:tiny",
    "made-up",
    "clever:batches=10",
    Interval(1.25, 2.98e-154, 4.0),
    tuple(
        Scored(str(place), value, place != 2, {"error": 0.0123456, "target": 1, "predicted": 0, "fit": 0.5})
        for place, value in enumerate((1.5, 0.75, 1.5))
    ),
    more={"norm": "l2", "radius": 5.0},
    provenance=MADE,
)
ATTACK = Robustness(
    "zoo:tiny",
    "made-up",
    "attack_success",
    proportion(1, 2),
    tuple(Scored(str(place), value, place != 2, {"pgd": bool(value)}) for place, value in enumerate((0.0, 1.0, 1.0))),
    {"attack": {"pgd": proportion(1, 2)}, "class": {"<b>cat": proportion(0, 1), "dog": proportion(1, 1)}},
    ("gradients look masked",),
    {"region": "linf:0.1", "attacks": ["pgd"], "robust_accuracy": 1 / 3},
    provenance=MADE,
)


def said(found: Robustness) -> str:
    return " ".join(" ".join(parsed(robustness_html(found, date=DATE)).text).split())


def test_clever_is_told_with_its_interval_and_the_next_command() -> None:
    text = said(CLEVER)
    # The lower end is nothing that anybody can read: it is 0.
    assert "within a distance of L2 1.25 (95 %: 0 to 4) on average of 3 inputs." in text
    assert "Next: an attack may find a nearer change" in text
    assert "unnerve hunt zoo:tiny made-up --region l2:1.25 --out runs/hunt" in text.replace(" --", " --")
    assert "2025-11-15 12:30" in text
    (line,) = payload(robustness_html(CLEVER))["charts"]["main"]["data"]
    assert line["x"] == [0.75, 1.5, 1.5]
    assert line["y"] == pytest.approx([1 / 3, 2 / 3, 1])


def test_attacks_are_told_by_attack_and_class() -> None:
    text = said(ATTACK)
    assert "Attacks break 50 % of 2 inputs answered correctly within linf:0.1 (95 %: 1.26 to 98.7 %)." in text
    assert "Gradients look masked." in text
    (bars,) = payload(robustness_html(ATTACK))["charts"]["main"]["data"]
    assert bars["y"] == ["any attack", "attack pgd", "class dog", "class &lt;b&gt;cat"]
    assert bars["marker"]["color"] == [light("bad")] * 2 + [light("strong-line")] * 2
    assert bars["x"] == [0.5, 0.5, 1, 0]


def test_inputs_that_hold_least_come_first() -> None:
    for found, first in ((CLEVER, "1"), (ATTACK, "1")):
        tags = parsed(robustness_html(found))
        rows = [attrs for tag, attrs in tags.tags if tag == "th" and attrs.get("scope") == "row"]
        assert rows[0]["data-key"] == first


def test_anchors_of_cards_are_explained() -> None:
    for found in (CLEVER, ATTACK):
        tags = parsed(robustness_html(found)).tags
        anchors = {attrs["id"] for _, attrs in tags if attrs.get("id")}
        links = {(attrs["href"] or "")[1:] for tag, attrs in tags if tag == "a" and attrs.get("class") == "card"}
        assert links <= anchors


def test_the_terminal_says_the_same() -> None:
    lines = robustness_text(ATTACK, "score.html").splitlines()
    assert lines[0].startswith("zoo:tiny: Attacks break 50 % of 2 inputs")
    assert lines[1] == "Accuracy on them 66.7 % (9.43 to 99.2 %)"
    assert "  attack pgd: 50 % (1.26 to 98.7 %)" in lines
    assert lines[-2:] == [
        "Report: score.html",
        "Next: unnerve hunt zoo:tiny made-up --region linf:0.1 --out runs/hunt",
    ]
