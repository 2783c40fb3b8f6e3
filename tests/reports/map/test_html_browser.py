"""The report of a map in a browser: what a person sees and does."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reports.browsing import CHROMIUM, DARK, LIGHT, Opened, Visit, visiting
from tests.reports.maps import Mapped
from unnerve.reports.map.html import write_map_report
from unnerve.reports.parts.names import printable

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

Open = Callable[..., Opened]
GROUPS = "[...document.querySelectorAll('.tile')].map(tile => payload.inputs[tile.dataset.row].group)"


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the usual map, made once."""
    folder = tmp_path_factory.mktemp("usual")
    return write_map_report(Mapped().found(folder / "a"), folder / "map.html")


@pytest.fixture(scope="module")
def shared(browser: Browser, usual: Path) -> Iterator[Opened]:
    """Return that report in a browser, opened once: plotly takes two seconds to start."""
    with visiting(browser) as visit:
        yield visit(usual, offline=True, color_scheme="dark", reduced_motion="reduce")


@pytest.fixture
def report(shared: Opened) -> Opened:
    """Return the usual report as it looks in the beginning."""
    shared.page.mouse.move(2, 2)
    shared.page.evaluate("close(); filter({ group: '', pattern: '', sort: 'turn' }); pointed = null; scrollTo(0, 0)")
    return shared


@pytest.fixture
def opened(visit: Visit, tmp_path: Path) -> Open:
    def open_(made: Mapped, fragment: str = "", **settings: Any) -> Opened:
        return visit(write_map_report(made.found(tmp_path / "a"), tmp_path / "map.html"), fragment, **settings)

    return open_


def spot(page: Page, row: int) -> tuple[float, float]:
    """Return where a dot is, after the plane was scrolled into view and the page has come to rest."""
    page.evaluate(
        """async () => {
          element("plane").scrollIntoView({ block: "center" });
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        }"""
    )
    x, y = page.evaluate(f"spot({row})")
    return x, y


def test_it_draws_everything_offline_without_a_word(report: Opened) -> None:
    expect(report.page.locator("#plane .scatterlayer .point")).to_have_count(50)
    expect(report.page.locator("#plane .annotation")).to_have_count(4)
    expect(report.page.locator("#auc .scatterlayer .point")).to_have_count(20)
    expect(report.page.locator("#stability .scatterlayer .point")).to_have_count(10)
    assert report.count(".tile") == 36
    assert report.count(".tile img[src^='data:image/png']") == 36
    expect(report.page.locator("h1")).to_contain_text("The strongest random is invisible: 10 of 10 look benign")
    expect(report.page.locator("#count")).to_have_text("50 of 50 images that are shown")
    report.expect_quiet()


def test_pointing_at_a_dot_shows_its_picture(report: Opened) -> None:
    page = report.page
    hint = page.locator("#pointed")
    expect(hint).to_be_hidden()
    row = page.evaluate("inputs.findIndex(one => one.group === 1)")
    page.mouse.move(*spot(page, row))
    expect(hint).to_be_visible()
    one = page.evaluate("inputs[pointed]")
    assert one["group"] in (1, 3)  # other dots may lie nearer
    assert hint.locator("img:visible").count() == 2
    assert page.evaluate("document.querySelectorAll('#pointed img')[1].src") == one["picture"]["uri"]
    seed = page.evaluate("inputs[inputs[pointed].original].picture.uri")
    assert page.evaluate("document.querySelectorAll('#pointed img')[0].src") == seed
    expect(hint).to_contain_text(f"PCS {one['figures']['pcs']}, VRO {one['figures']['vro']}LHseed")
    expect(hint).to_contain_text(", smallest")
    page.mouse.move(2, 2)
    expect(hint).to_be_hidden()
    report.expect_quiet()


