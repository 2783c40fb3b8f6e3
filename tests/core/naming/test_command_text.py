"""Methods as on the command line."""

from dataclasses import dataclass

import pytest

from unnerve.core.naming.catalogue import build
from unnerve.core.naming.command_text import command_text, number_text


@pytest.mark.parametrize(
    "text",
    [
        "pgd",
        "pgd:steps=7",
        "pgd:steps=7,step=1/255",
        "pgd:random_start=false",
        "guided",
        "guided:search=pso(particles=50,iterations=3)",
        "guided:search=genetic",
    ],
)
def test_methods_are_written_as_they_were_given(text: str) -> None:
    written = command_text(build("hunter", text))
    assert written == text
    assert build("hunter", written) == build("hunter", text)


@pytest.mark.parametrize("text", ["linf:0.2", "linf:8/255", "linf:0.1", "l2:1.5", "l0:0.05", "linf:0.1,low=-1"])
def test_a_setting_that_a_method_needs_stands_without_its_name(text: str) -> None:
    written = command_text(build("region", text))
    assert written == text
    assert build("region", written) == build("region", text)


@dataclass(frozen=True)
class Theirs:
    depth: int
    soft: float | None = 0.5


def test_a_method_that_is_not_in_the_catalogue_keeps_its_settings() -> None:
    assert command_text(Theirs(3, None)).endswith(":3,soft=none")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.2, "0.2"), (51 / 255, "0.2"), (2 / 255, "2/255"), (0.123456, "0.123456"), (1 / 3, "85/255"), (12.0, "12")],
)
def test_numbers_are_written_as_people_do_and_keep_all_digits(value: float, text: str) -> None:
    assert number_text(value) == text
