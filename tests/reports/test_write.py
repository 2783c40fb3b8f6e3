"""The report of each kind of result."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from torch import Tensor

import unnerve
from tests.reports.campaigns import Hunted
from tests.reports.conftest import Recipe
from tests.reports.maps import Mapped
from tests.reports.reproductions import a_reproduction
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.results import Result
from unnerve.reports.write import report, write_report
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.cover.cover import cover
from unnerve.studies.inspect.inspect import inspect
from unnerve.studies.rank.rank import rank
from unnerve.studies.react.react import react
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data(tiny_model: TorchModule, small_images: Tensor) -> Examples:
    """Return images labelled as the small network answers."""
    return tensors(small_images, tiny_model.observe(small_images).predicted, name="answered")


@pytest.fixture
def results(tiny_model: TorchModule, data: Examples) -> dict[str, Callable[[], Result]]:
    """Return what makes each kind of result."""
    hunted = {"methods": "pgd:steps=4", "region": "linf:0.3", "inputs": 4, "queries": 9}
    return {
        "Campaign": lambda: Hunted().campaign(Path("campaign")),
        "UncertaintyMap": lambda: Mapped().found(Path("map")),
        "RankingProof": lambda: Recipe().proof(),
        "Reactions": lambda: react(tiny_model, data, **hunted),
        "Reproduction": a_reproduction,
        "Ranking": lambda: rank(tiny_model, data),
        "Cover": lambda: cover(tiny_model, data, criteria="nc,tknc"),
        "Inspection": lambda: inspect(tiny_model, shape=(1, 8, 8)),
    }


WORDS = {
    "Campaign": "was made to fail on",
    "UncertaintyMap": "VRO",
    "RankingProof": "zoo:tiny",
    "Reactions": "neurons",
    "Reproduction": "claims of someone held, <b>1</b> not held.",
    "Ranking": "40 inputs of answered by pd, most suspect first",
    "Cover": "tknc",
    "Inspection": "tiny: 1 x 8 x 8, values as the data hold them",
}


@pytest.mark.parametrize("kind", WORDS)
def test_every_result_has_a_report_of_its_own(kind: str, results: dict[str, Callable[[], Result]]) -> None:
    result = results[kind]()
    assert type(result).__name__ == kind
    assert result.report("page.html") == Path("page.html")
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert WORDS[kind] in page
    assert write_report(result, Path("same.html")) == report(result, out="same.html") == Path("same.html")


@pytest.mark.parametrize(
    ("kind", "place"),
    [("Campaign", "campaign/report.html"), ("UncertaintyMap", "map/map.html"), ("Ranking", "report.html")],
)
def test_the_usual_place_is_beside_the_result(
    kind: str, place: str, results: dict[str, Callable[[], Result]], tmp_path: Path
) -> None:
    written = results[kind]().report()
    assert written.resolve() == (tmp_path / place).resolve()
    assert written.is_file()


def test_the_command_that_made_it_is_shown(results: dict[str, Callable[[], Result]]) -> None:
    for kind in ("UncertaintyMap", "RankingProof", "Reactions", "Reproduction", "Ranking"):
        page = write_report(results[kind](), "page.html", "unnerve this --and that").read_text()
        assert "unnerve this <span>--and that</span>" in page, kind


def test_campaigns_are_named_or_given_and_put_side_by_side() -> None:
    one, two = Hunted().campaign(Path("a")), Hunted(methods=("pgd:steps=3",)).campaign(Path("b"))
    assert report("a").resolve() == Path("a/report.html").resolve()
    page = report(one, "b", out="both.html").read_text()
    again = report(Path("a"), two, out="both.html").read_text()
    # The minute may have changed between the two.
    assert len({re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "", text) for text in (page, again)}) == 1
    assert "steps=3" in page
    assert isinstance(one, Campaign)


def test_refusals(results: dict[str, Callable[[], Result]]) -> None:
    ranking, campaign = results["Ranking"](), results["Campaign"]()
    for several in ((), (ranking, campaign), (ranking, ranking)):
        with pytest.raises(InvalidSetting, match=r"^a report is of one result, or of several campaigns$"):
            report(*several)
    for one in (ranking, campaign):
        with pytest.raises(OutputRefused, match=r"^a report is written as \.html, got 'page\.pdf'$"):
            one.report("page.pdf")
    with pytest.raises(OutputRefused, match=r"^cannot write no/page\.html"):
        ranking.report("no/page.html")
    with pytest.raises(InvalidData, match=r"^nowhere: there is no campaign"):
        report("nowhere")
    assert not list(Path().glob("*.html"))


def test_is_a_public_function() -> None:
    assert unnerve.report is report
