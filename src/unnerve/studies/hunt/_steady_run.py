"""A campaign between two looks at how steadily the model answers; of an unstable one, only what always fails stays."""

from dataclasses import replace

from unnerve.campaign._second_judgement import doubtful
from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Shard, shards
from unnerve.core.findings import Seeds
from unnerve.studies.campaign.stability import Stability
from unnerve.studies.hunt._shards_run import run_shards
from unnerve.studies.hunt._stability_probe import StabilityProbe
from unnerve.studies.hunt.deadlines import Deadlines
from unnerve.studies.hunt.settings import RunSettings

__all__ = ["run_steadily"]

_NOTE = "stability"
_DISAGREES = "an input that failed did not fail again, alone or in other company"


def run_steadily(campaign: CampaignRun, run: RunSettings) -> None:
    """Run what is not finished yet, measure stability at the start and at the end, and note it in the folder."""
    deadlines = Deadlines(run)
    deadlines.await_answers(first=True)
    probe = StabilityProbe(campaign.subject.model, campaign.seeds)
    noted = _noted(campaign)
    start = probe.at_start()
    wary = not start.stable or not (noted is None or noted.stable)
    ended = run_shards(replace(campaign, wary=wary), run, deadlines)
    deadlines.await_answers(first=False)
    seen = probe.at_end() if ended else start
    if seen.stable and _disagreed(campaign):
        seen = replace(seen, reason=_DISAGREES)
    if seen.stable and noted is not None and not noted.stable:
        seen = replace(seen, reason=noted.reason)  # what was seen once is not taken back
    seen = replace(seen, proofs=campaign.plan.proofs)
    if not seen.stable and not wary:
        # Shards that were done before the first doubt were believed after one look at some of their findings.
        for shard in campaign.store.finished(shards(campaign.plan)):
            _settle(campaign, shard)
    campaign.store.note(_NOTE, seen.to_json())
    deadlines.end()


def _noted(campaign: CampaignRun) -> Stability | None:
    noted = campaign.store.noted(_NOTE, remade=True)
    return None if noted is None else Stability.from_json(noted)


def _disagreed(campaign: CampaignRun) -> bool:
    return any(seed.doubted for _, _, seeds in campaign.store.shards(["seed_id"]) for seed in seeds)


def _settle(campaign: CampaignRun, shard: Shard) -> None:
    """Run all findings of a stored shard as often as the plan asks for, and keep those that always fail."""
    store, outcome = campaign.store, campaign.store.outcome(shard)
    found = {finding.id: finding for finding, _ in outcome.findings}
    if not found:
        return
    owners = {finding.seed_id for finding in found.values()}
    rows = [shard.start + place for place, seed in enumerate(outcome.seeds) if seed.id in owners]
    batch = campaign.seeds.batch(rows)
    seeds = Seeds.observed(campaign.subject.model, batch)
    dropped = doubtful(campaign.plan, campaign.subject, seeds, found, wary=True)
    lost = [found[name].seed_id for name in dropped]
    kept = tuple(one for one in outcome.findings if one[0].id not in dropped)
    left = [finding.seed_id for finding, _ in kept]
    records = tuple(_doubted(one, lost.count(one.id), left.count(one.id)) for one in outcome.seeds)
    label = campaign.plan.labels[shard.method]
    store.write(shard, label, Outcome(kept, records), store.seconds(shard))


def _doubted(seed: SeedRecord, lost: int, left: int) -> SeedRecord:
    # How often each input was picked is not stored: at least once each.
    return replace(seed, doubted=seed.doubted + lost, failing=max(left, seed.failing - lost) if left else 0)
