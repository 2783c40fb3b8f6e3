"""The seeds that came nearest, where nothing was found."""

from dataclasses import replace
from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.campaign.outcome import Outcome
from unnerve.campaign.plan import shards
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.closest_calls import closest_calls
from unnerve.reports.campaign.html import campaign_html
from unnerve.studies.campaign.campaign import Campaign


def unbroken(folder: Path, **changes: object) -> Campaign:
    """Return a campaign that found nothing; the seed at place i is i + 1 logits from an error, half that of pgd."""
    campaign = Hunted(each=0).but(**changes).campaign(folder)
    for shard in shards(campaign.plan):
        whole = campaign.store.outcome(shard)
        share = 0.5 if campaign.plan.methods[shard.method].name == "pgd" else 1.0
        seeds = (replace(one, failing=0, nearest=-share * (shard.start + n + 1)) for n, one in enumerate(whole.seeds))
        campaign.store.write(shard, campaign.plan.labels[shard.method], Outcome((), tuple(seeds)))
    return Campaign.at(folder)


def test_the_nearest_come_first_with_their_pictures_and_methods(tmp_path: Path) -> None:
    calls = closest_calls(evidence([unbroken(tmp_path / "a")]))
    assert [one.margin for one in calls] == ["0.5", "1", "1.5", "2", "2.5", "3"]
    assert [one.label for one in calls[:2]] == ["zero", "one"]
    assert {one.method for one in calls} == {"pgd"}
    assert all(one.picture is not None for one in calls)


def test_inputs_that_are_no_images_are_named_only(tmp_path: Path) -> None:
    calls = closest_calls(evidence([unbroken(tmp_path / "a", shape=(7,), labels=False, oracle="changed")]))
    assert {(one.picture, one.label) for one in calls} == {(None, "")}


def test_a_campaign_with_findings_or_without_margins_has_none(tmp_path: Path) -> None:
    assert closest_calls(evidence([Hunted().campaign(tmp_path / "a")])) == ()
    assert closest_calls(evidence([Hunted(each=0).campaign(tmp_path / "b")])) == ()


def test_the_page_shows_them_with_names_as_text(tmp_path: Path) -> None:
    html = campaign_html(unbroken(tmp_path / "a", classes=("<b>zero", "one", "two", "three"), methods=("pgd",)))
    assert "The closest calls" in html
    assert "<b>0.5</b> <span>class &lt;b&gt;zero" in html
