"""The charts of a report."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from unnerve.report._palette import PALETTE, light
from unnerve.report._plotly import library
from unnerve.report.charts import eff_chart, figure_chart, found_chart, tries_chart
from unnerve.report.data import Making, RankingPage, ranking_page
from unnerve.studies.intervals import Interval
from unnerve.studies.reproduction import Figure, Series

if TYPE_CHECKING:
    from tests.report.conftest import Recipe


def page_of(recipe: "Recipe") -> RankingPage:
    return ranking_page(recipe.proof(), Making("", "", {}))


def test_eff_has_points_means_and_curve(recipe: "Recipe") -> None:
    page = page_of(recipe.but(count=600))
    chart = eff_chart(page.effs["pd"], 50)
    points, means, curve = chart["data"]
    assert (len(points["x"]), len(means["x"])) == (600, 100)
    assert points["customdata"] == list(range(600))
    assert curve["name"].startswith("fit: ")
    assert means["error_y"]["array"]
    assert chart["layout"]["yaxis"]["title"]["text"] == "Eff (% of 50 tries)"


def test_eff_of_few_inputs_has_no_means(recipe: "Recipe") -> None:
    assert len(eff_chart(page_of(recipe.but(count=20)).effs["pd"], 50)["data"]) == 2


def test_markup_in_names_is_text_to_plotly(recipe: "Recipe", hostile: tuple[str, ...]) -> None:
    page = page_of(recipe.but(classes=(*hostile, "four")))
    hints = eff_chart(page.effs["pd"], 50)["data"][0]["text"]
    assert any("&lt;img" in hint for hint in hints)
    assert not any("<" in hint for hint in hints)


def test_a_papers_figure_has_lines_points_and_bars() -> None:
    series = (
        Series("<b>a</b>", (1.0, 2.0), (0.5, 0.25), ci95=((0.4, 0.8), (0.2, 0.3))),
        Series("b", (1.0,), (3.0,), "points"),
        Series("c", ("nc", "kmnc"), (0.1, 0.2), "bars"),
    )
    chart = figure_chart(Figure("title", "x (units)", "y (units)", series))
    line, points, bars = chart["data"]
    assert (line["mode"], points["mode"], bars["type"]) == ("lines+markers", "markers", "bar")
    assert line["name"] == "&lt;b&gt;a&lt;/b&gt;"
    assert line["error_y"]["array"] == [0.8 - 0.5, 0.3 - 0.25]
    assert line["error_y"]["arrayminus"] == [0.5 - 0.4, 0.25 - 0.2]
    assert "error_y" not in points
    assert bars["x"] == ["nc", "kmnc"]
    assert chart["layout"]["xaxis"]["type"] == "category"
    assert chart["layout"]["xaxis"]["title"]["text"] == "x (units)"
    colours = [line["line"]["color"], points["marker"]["color"], bars["marker"]["color"]]
    assert len(set(colours)) == 3
    assert all(colour in {light for light, _ in PALETTE.values()} for colour in colours)


def test_bars_turn_logarithmic_when_they_differ_much(recipe: "Recipe") -> None:
    bars = page_of(recipe).bars
    assert tries_chart(bars)["layout"]["xaxis"]["type"] == "log"
    alike = tuple(replace(bar, interval=Interval(10, 9, 11)) for bar in bars)
    assert "type" not in tries_chart(alike)["layout"]["xaxis"]


def test_bars_have_intervals_and_marks_of_censored_runs(recipe: "Recipe") -> None:
    bars = page_of(recipe.but(censored=2)).bars
    (trace,) = tries_chart(bars)["data"]
    assert trace["marker"]["pattern"]["shape"] == ["/"] * 4
    high = [mean + above for mean, above in zip(trace["x"], trace["error_x"]["array"], strict=True)]
    assert high == [bar.interval.high for bar in bars]


def test_found_has_a_line_per_score_beside_random_and_ideal(recipe: "Recipe") -> None:
    page = page_of(recipe)
    assert page.found is not None
    lines = found_chart(page.found, page.noun)["data"]
    assert [line["meta"] for line in lines if "meta" in line] == ["pd", "gini"]
    assert {"95 % of random orders", "random, on average", "best possible"} < {line.get("name") for line in lines}
    dashes = [line["line"]["dash"] for line in lines if "meta" in line]
    assert len(set(dashes)) == 2


def test_every_colour_can_be_exchanged(recipe: "Recipe") -> None:
    assert len({light(name) for name in PALETTE}) == len(PALETTE)
    text = json.dumps(tries_chart(page_of(recipe).bars))
    assert light("accent") in text


def test_the_library_can_stand_in_a_page() -> None:
    assert "</script" not in library().lower()
