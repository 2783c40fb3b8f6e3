"""``--report`` with and without a path."""

import pytest

from unnerve.cli._report_words import with_page

VERBS = ("cover", "rank", "defend", "corrupt", "hunt", "map")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("cover m d --report", "cover m d --report cover.html"),
        ("rank m d --report --evaluate", "rank m d --report ranking.html --evaluate"),
        ("defend m d --report --json", "defend m d --report defence.html --json"),
        ("corrupt m d --report", "corrupt m d --report corruption.html"),
        ("cover m d --report mine.html --json", "cover m d --report mine.html --json"),
        ("cover m d --report=mine.html", "cover m d --report=mine.html"),
        ("hunt m d --report", "hunt m d --report"),
        ("--help", "--help"),
    ],
)
def test_the_usual_name_stands_in_for_a_path(given: str, meant: str) -> None:
    assert with_page(given.split(), VERBS) == tuple(meant.split())
