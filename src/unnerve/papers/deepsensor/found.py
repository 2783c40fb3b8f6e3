"""What one method found in an experiment, field by field as it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Found"]


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
