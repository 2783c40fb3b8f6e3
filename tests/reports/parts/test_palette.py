"""Colours."""

import json
from typing import TYPE_CHECKING

from unnerve.reports.parts.facts import ReportFacts
from unnerve.reports.parts.palette import PALETTE, light
from unnerve.reports.ranking.charts import tries_chart
from unnerve.reports.ranking.page import RankingPage, ranking_page

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe


def page_of(recipe: "Recipe") -> RankingPage:
    return ranking_page(recipe.proof(), ReportFacts("", "", {}))


def test_every_colour_can_be_exchanged(recipe: "Recipe") -> None:
    assert len({light(name) for name in PALETTE}) == len(PALETTE)
    text = json.dumps(tries_chart(page_of(recipe).bars))
    assert light("accent") in text
