"""Findings that are alike, chosen in a plane; chosen findings, taken from the page: in a browser."""

import io
import zipfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.reports.browsing import CHROMIUM, Opened, Visit
from tests.reports.campaigns import Hunted
from unnerve.campaign.features import finding_key, seed_key, write_features
from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Examples
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.datasets.tensors import tensors

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

ALL = "36 findings of 36 in this sample"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    made = Hunted(methods=("pgd",)).campaign(tmp_path_factory.mktemp("plane") / "a")
    keys = [*map(seed_key, made.store.labels()), *map(finding_key, made.findings["id"].to_pylist())]
    # Two features are the plane itself.
    places = tensors(torch.rand(len(keys), 2, generator=torch.Generator().manual_seed(0)))
    write_features(made.store, "fc", Examples("features", places.source, names=keys))
    return made


@pytest.fixture(scope="module")
def page_file(campaign: Campaign) -> Path:
    return write_campaign_report(campaign)


def drawn_around(report: Opened, left: float, right: float) -> None:
    """Draw a lasso around a part of the plane, from top to bottom."""
    report.page.locator("#plane").scroll_into_view_if_needed()
    frame = report.page.locator("#plane .nsewdrag").bounding_box()
    assert frame is not None
    x = [frame["x"] + frame["width"] * share for share in (left, right)]
    y = [frame["y"] + 3, frame["y"] + frame["height"] - 3]
    report.page.mouse.move(x[0], y[0])
    report.page.mouse.down()
    for corner in ((x[1], y[0]), (x[1], y[1]), (x[0], y[1]), (x[0], y[0])):
        report.page.mouse.move(*corner, steps=4)
    report.page.mouse.up()


def test_names_in_a_narrow_plane_do_not_cover_each_other(visit: Visit, page_file: Path) -> None:
    report = visit(page_file, width=390)
    names = report.page.locator("#plane .annotation")
    expect(names.first).to_be_attached()
    boxes = report.page.evaluate(
        """() => [...document.querySelectorAll("#plane .annotation")].filter((one) => one.style.visibility !== "hidden")
        .map((one) => one.getBoundingClientRect()).map(({left, right, top, bottom}) => [left, right, top, bottom])"""
    )
    assert 1 <= len(boxes) < names.count()
    for (left, right, top, bottom), other in combinations(boxes, 2):
        assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top


def test_a_lasso_filters_the_gallery_and_stays_in_the_address(visit: Visit, page_file: Path) -> None:
    report = visit(page_file, width=1440)
    # Seeds, findings, and two that explain the shapes in the legend.
    expect(report.page.locator("#plane .scatterlayer .trace")).to_have_count(4)
    expect(report.page.locator("#count")).to_have_text(ALL)
    drawn_around(report, 0.02, 0.5)
    expect(report.page.locator("#count")).not_to_have_text(ALL)
    shown = report.page.locator("#count").text_content()
    rows = report.page.evaluate("shown()")
    assert 0 < len(rows) < 36
    again = visit(page_file, report.page.evaluate("location.hash"), width=1440)
    expect(again.page.locator("#count")).to_have_text(shown or "")
    assert again.page.evaluate("shown()") == rows
    again.page.locator("#clear").click()
    expect(again.page.locator("#count")).to_have_text(ALL)
    report.expect_quiet()
    again.expect_quiet()


def test_neighbours_are_shown_by_a_key(visit: Visit, page_file: Path) -> None:
    report = visit(page_file)
    report.page.locator(".tile").nth(3).focus()
    report.page.keyboard.press("Enter")
    report.page.keyboard.press("n")
    expect(report.page.locator("#count")).to_have_text("12 findings of 36 in this sample")
    chosen = report.page.evaluate("chosen")
    assert chosen in report.page.evaluate("shown()")
    report.expect_quiet()


def test_chosen_findings_are_downloaded_as_png_and_npy(visit: Visit, page_file: Path, campaign: Campaign) -> None:
    report = visit(page_file)
    report.page.locator(".tile").first.click()
    report.page.keyboard.press("x")
    report.page.keyboard.press("ArrowRight")
    report.page.keyboard.press("x")
    ids = report.page.evaluate("[...selected]")
    with report.page.expect_download() as download:
        report.page.locator("#download").click()
    archive = zipfile.ZipFile(download.value.path())
    assert archive.testzip() is None
    assert sorted(archive.namelist()) == sorted(
        ["findings.csv", *(f"{name}.{kind}" for name in ids for kind in ("png", "npy"))]
    )
    stored = {row["id"]: row for row in campaign.findings.to_pylist()}
    for name in ids:
        row = stored[name]
        values = np.load(io.BytesIO(archive.read(f"{name}.npy")))
        np.testing.assert_array_equal(values, stored_array(row["input"], row["shape"], row["dtype"]))
    assert archive.read("findings.csv").decode().count("\n") == 3
    report.expect_quiet()


def test_all_that_are_shown_can_be_selected(visit: Visit, page_file: Path) -> None:
    report = visit(page_file)
    report.page.locator("#before").select_option("1")
    report.page.locator("#select-shown").click()
    count = len(report.page.evaluate("shown()"))
    assert 0 < count < 36
    expect(report.page.locator("#selected-count")).to_have_text(f"{count} selected")
    expect(report.page.locator("#lacking")).to_have_text("")
    report.expect_quiet()


def test_without_features_the_command_for_them_is_named(visit: Visit, tmp_path: Path) -> None:
    report = visit(write_campaign_report(Hunted(methods=("pgd",)).campaign(tmp_path / "a")))
    assert report.count("#plane") == 0
    expect(report.page.locator("section:has(#alike-title) code")).to_contain_text("--embed --resume")
    report.expect_quiet()
