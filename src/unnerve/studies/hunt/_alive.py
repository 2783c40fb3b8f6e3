"""Whether to go on: a model that fails on everything ends a campaign, one that fails on some seeds does not."""

from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.counts import Counts
from unnerve.core.errors import InvalidModel

__all__ = ["check_alive"]

_ASKED = 8


def check_alive(campaign: CampaignRun, found: Counts, total: Counts) -> None:
    """Raise if a whole shard failed and nothing else was ever hunted, or the model no longer answers any seed.

    Parameters
    ----------
    campaign : CampaignRun
    found : Counts
        Of the shard that ended last.
    total : Counts
        Of all shards so far, that one included.
    """
    if found.inputs or not found.failed or (total.inputs and _answers(campaign)):
        return
    raise InvalidModel(
        f"no seed could be hunted; the first one: {_reason(campaign)}"
        if not total.inputs
        else f"{campaign.subject.model.name} has stopped answering: {_reason(campaign)}; --resume tries again"
    )


def _answers(campaign: CampaignRun) -> bool:
    """Say whether the model answers at least one of a few seeds from all over the campaign."""
    count = len(campaign.seeds)
    # From all over: the seeds of one shard may share what the model cannot take, such as a size.
    for row in sorted({place * (count - 1) // (_ASKED - 1) for place in range(_ASKED)}):
        try:
            campaign.subject.model.observe(campaign.seeds.batch([row]).inputs)
        except Exception:  # noqa: S112 - whatever is wrong with one, the next may do
            continue
        return True
    return False


def _reason(campaign: CampaignRun) -> str:
    """Return why a seed failed: of those that did, one whose shard was stored last in the plan's order."""
    reasons = [
        seed.failed for _, _, seeds in campaign.store.shards(["seed_id"]) for seed in seeds if seed.failed is not None
    ]
    return reasons[-1] if reasons else "no reason was stored"
