"""Methods as on the command line."""

import pytest

from unnerve.core.catalogue import build, describe
from unnerve.report.parts.commands import method_text


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
