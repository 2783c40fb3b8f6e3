"""The charts of a ranking report."""

from dataclasses import replace
from typing import TYPE_CHECKING

from unnerve.reports.parts.facts import ReportFacts
from unnerve.reports.ranking.charts import found_chart, tries_chart
from unnerve.reports.ranking.page import RankingPage, ranking_page
from unnerve.studies.intervals.interval import Interval

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe


def page_of(recipe: "Recipe") -> RankingPage:
    return ranking_page(recipe.proof(), ReportFacts("", "", {}))


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
    assert [line["meta"] for line in lines if "meta" in line] == [["pd"], ["gini"]]
    # The band has two edges; none of these has a line in the legend, for the text above the chart names them.
    assert [line["showlegend"] for line in lines if "meta" not in line] == [False] * 4
    dashes = [line["line"]["dash"] for line in lines if "meta" in line]
    assert len(set(dashes)) == 2


def test_scores_that_find_the_same_share_a_line(recipe: "Recipe") -> None:
    page = page_of(recipe)
    assert page.found is not None
    pd, gini = page.found.shares["pd"], page.found.shares["gini"]
    alike = replace(page.found, shares={"pd": pd, "gini": gini, "pv": list(pd), "pe": list(pd)})
    lines = [line for line in found_chart(alike, page.noun)["data"] if "meta" in line]
    assert [(line["name"], line["meta"]) for line in lines] == [
        ("pd and 2 alike", ["pd", "pv", "pe"]),
        ("gini", ["gini"]),
    ]


def test_a_remark_stands_on_a_line_of_its_own_beneath_an_axis_title(recipe: "Recipe") -> None:
    found = page_of(recipe).found
    assert found is not None
    title = found_chart(replace(found, end=150), "images")["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("images reviewed (of 200)<br>(the last 50 add ")
