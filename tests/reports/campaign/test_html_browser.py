"""The report of a campaign in a browser: what a person sees and does."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports.browsing import CHROMIUM, DARK, LIGHT, Opened, Visit
from tests.reports.campaigns import Hunted, measured
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.reports.parts.names import printable

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

Open = Callable[..., Opened]
CHANGES = "[...document.querySelectorAll('.tile')].map(tile => payload.findings[tile.dataset.row].change)"
PAIRS = "[...document.querySelectorAll('.tile')].map(tile => tile.querySelector('.pair-line').textContent)"


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the usual campaign, made once."""
    folder = tmp_path_factory.mktemp("usual")
    return write_campaign_report(Hunted().campaign(folder / "a"), folder / "report.html")


@pytest.fixture
def opened(visit: Visit, usual: Path, tmp_path: Path) -> Open:
    def open_(made: Hunted | None = None, fragment: str = "", **settings: Any) -> Opened:
        file = usual
        if made is not None:
            file = write_campaign_report(made.campaign(tmp_path / "a"), tmp_path / "report.html")
        return visit(file, fragment, **settings)

    return open_


def test_it_draws_everything_offline_without_a_word(opened: Open) -> None:
    report = opened(offline=True)
    for figure in ("seeds_broken", "error_categories", "errors"):
        expect(report.page.locator(f"#chart-{figure} .trace path.js-line")).to_have_count(6)
    assert report.count(".tile") == 24
    assert report.count(".tile:first-child img[src^='data:image/png']") >= 3
    expect(report.page.locator("h1")).to_contain_text("random and pgd tie")
    assert report.page.locator("#board").bounding_box()["y"] < 330  # type: ignore[index]
    expect(report.page.locator("#count")).to_have_text("76 findings of 76 in this sample")
    report.expect_quiet()


def test_a_cell_of_the_matrix_filters_the_gallery(opened: Open) -> None:
    report = opened()
    cell = report.page.locator("#matrix button[data-before='1'][data-after='2']")
    # Of the 3 seeds of the class all became the next one.
    expect(cell).to_have_text("100")
    expect(cell).to_have_attribute("aria-label", "one became two: 3 seeds, 10 errors, 100 per cent")
    report.page.select_option("#matrix-unit", label="number of seeds")
    expect(cell).to_have_text("3")
    expect(cell).to_have_attribute("aria-label", "one became two: 3 seeds, 10 errors")
    cell.click()
    expect(cell).to_have_attribute("aria-pressed", "true")
    expect(report.page.locator("#count")).to_have_text("10 findings of 76 in this sample")
    assert set(report.page.evaluate(PAIRS)) == {"one→two"}
    expect(report.page.locator("#before")).to_have_value("1")
    cell.click()
    expect(report.page.locator("#count")).to_have_text("76 findings of 76 in this sample")
    # Nothing became class zero from class one: there is nothing to choose.
    expect(report.page.locator("#matrix button[data-before='1'][data-after='0']")).to_be_disabled()
    report.page.select_option("#matrix-method", label="pgd")
    expect(cell).to_have_text("2")
    expect(report.page.locator("#gallery-method")).to_have_value("1")
    expect(report.page.locator("#count")).to_have_text("36 findings of 76 in this sample")
    assert all(text.endswith(", pgd") for text in report.page.locator(".tile .how").all_text_contents())
    expect(report.page.locator("#pairs li").first).to_contain_text("3 seeds")
    report.expect_quiet()


