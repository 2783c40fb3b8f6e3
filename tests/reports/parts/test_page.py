"""Pages as files."""

from pathlib import Path

import pytest

from unnerve.core.errors import OutputRefused
from unnerve.reports.parts.page import write_html


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_html(page, "eins\ud800")
    assert page.read_bytes() == b"eins?"
    for place in (tmp_path, tmp_path / "missing" / "report.html", tmp_path / "a\x00b"):
        with pytest.raises(OutputRefused, match="cannot write"):
            write_html(place, "zwei")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
