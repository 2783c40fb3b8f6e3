"""Links from a page to files beside it."""

from pathlib import Path

from unnerve.reports.parts.links import relative_link


def test_the_way_is_relative_and_quoted(tmp_path: Path) -> None:
    assert relative_link(tmp_path / "a b", tmp_path / "report.html") == "a%20b"
    assert relative_link(tmp_path / "map.parquet", tmp_path / "pages" / "map.html") == "../map.parquet"
