"""Where nothing was found: the seeds that came nearest to an error."""

from dataclasses import dataclass

from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.gallery import picture
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.thumbnails import Thumbnail

__all__ = ["ClosestCall", "closest_calls"]

_MOST = 6


@dataclass(frozen=True)
class ClosestCall:
    """One seed that did not break.

    Parameters
    ----------
    seed, label, method : str
        Its id, its class (empty without labels), and the method that came nearest.
    margin : str
        How far the answer was from an error, in logits.
    picture : Thumbnail or None
        Of the unchanged seed: what was tried and is no error is not stored.
    """

    seed: str
    label: str
    method: str
    margin: str
    picture: Thumbnail | None


def closest_calls(evidence: Evidence) -> tuple[ClosestCall, ...]:
    """Return the seeds that came nearest, the nearest first; none if something was found, or nothing was judged."""
    if len(evidence.found) or len(evidence.campaigns) > 1:
        return ()
    nearest: dict[str, tuple[float, str]] = {}
    for method in evidence.methods:
        for seed in method.tally.seeds:
            if seed.nearest is not None:
                nearest[seed.id] = max(nearest.get(seed.id, (seed.nearest, method.label)), (seed.nearest, method.label))
    chosen = sorted(nearest, key=lambda name: -nearest[name][0])[:_MOST]
    campaign, inputs = evidence.campaigns[0], evidence.campaigns[0].store.seeds(chosen)
    truths = {name: int(truth) for (_, name), truth in zip(evidence.seeds, evidence.truths, strict=True)}
    return tuple(
        ClosestCall(
            seed=display_name(name, 40),
            label="" if truths[name] < 0 else evidence.classes[truths[name]],
            method=display_name(nearest[name][1], 40),
            margin=significant(abs(nearest[name][0])),
            picture=picture(inputs.get(name), campaign.value_range, campaign.clips),
        )
        for name in chosen
    )
