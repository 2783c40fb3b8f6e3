"""Regions in plain words."""

import math

import pytest

from unnerve.core.catalogue import build, describe
from unnerve.reports.parts.regions import (
    largest_l2,
    pixels,
    radius_text,
    region_norm,
    region_text,
    region_words,
    smaller_radius,
    wider_region,
)

GREY, RGB, VECTOR = (1, 28, 28), (3, 10, 10), (40,)


def region(text: str) -> dict[str, object]:
    return describe(build("region", text))


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
    assert region_words(region(text), shape) == words
    assert region_text(region(text)) == text


def test_an_unknown_region_is_named() -> None:
    assert region_words({"name": "blur\x07", "sigma": 2.0}, GREY) == "within blur\u2407:2"
    assert region_words({"name": "blur", "kind": "soft"}, GREY) == "within blur"


@pytest.mark.parametrize(
    ("radius", "text"),
    [(0.2, "0.2"), (51 / 255, "0.2"), (2 / 255, "2/255"), (0.123456, "0.123"), (1 / 3, "85/255"), (12.0, "12")],
)
def test_radii(radius: float, text: str) -> None:
    assert radius_text(radius) == text


def test_an_exact_radius_keeps_all_digits() -> None:
    assert radius_text(0.123456, exact=True) == "0.123456"


def test_a_smaller_radius_is_stated_only_if_the_region_is_larger() -> None:
    assert smaller_radius(region("linf:8/255"), GREY) is None
    assert smaller_radius(region("l2:0.4"), GREY) is None
    assert smaller_radius(region("linf:0.1"), GREY) == pytest.approx((8 / 255, 8 / 255), rel=1e-4)
    # 1 % of 784 pixels are 7; of ten by ten pixels, 1; a region of one pixel has none that is smaller.
    assert smaller_radius(region("l0:0.05"), GREY) == (0.01, 7)
    assert smaller_radius(region("l0:0.05"), RGB) == (0.01, 1)
    assert smaller_radius(region("l0:0.02"), VECTOR) is None
    assert smaller_radius({"name": "blur", "sigma": 2.0}, GREY) is None


def test_the_largest_change_that_fits() -> None:
    assert largest_l2(region("linf:0.2"), GREY) == pytest.approx(0.2 * 28)
    assert largest_l2(region("l2:1.5"), GREY) == 1.5
    assert largest_l2(region("l0:0.05"), RGB) == pytest.approx(math.sqrt(5 * 3))
    assert largest_l2({"name": "blur", "sigma": 2.0}, GREY) is None
    assert (pixels(GREY), pixels(RGB), pixels(VECTOR)) == (784, 100, 40)


def test_a_wider_region_has_twice_the_radius() -> None:
    wider = {
        text: region_text(wider_region(describe(build("region", text)))) for text in ("linf:0.1", "linf:0.6", "l2:3")
    }
    assert wider == {"linf:0.1": "linf:0.2", "linf:0.6": "linf:1", "l2:3": "l2:6"}
    assert wider_region({"name": "theirs"}) == {"name": "theirs"}


def test_a_region_is_measured_in_its_own_norm_or_in_l2() -> None:
    assert [region_norm({"name": name}) for name in ("linf", "l2", "l0", "theirs")] == ["linf", "l2", "l0", "l2"]
