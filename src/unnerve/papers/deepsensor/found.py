"""What one method found in an experiment, field by field as it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Found", "spreads_of"]


@dataclass(frozen=True)
class Found:
    """A row of :meth:`unnerve.studies.campaign.campaign.Campaign.rows`.

    Parameters
    ----------
    method, region : str
    inputs : int
        Seeds.
    errors : int
        Distinct failing inputs.
    error_categories : int
        Distinct wrong classes per seed, summed.
    seeds_broken : int
    errors_as_in_paper : int
        Failing picks, repeated or not.
    queries : int
    failed : int
        Seeds that could not be hunted.
    ci95 : dict of str to (float, float)
    seconds : float
    out : str
        The campaign's folder.
    complete : bool
    failing, kinds : tuple of int
        Of each seed, its failing picks and the distinct wrong classes among them.
    """

    method: str
    region: str
    inputs: int
    errors: int
    error_categories: int
    seeds_broken: int
    errors_as_in_paper: int
    queries: int
    failed: int
    ci95: Mapping[str, tuple[float, float]]
    seconds: float
    out: str
    complete: bool
    failing: tuple[int, ...]
    kinds: tuple[int, ...]

    def spreads(self) -> dict[str, Interval]:
        """Return failing picks and categories per seed, and the share of seeds broken."""
        picks = max(1, max(self.failing, default=1))
        return {
            "failing picks per seed": count_mean(BoundedCounts(np.array(self.failing), picks)),
            "categories per seed": count_mean(BoundedCounts(np.array(self.kinds), max(1, max(self.kinds, default=1)))),
            "broken": proportion(self.seeds_broken, self.inputs),
        }


def spreads_of(rows: Mapping[str, Found]) -> dict[str, Interval]:
    """Return the figures of several methods, by method and figure."""
    return {f"{name}, {figure}": value for name, one in rows.items() for figure, value in one.spreads().items()}
