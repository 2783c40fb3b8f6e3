"""The seeds that came nearest to breaking, and by how much they did not."""

from typing import Any

from unnerve.campaign.tally import Tally

__all__ = ["nearest_misses"]

_MOST = 12
"""Worth a look by hand; every seed's own is in the shards."""


def nearest_misses(one: Tally) -> list[dict[str, Any]]:
    """Return the seeds of a method that came nearest to an error and gave none, as JSON, the nearest first.

    ``margin`` is the oracle's, in logits: how far the answer to the nearest input that was proposed is from an error.
    """
    known = [(seed.nearest, seed.id) for seed in one.seeds if seed.nearest is not None]
    return [{"seed": name, "margin": margin} for margin, name in sorted(known, key=lambda miss: -miss[0])[:_MOST]]
