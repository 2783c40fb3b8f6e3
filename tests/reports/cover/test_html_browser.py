"""The page on coverage in a browser."""

from pathlib import Path

import pytest

from tests.reports.browsing import CHROMIUM, DARK, Visit
from unnerve.core.data.examples import Examples
from unnerve.reports.cover.html import write_cover_report
from unnerve.studies.cover.cover import cover
from unnerve.subjects.adapters.torch_module import TorchModule

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


def test_layers_of_the_chosen_inputs_are_shown(
    visit: Visit, tiny_model: TorchModule, small_data: Examples, tmp_path: Path
) -> None:
    found = cover(tiny_model, small_data.take(range(1)), criteria="tknc,tknp", also=small_data.take(range(1, 40)))
    write_cover_report(found, tmp_path / "cover.html")
    opened = visit(tmp_path / "cover.html", width=390, color_scheme="dark", offline=True)
    tables = opened.page.locator("[data-set]")
    expect(tables.nth(0)).to_be_visible()
    opened.page.select_option("#layer-set", "1")
    expect(tables.nth(0)).to_be_hidden()
    expect(tables.nth(1)).to_be_visible()
    opened.page.locator("[data-set='1'] thead button").nth(2).click()
    shares = tables.nth(1).locator("tbody tr td:nth-child(3)").evaluate_all("all => all.map(one => +one.dataset.key)")
    assert shares == sorted(shares)
    assert opened.page.evaluate(SIDEWAYS) == 0
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == DARK
    opened.expect_quiet()
