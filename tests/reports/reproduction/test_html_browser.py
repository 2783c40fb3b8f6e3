"""A reproduced paper in a browser."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from tests.reports.browsing import CHROMIUM, Visit
from unnerve.papers._ranking import runs
from unnerve.papers.nsatp.nsatp import nsatp
from unnerve.reports.parts.page import write_html
from unnerve.reports.reproduction.html import reproduction_html

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]


def test_a_reproduced_paper_draws_every_figure(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hostile: tuple[str, ...]
) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    result = replace(nsatp(tmp_path, tmp_path / "out").finished(), skipped=hostile)
    write_html(tmp_path / "report.html", reproduction_html(result, "unnerve reproduce nsatp"))
    report = visit(tmp_path / "report.html", offline=True)
    expect(report.page.locator("h1")).to_have_text(re.compile(r"^4 of 6 claims of nsatp held, .*\d not held"))
    expect(report.page.locator(".figures .js-plotly-plot")).to_have_count(6)
    assert report.count(".figures figure:first-child .trace:first-child path.point") == 200
    assert report.count("table") == 7
    assert hostile[0] in report.page.locator(".doubts").inner_text()
    assert report.page.title() == "nsatp reproduced"
    report.expect_quiet()
