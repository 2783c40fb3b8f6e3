"""The page on reactions in a browser."""

from pathlib import Path

import pytest
import torch

from tests.reports.browsing import CHROMIUM, Visit
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.measure.reactions.sensitivity import Sensitivity
from unnerve.reports.reactions.html import write_reactions_report
from unnerve.studies.react.result import Reacted, Reactions

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return the page of three methods over 40 neurons in four layers."""
    layers = tuple(Layer(f"layer{number}", 10 * number, 10) for number in range(4))
    steps = torch.arange(40, dtype=torch.float64)

    def reacted(turn: int) -> Reacted:
        sums = steps.roll(turn)
        return Reacted(10, sums, (sums > 20).double() * 10, sums / 4, (sums > 35).double() * 10, 0)

    found = Reactions(
        model="zoo:tiny",
        campaign="runs/a",
        reaction={"name": "sensitivity", "scale": "spread", "signed": False},
        words=Sensitivity().words,
        threshold=0.5,
        neurons=NeuronMap(layers, "deepxplore"),
        methods={"pgd": reacted(0), "tour": reacted(3), "guided": reacted(20)},
        nothing=(),
        top=10,
        seconds=1.0,
    )
    write_reactions_report(found, tmp_path / "reactions.html", "unnerve react it")
    return tmp_path / "reactions.html"


@pytest.mark.parametrize("settings", [{}, {"color_scheme": "dark"}, {"width": 390}])
def test_it_draws_everything_offline_without_a_word(visit: Visit, page: Path, settings: dict[str, object]) -> None:
    opened = visit(page, offline=True, **settings)
    expect(opened.page.locator("#layers .bars .point")).to_have_count(12)
    expect(opened.page.locator("#neurons .heatmaplayer image")).to_have_count(1)
    expect(opened.page.locator("#overlap .heatmap-label")).to_have_count(9)
    width = opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, "nothing sticks out"
    opened.expect_quiet()


def test_the_chosen_method_is_shown(visit: Visit, page: Path) -> None:
    opened = visit(page)
    first = "document.getElementById('neurons').data[0].text[3][0]"
    assert opened.page.evaluate(first) == "layer3 9"
    opened.page.select_option("#method", "2")
    assert opened.page.evaluate(first) == "layer3 9"
    assert opened.page.evaluate("document.getElementById('neurons').data[0].z[3][0]") == pytest.approx(1.9)
    opened.expect_quiet()
