"""What a method found from each seed, and how much it could have found: what intervals over seeds are made of."""

from collections.abc import Sequence

import numpy as np

from unnerve.campaign.tally import SeedTally
from unnerve.studies.intervals.count_mean import BoundedCounts

__all__ = ["seed_figures"]


def seed_figures(seeds: Sequence[SeedTally], classes: int = 0) -> dict[str, BoundedCounts]:
    """Return ``seeds_broken`` (0 or 1), ``error_categories`` and ``errors`` of each seed.

    Parameters
    ----------
    seeds : sequence of SeedTally
        Seeds that were hunted.
    classes : int
        How many there are, 0 if that is not known.
    """
    errors = np.array([len(seed.errors) for seed in seeds], dtype=float)
    kinds = np.array([len(seed.kinds) for seed in seeds], dtype=float)
    picks = max([1, *(seed.picks for seed in seeds)])
    return {
        "seeds_broken": BoundedCounts(np.minimum(errors, 1), 1),
        "error_categories": BoundedCounts(kinds, max(1, min(picks, classes - 1)) if classes else picks),
        "errors": BoundedCounts(errors, picks),
    }
