"""The chart of Eff against rank."""

from typing import TYPE_CHECKING

from unnerve.reports.parts.effs.eff_chart import eff_chart
from unnerve.reports.parts.facts import ReportFacts
from unnerve.reports.ranking.page import RankingPage, ranking_page

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe


def page_of(recipe: "Recipe") -> RankingPage:
    return ranking_page(recipe.proof(), ReportFacts("", "", {}))


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
