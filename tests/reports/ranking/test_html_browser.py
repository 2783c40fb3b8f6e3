"""The report of a ranking proof in a browser: what a person sees and does."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.reports.browsing import CHROMIUM, DARK, LIGHT, Opened, Visit
from unnerve.reports.parts.page import write_html
from unnerve.reports.ranking.html import ranking_html

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe

COMMAND = "unnerve rank zoo:tiny made-up --evaluate"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]


Open = Callable[..., Opened]


@pytest.fixture
def opened(visit: Visit, recipe: "Recipe", tmp_path: Path) -> Open:
    def open_(made: "Recipe" = recipe, fragment: str = "", **settings: Any) -> Opened:
        file = tmp_path / "report.html"
        write_html(file, ranking_html(made.proof(), COMMAND))
        return visit(file, fragment, **settings)

    return open_


def test_it_draws_every_chart_offline_without_a_word(opened: Open) -> None:
    report = opened(offline=True)
    expect(report.page.locator("#effs .trace")).to_have_count(3)
    assert report.count("#effs .trace:first-child path.point") == 200
    assert report.count("#tries .bars .point") == 4
    assert report.count("#tries .errorbar") == 4
    assert report.count("#found .trace path.js-line") == 6
    assert report.count(".tile") == 60
    report.expect_quiet()


def test_the_score_changes_strip_and_chart(opened: Open) -> None:
    report = opened()
    rows = "[...document.querySelectorAll('.tile')].map(tile => tile.dataset.row)"
    points = "document.getElementById('effs').data[0].x"
    before = report.page.evaluate(rows), report.page.evaluate(points)
    report.page.select_option("#strip-score", "gini")
    after = report.page.evaluate(rows), report.page.evaluate(points)
    assert before[0] != after[0]
    assert before[1] != after[1]
    expect(report.page.locator("#effs-score")).to_have_value("gini")
    widths = "document.getElementById('found').data.filter(line => line.meta).map(line => line.line.width)"
    assert report.page.evaluate(widths) == [1.5, 4]
    report.page.select_option("#effs-score", "pd")
    assert (report.page.evaluate(rows), report.page.evaluate(points)) == before
    report.expect_quiet()


def test_the_strip_is_in_the_order_of_the_score(opened: Open, recipe: "Recipe") -> None:
    report = opened()
    rows = report.page.evaluate("[...document.querySelectorAll('#first .tile')].map(tile => Number(tile.dataset.row))")
    assert rows == recipe.proof().scores["pd"].order[:40].tolist()
    expect(report.page.locator(".tile .rank").first).to_have_text("#1")
    expect(report.page.locator(".tile .rank").last).to_have_text("#200")


def test_a_click_shows_the_details(opened: Open, recipe: "Recipe") -> None:
    report = opened()
    expect(report.page.locator("#details")).to_be_hidden()
    report.page.locator(".tile").nth(2).click()
    proof = recipe.proof()
    row = int(proof.scores["pd"].order[2])
    part = report.page.locator("#details [data-part]").all_text_contents()
    labels = proof.candidates.label_array()
    assert labels is not None
    assert part[:2] == [str(row), recipe.classes[labels[row]]]
    assert part[2].startswith(recipe.classes[proof.scored.predicted[row]])
    assert part[3] == f"{100 * proof.scored.confidence[row]:.3g} %"
    assert part[4] == recipe.classes[proof.scored.runner_up[row]]
    assert part[5] == f"{proof.scored.scores['pd'][row]:.3g} by pd"
    assert part[6].startswith(f"{100 * proof.eff[row]:.3g} %: {round(50 * proof.eff[row])} of 50 tries")
    expect(report.page.locator("#place")).to_have_text("Rank 3 of 200")
    assert report.page.url.endswith(f"#input-{row}")
    report.expect_quiet()


def test_keys_move_and_close(opened: Open) -> None:
    report = opened()
    page = report.page
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text("Rank 2 of 200")
    page.keyboard.press("ArrowDown")
    below = page.locator(".tile[aria-pressed=true]").bounding_box()
    page.keyboard.press("ArrowUp")
    above = page.locator(".tile[aria-pressed=true]").bounding_box()
    assert above is not None
    assert below is not None
    assert (above["x"], above["y"] < below["y"]) == (below["x"], True)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#place")).to_have_text("Rank 1 of 200")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    assert page.evaluate("document.activeElement.dataset.row") is not None
    report.expect_quiet()


def test_a_link_opens_its_input(opened: Open, recipe: "Recipe") -> None:
    names = tuple(f"folder/picture {number} <ü>.png" for number in range(200))
    made = recipe.but(names=names)
    row = int(made.proof().scores["pd"].order[150])
    report = opened(made)
    report.page.evaluate(f"location.hash = 'input-' + encodeURIComponent({names[row]!r})")
    expect(report.page.locator("[data-part=id]")).to_have_text(names[row])
    address = report.page.locator("#permalink").get_attribute("href")
    again = opened(made, fragment=address)
    expect(again.page.locator("[data-part=id]")).to_have_text(names[row])
    again.expect_quiet()


def test_a_point_of_the_chart_opens_its_input(opened: Open) -> None:
    report = opened()
    point = report.page.locator("#effs .trace:first-child path.point").nth(7)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    assert box is not None
    report.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    report.page.wait_for_selector("#effs .hovertext")
    report.page.mouse.down()
    report.page.mouse.up()
    expect(report.page.locator("#details")).to_be_visible()


@pytest.mark.parametrize("allowed", [True, False])
def test_the_command_can_be_copied(opened: Open, allowed: bool) -> None:
    report = opened(permissions=["clipboard-read", "clipboard-write"])
    if not allowed:
        report.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    report.page.locator(".how-run summary").click()
    button = report.page.locator(".how-run .copy").first
    button.click()
    expect(button).to_have_text("Copied")
    assert report.page.evaluate("navigator.clipboard.readText()") == COMMAND
    expect(button).to_have_text("Copy")
    report.expect_quiet()


def test_the_table_sorts(opened: Open) -> None:
    report = opened()
    table = report.page.locator("table").first
    cost = table.locator("thead th").nth(1)
    keys = "table => [...table.tBodies[0].rows].map(row => Number(row.cells[1].dataset.key))"
    cost.locator("button").click()
    expect(cost).to_have_attribute("aria-sort", "ascending")
    rising = table.evaluate(keys)
    cost.locator("button").click()
    expect(cost).to_have_attribute("aria-sort", "descending")
    assert rising == sorted(rising)
    assert table.evaluate(keys) == sorted(rising, reverse=True)
    table.locator("thead button").nth(5).click()
    assert table.locator("tbody th").last.text_content() in ("random order", "random, Eff > 0")
    report.expect_quiet()


def test_hostile_names_are_shown_and_do_not_run(opened: Open, recipe: "Recipe", hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[number % 3]}{number}" for number in range(200))
    made = recipe.but(classes=(*hostile, "%{x} & ${y}"), names=names, model=hostile[0], data=hostile[1])
    report = opened(made)
    row = int(made.proof().scores["pd"].order[0])
    expect(report.page.locator(".topline")).to_contain_text(hostile[0])
    report.page.locator(".tile").first.click()
    shown = report.page.locator("[data-part=id]").text_content() or ""
    assert shown.endswith(names[row][-10:])
    expect(report.page.locator(".tile .predicted", has_text="<img src=x").first).to_be_visible()
    point = made.proof().scored.predicted.tolist().index(0)
    report.page.evaluate(f"Plotly.Fx.hover('effs', [{{curveNumber: 0, pointNumber: {point}}}])")
    expect(report.page.locator("#effs .hovertext")).to_contain_text("taken for <img src=x")
    assert report.page.title().startswith("<img src=x onerror")
    assert report.count("img[src=x]") == 0
    report.expect_quiet()


def test_light_and_dark_also_when_switched(opened: Open) -> None:
    report = opened(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    tick = "getComputedStyle(document.querySelector('#tries .ytick text')).fill"
    assert report.page.evaluate(ground) == DARK
    dark = report.page.evaluate(tick)
    report.page.emulate_media(color_scheme="light")
    assert report.page.evaluate(ground) == LIGHT
    report.wait_until(f"{tick} !== '{dark}'")
    report.expect_quiet()


def test_paper_is_light(opened: Open) -> None:
    report = opened(color_scheme="dark")
    report.page.evaluate(
        "addEventListener('beforeprint', () => window.bar = "
        "getComputedStyle(document.querySelector('#tries .bars path')).fill)"
    )
    assert len(report.page.pdf(format="A4")) > 10_000
    assert report.page.evaluate("window.bar") == "rgb(59, 76, 202)"
    report.expect_quiet()


@pytest.mark.parametrize("width", [360, 768, 3840])
def test_the_page_does_not_scroll_sideways(opened: Open, recipe: "Recipe", width: int) -> None:
    long = tuple(f"{'a very long name ' * 10}{number}" for number in range(4))
    made = recipe.but(classes=long, model="m" * 300, data="/".join(["folder"] * 60), names=("n" * 300,) * 200)
    report = opened(made, width=width)
    report.page.locator(".tile").first.click()
    sizes = report.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] == sizes[1]
    report.expect_quiet()


@pytest.mark.parametrize(
    ("changes", "empty"),
    [
        ({"vulnerable": False, "labels": False, "classes": ()}, 3),
        ({"shape": (40,), "count": 5}, 0),
        ({"count": 1, "repeats": 1, "scores": ("pd",)}, 2),
        ({"shape": (3, 90, 120), "censored": 3}, 0),
    ],
)
def test_unusual_proofs_have_quiet_pages(opened: Open, recipe: "Recipe", changes: dict[str, Any], empty: int) -> None:
    report = opened(recipe.but(**changes))
    assert report.count(".empty .command") == empty
    report.page.locator(".tile").first.click()
    expect(report.page.locator("#details")).to_be_visible()
    pictured = "shape" not in changes or len(changes["shape"]) == 3
    expect(report.page.locator("#details img")).to_be_visible(visible=pictured)
    report.expect_quiet()


def test_large_images_are_smooth_and_small_ones_are_not(opened: Open, recipe: "Recipe") -> None:
    rendering = "getComputedStyle(document.querySelector('.tile img')).imageRendering"
    assert opened().page.evaluate(rendering) == "pixelated"
    assert opened(recipe.but(shape=(3, 90, 120), count=5)).page.evaluate(rendering) == "auto"
