"""What the verbs that measure coverage share: the profile, and what a campaign's findings add."""

from typing import TYPE_CHECKING, Annotated

import typer

from unnerve.cli.options import data_from
from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.core.methods import Coverage
    from unnerve.core.model import Classifier
    from unnerve.core.profiles import Profile
    from unnerve.studies.campaign import Campaign

__all__ = ["CoverageOption", "CoverageRequest", "ProfileOption", "is_profile", "profile_from"]

CoverageOption = Annotated[
    str | None,
    typer.Option(
        metavar="CRITERIA",
        help="Measure afterwards what the findings add to the coverage of the seeds: all, or some of nc, kmnc, nbc, "
        "snac, tknc, bknc, tknp.",
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="For --coverage: training data (its train split), or a file of unnerve cover --save-profile.",
    ),
]


def is_profile(source: str) -> bool:
    """Say whether a profile is a file, not data to make one from."""
    return source.endswith(".safetensors")


def profile_from(subject: "Classifier", source: str, limit: int | None, stored_range: str | None) -> "Profile":
    """Read a profile, or make it from training data."""
    from unnerve.cli.show import bar
    from unnerve.core.profiles import Profile
    from unnerve.studies.cover import profile
    from unnerve.subjects.data import has_splits

    if is_profile(source):
        return Profile.load(source)
    training = data_from(source, "train" if has_splits(source) else None, limit, stored_range)
    with bar("profile", "inputs") as progress:
        return profile(subject, training, progress=progress)


class CoverageRequest:
    """What coverage is asked for after a campaign; whatever is wrong with it shows before the campaign begins.

    Parameters
    ----------
    subject : Classifier
    criteria : str or None
        None to measure nothing.
    profile : str or None
    stored_range : str or None
    """

    def __init__(self, subject: "Classifier", criteria: str | None, profile: str | None, stored_range: str | None):
        self.subject = subject
        self.criteria: list[Coverage] = []
        self.bounds: Profile | None = None
        if criteria is None:
            if profile is not None:
                raise InvalidSetting("--profile needs --coverage CRITERIA")
            return
        from unnerve.studies.cover import criteria_named, watched

        named = criteria_named(criteria)
        profiled = [key for key, criterion in named.items() if criterion.profiled]
        if profiled and profile is None:
            raise InvalidSetting(f"--coverage {profiled[0]} needs training data: --profile DATA")
        self.criteria = list(named.values())
        watched(subject)
        if profile is not None:
            self.bounds = profile_from(subject, profile, None, stored_range)

    def measure(self, campaign: "Campaign") -> None:
        """Measure what is asked for and keep it with the campaign."""
        if not self.criteria:
            return
        from unnerve.cli.show import bar
        from unnerve.studies.cover_campaign import cover_campaign

        with bar("covering", "inputs") as progress:
            cover_campaign(self.subject, campaign, self.bounds, self.criteria, progress=progress)