def test_a_click_on_a_dot_chooses_it(report: Opened) -> None:
    page = report.page
    page.mouse.click(*spot(page, page.evaluate("inputs.findIndex(one => one.group === 1)")))
    expect(page.locator("#details")).to_be_visible()
    chosen = page.evaluate("inputs[chosen]")
    expect(page.locator("[data-part=id]")).to_have_text(chosen["id"])
    expect(page.locator("[data-part=pattern]")).to_have_text("LH")
    # A ring around the dot, and a line to its original.
    ring = page.evaluate("document.getElementById('plane').data.at(-1)")
    seed = page.evaluate("inputs[inputs[chosen].original]")
    assert ring["x"] == [seed["x"], chosen["x"]]
    assert ring["marker"]["size"][0] == 0 < ring["marker"]["size"][1]
    assert page.url.endswith(f"#input-{chosen['group']}-{chosen['id']}")
    # From there to its seed, which leads to all that was made of it.
    page.locator("#relatives button").first.click()
    expect(page.locator("[data-part=id]")).to_have_text(chosen["seed"])
    made = page.evaluate("inputs.filter(one => one.original === chosen).length")
    expect(page.locator("#relatives button")).to_have_count(made)
    page.locator("#close").click()
    expect(page.locator("#details")).to_be_hidden()
    assert page.evaluate("document.getElementById('plane').data.at(-1).x.length") == 0
    report.expect_quiet()


def test_a_group_filters_plane_and_gallery(report: Opened) -> None:
    page = report.page
    button = page.locator("#groups button").nth(2)
    expect(button).to_contain_text("pgd, strongest")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#count")).to_have_text("9 of 50 images that are shown")
    assert set(page.evaluate(GROUPS)) == {2}
    plane = "document.getElementById('plane')"
    assert page.evaluate(f"{plane}.data.slice(0, 5).map(trace => trace.selectedpoints.length)") == [0, 0, 9, 0, 0]
    assert page.evaluate(f"{plane}.data.filter(trace => trace.meta.kind === 'bars' && trace.visible).length") == 2
    expect(page.locator("#plane .annotation").nth(2)).to_contain_text("HL 9")
    expect(page.locator("#patterns button[data-pattern=HL] small")).to_have_text("9")
    button.click()
    expect(page.locator("#count")).to_have_text("50 of 50 images that are shown")
    assert page.evaluate(f"{plane}.data[0].selectedpoints") is None
    report.expect_quiet()


def test_the_name_of_a_quadrant_filters(report: Opened) -> None:
    page = report.page
    page.locator("#plane .annotation", has_text="LH").locator(".annotation-text-g").click()
    expect(page.locator("#patterns button[data-pattern=LH]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#count")).to_have_text("19 of 50 images that are shown")
    assert set(page.evaluate(GROUPS)) == {1, 3}
    page.locator("#patterns button[data-pattern=HH]").click()
    expect(page.locator("#none")).to_be_visible()
    page.locator("#clear-none").click()
    expect(page.locator("#count")).to_have_text("50 of 50 images that are shown")
    expect(page.locator("#none")).to_be_hidden()
    report.expect_quiet()


def test_the_gallery_sorts_and_shows_more(report: Opened) -> None:
    page = report.page
    for order, key, sign in (("sure", "pcs", -1), ("unsure", "pcs", 1), ("shaky", "vro", -1), ("steady", "vro", 1)):
        page.select_option("#sort", order)
        values = page.evaluate(
            f"[...document.querySelectorAll('.tile')].map(tile => payload.inputs[tile.dataset.row].{key})"
        )
        assert values == sorted(values, reverse=sign < 0)
    expect(page.locator("#more")).to_have_text("Show 14 more of 14")
    page.locator("#more").click()
    expect(page.locator(".tile")).to_have_count(50)


def test_the_plane_has_arrow_keys(report: Opened) -> None:
    page = report.page
    page.locator("#plane").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#pointed")).to_be_visible()
    page.locator("#groups button").nth(0).click()
    page.locator("#plane").focus()
    page.keyboard.press("ArrowRight")
    before = page.evaluate("inputs[pointed]")
    assert before["group"] == 0
    page.keyboard.press("ArrowLeft")
    after = page.evaluate("inputs[pointed]")
    assert after["x"] < before["x"]
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=id]")).to_have_text(after["id"])
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "plane"
    report.expect_quiet()


