"""Methods as on the command line."""

import pytest

from unnerve.core.catalogue import build, describe
from unnerve.reports.parts.commands import command_line, method_text, shown_command


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
    written = method_text(describe(build("hunter", text)))
    assert written == text
    assert build("hunter", written) == build("hunter", text)


def test_a_method_that_is_not_installed_keeps_all_settings() -> None:
    assert method_text({"name": "theirs", "depth": 3, "soft": None}) == "theirs:depth=3,soft=none"


def test_a_line_is_quoted_and_printable() -> None:
    assert command_line(["unnerve", "rank", "my model", "a\x1bb"]) == "unnerve rank 'my model' 'a\u241bb'"


def test_a_given_command_is_shown_or_else_the_planned_one() -> None:
    assert shown_command("unnerve hunt a\x1b", "planned", "weights and device") == ("unnerve hunt a\u241b", "")
    note = "From the plan; weights and device are no part of it."
    assert shown_command(None, "planned", "weights and device") == ("planned", note)
    assert shown_command("", "planned", "weights and device") == ("planned", note)
