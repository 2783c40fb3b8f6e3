"""What every result offers."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from unnerve.core.results import Result


@dataclass(frozen=True, eq=False, repr=False)
class Counted(Result):
    """A result of some rows."""

    rows: int = 2
    name: str = "a"

    def headline(self) -> str:
        """Return one line."""
        return f"{self.rows} rows of {self.name}"

    def table(self) -> pa.Table:
        """Return numbers, names, and the bytes of inputs."""
        return pa.table(
            {
                "id": [f"{self.name}{row}" for row in range(self.rows)],
                "score": [row / 3 for row in range(self.rows)],
                "input": [b"bytes"] * self.rows,
                "shape": [[1]] * self.rows,
                "dtype": ["float32"] * self.rows,
            }
        )

    def summary(self) -> dict[str, Any]:
        """Return the figure."""
        return {"rows": self.rows}


def test_a_result_is_shown_in_one_line() -> None:
    assert repr(Counted()) == "<Counted: 2 rows of a>"
    assert isinstance(Counted(), Result)


def test_a_notebook_shows_headline_and_table() -> None:
    page = Counted()._repr_html_()
    assert page == (
        "<p>2 rows of a</p><table><tr><th>id</th><th>score</th></tr>"
        "<tr><td>a0</td><td>0</td></tr><tr><td>a1</td><td>0.3333</td></tr></table>"
    )


def test_a_notebook_shows_the_first_rows_of_many() -> None:
    page = Counted(1234)._repr_html_()
    assert page.count("<tr>") == 1 + 10
    assert page.endswith("<p>10 of 1,234 rows</p>")
    assert "rows</p>" not in Counted(10)._repr_html_().partition("<table>")[2]


def test_a_notebook_runs_nothing_of_what_names_say() -> None:
    page = Counted(1, "<script>alert(1)</script>&")._repr_html_()
    assert "<script>" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") == 2


def test_nothing_is_shown_as_nothing() -> None:
    assert "<tr><th>id</th><th>score</th></tr></table>" in Counted(0)._repr_html_()


def test_the_table_becomes_a_data_frame() -> None:
    pytest.importorskip("pandas")
    frame = Counted().to_pandas()
    assert list(frame.columns) == Counted().table().column_names
    assert frame["id"].tolist() == ["a0", "a1"]