def test_keys_move_in_the_gallery_and_a_link_leads_there(report: Opened) -> None:
    page = report.page
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text("2 of 50")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#place")).to_have_text("2 of 50")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    last = page.evaluate("fragment(inputs.at(-1))")
    page.locator("#groups button").first.click()
    page.evaluate(f"location.hash = '{last}'")
    expect(page.locator("#place")).to_have_text("50 of 50")
    expect(page.locator(f"[id='{last[1:]}']")).to_be_in_viewport()
    page.evaluate("location.hash = 'input-0-none'")
    expect(page.locator("#count")).to_contain_text("is not in this sample")
    report.expect_quiet()


def test_hostile_names_are_shown_and_do_not_run(opened: Open, hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[number % 3]}{number}" for number in range(12))
    made = Mapped(dropout=hostile[1]).but(
        classes=(*hostile, "%{x} & ${y}"), names=names, model=hostile[0], data=hostile[1]
    )
    report = opened(made)
    page = report.page
    expect(page.locator(".topline")).to_contain_text(hostile[0])
    row = page.evaluate("inputs.findIndex(one => one.group === 0 && one.label === 0)")
    page.evaluate(f"point({row}, 100, 100)")
    expect(page.locator("#pointed")).to_contain_text(hostile[0])
    page.evaluate(f"choose({row})")
    assert page.locator("[data-part=id]").text_content() in {printable(name) for name in names}
    expect(page.locator("[data-part=predicted]")).to_have_text(hostile[0])
    assert page.title().startswith("<img src=x onerror")
    assert report.count("img[src=x]") == 0
    report.expect_quiet()


def test_light_and_dark_and_on_paper(report: Opened) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    dot = "getComputedStyle(document.querySelector('#plane .point')).fill"
    assert report.page.evaluate(ground) == DARK
    dark = report.page.evaluate(dot)
    report.page.emulate_media(color_scheme="light")
    assert report.page.evaluate(ground) == LIGHT
    report.wait_until(f"{dot} !== '{dark}'")
    report.page.emulate_media(color_scheme="dark")
    assert len(report.page.pdf(format="A4")) > 10_000
    report.expect_quiet()


def test_the_page_does_not_scroll_sideways(opened: Open) -> None:
    made = Mapped(dropout="d" * 300).but(
        classes=tuple(f"{'a very long name ' * 10}{number}" for number in range(12)),
        model="m" * 300,
        data="/".join(["folder"] * 60),
        names=tuple("n" * 300 + str(number) for number in range(12)),
    )
    report = opened(made, width=360)
    page = report.page
    for width in (360, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        # What is shown of a dot in a corner stays on the screen.
        for x, y in ((0, 0), (width - 1, 899)):
            page.evaluate(f"point(inputs.length - 1, {x}, {y})")
            box = page.locator("#pointed").bounding_box()
            assert box is not None
            assert min(box["x"], box["y"]) >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= 900
        page.evaluate("choose(0)")
        report.wait_until("document.documentElement.scrollWidth === innerWidth")
    report.expect_quiet()


@pytest.mark.parametrize(
    ("changes", "empty", "pictures"),
    [
        ({"each": 0}, 1, 1),
        ({"spared": 1, "labels": False, "oracle": "changed", "classes": ()}, 0, 1),
        ({"shape": (40,), "region": "l2:0.9", "draws": 3, "early": ()}, 1, 0),
        ({"failed": tuple(range(12))}, 4, 0),
    ],
)
def test_unusual_maps_have_quiet_pages(opened: Open, changes: dict[str, Any], empty: int, pictures: int) -> None:
    report = opened(Mapped().but(**changes), fragment="#input-0-3")
    assert report.count(".empty .command") == empty
    if report.count(".tile"):
        expect(report.page.locator("[data-part=id]")).to_have_text("3")
        assert report.count("#details img:visible") == pictures
    expect(report.page.locator("#groups button:disabled")).to_have_count(
        {"each": 2, "spared": 1}.get(next(iter(changes)), 0)
    )
    report.expect_quiet()


def test_thousands_of_inputs_stay_usable(opened: Open) -> None:
    report = opened(Mapped().but(seeds=520, shard=260, each=2))
    page = report.page
    expect(page.locator("#plane .scatterlayer .point")).to_have_count(page.evaluate("inputs.length"))
    page.locator("#groups button").nth(1).click()
    expect(page.locator("#plane .annotation").nth(1)).to_contain_text("LH 416")
    assert page.evaluate("inputs.length") <= 2000
    report.expect_quiet()