def test_the_matrix_has_one_stop_and_arrow_keys(opened: Open) -> None:
    page = opened().page
    assert page.locator("#matrix button[tabindex='0']").count() == 1
    page.locator("#matrix button[tabindex='0']").focus()
    place = "[document.activeElement.dataset.before, document.activeElement.dataset.after]"
    assert page.evaluate(place) == ["0", "1"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(place) == ["0", "2"]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(place) == ["1", "2"]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(place) == ["0", "2"]
    page.keyboard.press("Enter")
    expect(page.locator("#after")).to_have_value("2")


def test_the_gallery_sorts_and_shows_more(opened: Open) -> None:
    report = opened()
    report.page.select_option("#sort", "change")
    changes = report.page.evaluate(CHANGES)
    assert changes == sorted(changes)
    assert changes[0] == report.page.evaluate("Math.min(...payload.findings.map(one => one.change))")
    report.page.select_option("#sort", "sureness")
    sure = report.page.evaluate("[...document.querySelectorAll('.tile .sure')].map(one => one.textContent)")
    assert sure == sorted(sure, key=lambda text: -float(text.split("then ")[1].split()[0]))
    assert sure[0] == "90 % sure, then 55 %"
    report.page.select_option("#sort", "queries")
    page = "[...document.querySelectorAll('.tile')].map(tile => payload.findings[tile.dataset.row].queries)"
    assert set(report.page.evaluate(page)[:19]) == {3}
    more = report.page.locator("#more")
    expect(more).to_have_text("Show 48 more of 52")
    more.click()
    assert report.count(".tile") == 72
    more.click()
    assert report.count(".tile") == 76
    expect(more).to_be_hidden()


def test_the_gallery_filters_by_size_and_says_when_nothing_is_left(opened: Open) -> None:
    report = opened()
    report.page.locator("#size").fill("40")
    bound = report.page.evaluate("wanted.size")
    assert 0 < report.count(".tile") < 76
    assert all(change <= bound for change in report.page.evaluate(CHANGES))
    expect(report.page.locator("#size-text")).to_have_text(f"L\u221e {float(f'{bound:.3g}'):g}")
    report.page.locator("#size").fill("0")
    report.page.select_option("#before", "3")
    report.page.select_option("#after", "3")
    assert report.count(".tile") == 0
    expect(report.page.locator("#none")).to_be_visible()
    report.page.locator("#clear-none").click()
    expect(report.page.locator("#none")).to_be_hidden()
    expect(report.page.locator("#count")).to_have_text("76 findings of 76 in this sample")
    report.expect_quiet()


def test_a_click_shows_the_details_and_a_link_leads_to_them(opened: Open) -> None:
    report = opened()
    expect(report.page.locator("#details")).to_be_hidden()
    report.page.locator(".tile").nth(2).click()
    finding = report.page.evaluate("payload.findings[document.querySelectorAll('.tile')[2].dataset.row]")
    parts = report.page.locator("#details [data-part]")
    text = dict(
        zip(parts.evaluate_all("all => all.map(one => one.dataset.part)"), parts.all_text_contents(), strict=True)
    )
    assert text["id"] == finding["id"]
    assert text["change"] == f"L\u221e {finding['linf']}, L2 {finding['l2']}, L0 64 of 64 pixels"
    assert text["before"].endswith("90 % sure")
    assert text["method"].endswith(f"step {finding['step']}, after {finding['queries']} queries")
    expect(report.page.locator("#place")).to_have_text("3 of 76")
    assert report.page.url.endswith(f"#finding-{finding['id']}")
    assert report.count("#details .figure img:visible") == 3
    assert report.page.evaluate("getComputedStyle(document.querySelector('.tile img')).imageRendering") == "pixelated"
    last = report.page.evaluate("payload.findings.at(-1).id")
    report.page.locator("#matrix button:enabled").first.click()
    report.page.evaluate(f"location.hash = 'finding-{last}'")
    expect(report.page.locator("#details [data-part=id]")).to_have_text(last)
    expect(report.page.locator(f"[id='finding-{last}']")).to_be_in_viewport()
    again = opened(fragment=f"#finding-{last}")
    expect(again.page.locator("#details [data-part=id]")).to_have_text(last)
    again.page.evaluate("location.hash = 'finding-0000'")
    expect(again.page.locator("#count")).to_contain_text("is not in this sample")
    again.expect_quiet()


def test_keys_move_and_close(opened: Open) -> None:
    report = opened()
    page = report.page
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text("2 of 76")
    page.keyboard.press("ArrowDown")
    below = page.locator(".tile[aria-pressed=true]").bounding_box()
    page.keyboard.press("ArrowUp")
    above = page.locator(".tile[aria-pressed=true]").bounding_box()
    assert above is not None
    assert below is not None
    assert above["x"] == below["x"]
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text("32 of 76")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    assert page.evaluate("document.activeElement.dataset.row") is not None
    # Keys that move a slider or a choice move nothing else.
    page.locator("#size").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#details")).to_be_hidden()
    report.expect_quiet()


def test_curves_over_seconds_and_on_a_linear_axis(opened: Open) -> None:
    report = opened()
    chart = "document.getElementById('chart-errors')"
    assert report.page.evaluate(f"{chart}.layout.xaxis.type") == "log"
    last = report.page.evaluate(f"{chart}.data[2].x.at(-1)")
    report.page.select_option("#over", "seconds")
    report.page.select_option("#axis", "linear")
    assert last == 20
    assert report.page.evaluate(f"{chart}.data[2].x.at(-1)") == pytest.approx(20 * 1.5 / 240)
    assert report.page.evaluate(f"{chart}.layout.xaxis.type") == "linear"
    assert "seconds per seed" in report.page.evaluate(f"{chart}.layout.xaxis.title.text")
    report.expect_quiet()


def test_hostile_names_are_shown_and_do_not_run(opened: Open, hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[number % 3]}{number}" for number in range(12))
    made = Hunted(
        classes=(*hostile, "%{x} & ${y}"),
        names=names,
        model=hostile[0],
        data=hostile[1],
        failed=(3,),
        reason=hostile[1],
    )
    report = opened(made)
    expect(report.page.locator(".topline")).to_contain_text(hostile[0])
    expect(report.page.locator("#matrix th[scope=row]").first).to_have_attribute("title", hostile[0])
    report.page.locator(".tile").first.click()
    first = report.page.evaluate("payload.findings[document.querySelector('.tile').dataset.row].seed")
    expect(report.page.locator("[data-part=seed]")).to_have_text(first)
    assert first in {printable(name) for name in names}
    expect(report.page.locator("#pairs")).to_contain_text("<img src=x")
    assert report.page.title().startswith("<img src=x onerror")
    assert report.count("img[src=x]") == 0
    report.expect_quiet()


def test_light_and_dark_and_on_paper(opened: Open) -> None:
    report = opened(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    band = "getComputedStyle(document.querySelector('#chart-errors .js-fill')).fill"
    assert report.page.evaluate(ground) == DARK
    dark = report.page.evaluate(band)
    report.page.emulate_media(color_scheme="light")
    assert report.page.evaluate(ground) == LIGHT
    report.wait_until(f"{band} !== '{dark}'")
    assert len(report.page.pdf(format="A4")) > 10_000
    report.expect_quiet()


@pytest.mark.parametrize("width", [360, 3840])
def test_the_page_does_not_scroll_sideways(opened: Open, width: int) -> None:
    long = tuple(f"{'a very long name ' * 10}{number}" for number in range(30))
    made = Hunted(
        classes=long,
        seeds=30,
        model="m" * 300,
        data="/".join(["folder"] * 60),
        names=tuple("n" * 300 + str(number) for number in range(30)),
        failed=(1,),
        reason="r" * 400,
    )
    report = opened(made, width=width)
    report.page.locator(".tile").first.click()
    sizes = report.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] == sizes[1]
    report.expect_quiet()


def test_others_can_be_chosen_in_a_large_matrix(opened: Open) -> None:
    made = Hunted(classes=tuple(f"c{number}" for number in range(50)), seeds=60, methods=("pgd",))
    report = opened(made)
    last = report.page.locator("#matrix tbody tr").last.locator("button:enabled").last
    expect(last).to_have_attribute("data-before", "-1")
    expect(last).to_have_attribute("aria-label", re.compile(r"^others became .*: \d+ kinds?,"))
    # What gathers many classes is not a common kind of error.
    assert not [pair for pair in report.page.locator("#pairs b").all_text_contents() if "others" in pair]
    last.click()
    shown = report.page.evaluate(
        "[...document.querySelectorAll('.tile')].map(tile => payload.findings[tile.dataset.row])"
    )
    rows = report.page.evaluate("payload.matrix.rows")
    assert shown
    assert all(finding["before"] not in rows for finding in shown)
    report.expect_quiet()


@pytest.mark.parametrize(
    ("changes", "found", "pictures"),
    [
        ({"each": 0}, False, 0),
        ({"labels": False, "oracle": "changed", "classes": ()}, True, 3),
        ({"shape": (40,), "region": "l2:0.9"}, True, 0),
        ({"shape": (3, 90, 120), "seeds": 3}, True, 3),
    ],
)
def test_unusual_campaigns_have_quiet_pages(opened: Open, changes: dict[str, Any], found: bool, pictures: int) -> None:
    report = opened(Hunted().but(**changes))
    assert report.count(".empty .command") == 2 * found, "coverage was measured in none of them, nor a layer embedded"
    if found:
        report.page.locator(".tile").first.click()
        expect(report.page.locator("#details")).to_be_visible()
        assert report.count("#details .trio img:visible") == pictures
        expect(report.page.locator("#details [data-part=values]")).to_be_visible(visible=pictures == 0)
    report.expect_quiet()


def test_what_is_shown_is_kept_in_the_address(opened: Open) -> None:
    report = opened()
    page = report.page
    page.select_option("#sort", "change")
    page.fill("#find", "two")
    page.check("#grouped")
    assert page.url.endswith("#?sort=change&find=two&grouped=true")
    heading = page.locator(".seed-heading").first.inner_text()
    shown = page.locator("#count").inner_text()
    page.locator(".tile").first.click()
    linked = page.locator("#permalink").evaluate("link => link.href")
    page.goto("about:blank")
    page.goto(linked)
    expect(page.locator("#details")).to_be_visible()
    expect(page.locator("#find")).to_have_value("two")
    expect(page.locator("#grouped")).to_be_checked()
    expect(page.locator(".seed-heading").first).to_have_text(heading)
    expect(page.locator("#count")).to_have_text(shown)
    report.expect_quiet()


def test_findings_can_be_selected_and_exported(opened: Open) -> None:
    report = opened(permissions=["clipboard-read", "clipboard-write"])
    page = report.page
    page.locator(".tile").first.click()
    page.keyboard.press("x")
    page.keyboard.press("ArrowRight")
    page.locator("#select-one").click()
    expect(page.locator("#selected-count")).to_have_text("2 selected")
    ids = page.evaluate("[...selected]")
    page.locator("#copy-ids").click()
    expect(page.locator("#copy-ids")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == ",".join(ids)
    page.locator("#copy-export").click()
    expect(page.locator("#copy-export")).to_have_text("Copied")
    command = page.evaluate("navigator.clipboard.readText()")
    assert command.startswith("unnerve export ")
    assert command.endswith(f" --ids {','.join(ids)}")
    page.locator("#copy-python").click()
    expect(page.locator("#copy-python")).to_have_text("Copied")
    assert ids[1] in page.evaluate("navigator.clipboard.readText()")
    page.locator("#unselect").click()
    expect(page.locator("#selection")).to_be_hidden()
    report.expect_quiet()


def test_a_method_of_the_board_filters_the_gallery(opened: Open) -> None:
    report = opened()
    expect(report.page.locator("#strip-name")).to_have_text("random")
    report.page.locator("#board [data-method]", has_text="pgd").click()
    expect(report.page.locator("#strip-name")).to_have_text("pgd")
    expect(report.page.locator("#gallery-method")).to_have_value("1")
    expect(report.page.locator("#board [aria-pressed=true]")).to_have_text("pgd")
    report.page.locator("#board [aria-pressed=true]").click()
    expect(report.page.locator("#gallery-method")).to_have_value("")
    expect(report.page.locator(".pairwise table")).to_be_hidden()
    report.page.locator(".pairwise summary").click()
    expect(report.page.locator(".pairwise table")).to_be_visible()
    report.expect_quiet()


def test_a_method_of_the_board_that_found_nothing_says_so(opened: Open) -> None:
    # At place 0 every seed is spared.
    report = opened(Hunted(seeds=40, spared=1))
    expect(report.page.locator("#found-strip h2")).to_have_text("What random found", use_inner_text=True)
    report.page.locator("#board [data-method]", has_text="pgd").click()
    expect(report.page.locator("#found-strip h2")).to_have_text("pgd found nothing", use_inner_text=True)
    report.expect_quiet()


def test_the_first_screen_leads_to_a_finding_and_copies_commands(opened: Open) -> None:
    report = opened(Hunted(methods=("pgd",)), permissions=["clipboard-read", "clipboard-write"])
    expect(report.page.locator("h1")).to_have_text("9 of 12 images fail")
    assert report.page.locator(".exhibit img").first.bounding_box()["y"] < 150  # type: ignore[index]
    assert report.count(".exhibit") == 3
    assert report.page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(179, 38, 30)"
    report.page.locator(".exhibit").nth(1).click()
    expect(report.page.locator("#details")).to_be_visible()
    report.page.locator("[data-copies=export-command]").click()
    expect(report.page.locator("[data-copies=export-command]")).to_have_text("Copied")
    assert report.page.evaluate("navigator.clipboard.readText()").startswith("unnerve export ")
    report.expect_quiet()


def test_coverage_is_drawn(visit: Visit, tmp_path: Path) -> None:
    campaign = measured(Hunted().campaign(tmp_path / "a"))
    opened = visit(write_campaign_report(campaign, tmp_path / "report.html"))
    expect(opened.page.locator("#coverage-1 .bars .point")).to_have_count(6)
    opened.page.locator("#coverage-table-1 ~ .scroll thead button").nth(3).click()
    opened.expect_quiet()
