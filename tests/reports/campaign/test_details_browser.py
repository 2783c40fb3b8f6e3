"""The details of a finding, the bar of sections and the keys, in a browser."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.reports.browsing import CHROMIUM, Visit
from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.html import write_campaign_report

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the usual campaign, made once."""
    folder = tmp_path_factory.mktemp("usual")
    return write_campaign_report(Hunted().campaign(folder / "a"), folder / "report.html")


def test_original_and_finding_lie_one_over_the_other(visit: Visit, usual: Path) -> None:
    report = visit(usual, permissions=["clipboard-read", "clipboard-write"])
    page = report.page
    page.locator(".tile").first.click()
    finding = page.evaluate("findings[chosen]")
    assert page.locator("#over-it").get_attribute("src") == finding["found"]["uri"]
    page.locator("#wipe").fill("20")
    assert page.evaluate("getComputedStyle(element('over-it')).clipPath") == "inset(0px 80% 0px 0px)"
    page.keyboard.press("Escape")
    page.locator(".tile").first.click()
    page.keyboard.press("f")
    expect(page.locator("#flicker")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#over-it")).to_have_css("visibility", "hidden")
    page.keyboard.press("f")
    expect(page.locator("#over-it")).to_have_css("visibility", "visible")
    narrow = page.locator("#under").bounding_box()
    page.keyboard.press("z")
    wide = page.locator("#under").bounding_box()
    assert narrow is not None
    assert wide is not None
    assert wide["width"] > 1.5 * narrow["width"]
    page.locator("#copy-verify").click()
    wanted = f"{page.evaluate('payload.verify')} --ids {finding['id']}"
    assert page.evaluate("navigator.clipboard.readText()") == wanted
    assert wanted.startswith("unnerve verify ")
    report.expect_quiet()


def test_a_bar_of_sections_stays_and_a_key_shows_the_keys(visit: Visit, usual: Path) -> None:
    report = visit(usual, width=390)
    page = report.page
    links = page.locator("nav.sections a")
    assert links.all_text_contents() == ["Confusions", "Findings", "Curves", "Figures", "Coverage", "Alike", "Details"]
    links.nth(3).click()
    expect(page.locator("#tables-title")).to_be_in_viewport()
    bar = page.locator("nav.sections").bounding_box()
    assert bar is not None
    assert bar["y"] == 0
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    report.expect_quiet()


def test_charts_do_not_overlap_on_paper(visit: Visit, usual: Path) -> None:
    report = visit(usual, width=700)
    report.page.emulate_media(media="print")
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(report.page.locator("#chart-errors .main-svg").first).to_have_attribute("width", "680")
    places = report.page.evaluate(
        "[...document.querySelectorAll('.chart')].map(one => [one.offsetTop, one.offsetTop + one.offsetHeight])"
    )
    assert len(places) == 3
    assert all(above[1] <= below[0] for above, below in pairwise(places))
    report.expect_quiet()
