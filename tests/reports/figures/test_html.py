"""Any result as a page."""

import json
from dataclasses import dataclass
from html import unescape
from typing import Any

import pyarrow as pa
import pytest

from tests.reports.markup import parsed
from unnerve.core.results import Result
from unnerve.reports.figures.html import figures_html


@dataclass(frozen=True, eq=False, repr=False)
class Named(Result):
    """A result whose names are the users'."""

    name: str = "a"
    rows: int = 2

    def headline(self) -> str:
        """Return one line."""
        return f"{self.rows} rows of {self.name}"

    def table(self) -> pa.Table:
        """Return names, numbers, bytes."""
        rows = range(self.rows)
        return pa.table(
            {"id": [self.name for _ in rows], "score": [row / 3 for row in rows], "input": [b"x"] * len(rows)}
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures."""
        return {"rows": self.rows, "name": self.name}


def test_headline_table_figures_and_command() -> None:
    page = figures_html(Named(), "unnerve rank 'my model' digits")
    assert page.startswith("<!doctype html>")
    assert "<title>2 rows of a</title>" in page
    assert "<thead><tr><th>id</th><th>score</th></tr></thead>" in page
    assert '<tr><th scope="row">a</th><td>0.333</td></tr>' in page
    assert json.loads(unescape(page.partition('<pre class="scroll" tabindex="0">')[2].partition("</pre>")[0])) == {
        "rows": 2,
        "name": "a",
    }
    assert "unnerve rank &#39;my model&#39; digits" in page
    assert 'class="command"' not in figures_html(Named())


def test_only_the_first_of_many_rows() -> None:
    page = figures_html(Named(rows=1200))
    assert "The first 1000 of 1200 rows." in page
    assert page.count('<th scope="row">') == 1000
    assert "The first" not in figures_html(Named(rows=1000))


def test_works_without_a_network_and_without_the_chart_library() -> None:
    page = figures_html(Named())
    assert len(page) < 100_000
    tags = parsed(page).tags
    assert not [given for _, given in tags if str(given.get("src", "")).startswith(("http", "//"))]
    assert all(str(given["href"]).startswith("data:") for name, given in tags if name == "link")
    assert not [name for name, _ in tags if name in ("iframe", "object", "embed")]


def test_nothing_of_a_hostile_name_runs(hostile: tuple[str, ...]) -> None:
    sound = [name for name, _ in parsed(figures_html(Named(), "x")).tags]
    for name in hostile:
        page = figures_html(Named(name), name)
        assert [tag for tag, _ in parsed(page).tags] == sound
        assert not set(page) & {"\x00", "\x1b", "\u202e"}


@pytest.mark.parametrize("rows", [0, 1])
def test_little_is_shown_as_little(rows: int) -> None:
    assert figures_html(Named(rows=rows)).count('<th scope="row">') == rows
