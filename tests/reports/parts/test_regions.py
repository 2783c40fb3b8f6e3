"""Regions in plain words."""

import pytest

from unnerve.core.facts import RegionFacts
from unnerve.core.naming.catalogue import build
from unnerve.reports.parts.regions import change_text, pixels, radius_text, region_words

GREY, RGB, VECTOR = (1, 28, 28), (3, 10, 10), (40,)


@pytest.mark.parametrize(
    ("text", "shape", "words"),
    [
        ("linf:0.2", GREY, "within ±0.2 per pixel"),
        ("linf:8/255", RGB, "within ±8/255 per pixel"),
        ("linf:0.1", VECTOR, "within ±0.1 per value"),
        ("l2:1.5", GREY, "within an L2 distance of 1.5"),
        ("l0:0.05", GREY, "within a change of 5 % of the pixels"),
    ],
)
def test_words(text: str, shape: tuple[int, ...], words: str) -> None:
    facts = build("region", text).facts(shape)
    assert region_words(facts, shape) == words
    assert facts.text == text


def test_another_size_can_be_put_in() -> None:
    linf, l0 = (build("region", text).facts(GREY) for text in ("linf:0.2", "l0:0.05"))
    assert region_words(linf, GREY, 8 / 255) == "within ±8/255 per pixel"
    assert region_words(l0, GREY, 0.01) == "within a change of 1 % of the pixels"


def test_an_unknown_region_is_named() -> None:
    assert region_words(RegionFacts({"name": "blur"}, "blur\x07:2"), GREY) == "within blur\u2407:2"
    assert region_words(RegionFacts({"name": "blur", "kind": "soft"}, "blur"), GREY) == "within blur"


def test_a_strangers_phrase_is_text_and_nothing_else() -> None:
    theirs = RegionFacts({"name": "blur"}, "blur", "in {0.__class__} {size!r} {\x1b} {size}", None)
    assert region_words(theirs, GREY) == "in {0.__class__} {size!r} {\u241b} {size}"


@pytest.mark.parametrize(
    ("radius", "text"),
    [(0.2, "0.2"), (51 / 255, "0.2"), (2 / 255, "2/255"), (0.123456, "0.123"), (1 / 3, "85/255"), (12.0, "12")],
)
def test_radii(radius: float, text: str) -> None:
    assert radius_text(radius) == text


@pytest.mark.parametrize(
    ("region", "change", "text"),
    [
        ("linf:8/255", 2.23 / 255, "2.23/255"),
        ("linf:0.1", 0.00486, "0.00486"),
        ("l0:0.05", 12.0, "12"),
        ("l2:1", None, "-"),
    ],
)
def test_a_change_is_told_in_the_unit_of_the_radius(region: str, change: float | None, text: str) -> None:
    assert change_text(change, build("region", region).facts(GREY)) == text


def test_pixels() -> None:
    assert (pixels(GREY), pixels(RGB), pixels(VECTOR)) == (784, 100, 40)
