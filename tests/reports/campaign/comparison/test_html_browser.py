"""Two models compared, in a browser."""

from pathlib import Path

import pytest

from tests.reports.browsing import CHROMIUM, Visit
from tests.reports.campaigns import Hunted
from unnerve.reports.write import report

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


def test_a_fate_leads_to_its_seeds(visit: Visit, tmp_path: Path, hostile: tuple[str, ...]) -> None:
    old = Hunted(seeds=20, methods=("pgd",), model="zoo:old", classes=(*hostile, "a very long name " * 10))
    old.campaign(tmp_path / "old")
    old.but(model="zoo:new", spared=2).campaign(tmp_path / "new")
    opened = visit(report(tmp_path / "old", tmp_path / "new"), width=390, offline=True)
    expect(opened.page.locator("h1")).to_have_text("zoo:new fails on 10 of 20 images, zoo:old on 16.")
    opened.page.locator(".fates .worse a").click()
    expect(opened.page.locator("#worse")).to_be_in_viewport()
    assert opened.count("section[aria-labelledby=worse] li img") == 6
    assert opened.page.evaluate(SIDEWAYS) == 0
    assert opened.count("img[src=x]") == 0
    opened.expect_quiet()
