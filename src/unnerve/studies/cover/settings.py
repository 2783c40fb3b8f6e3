"""What is measured after a hunt; the command's options are these fields."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.core.methods import Coverage

__all__ = ["CoverageSettings"]


@dataclass(frozen=True)
class CoverageSettings:
    """What is measured of a campaign afterwards, and kept with it: coverage, and features of its inputs.

    Parameters
    ----------
    coverage : str, or sequence of str or Coverage, optional
        Measure afterwards what the findings add to the coverage of the seeds: all, or criteria with their settings.
    profile : data, path or Profile, optional
        For coverage: training data (its train split, where it has one), or a file of unnerve cover --save-profile.
    embed : bool
        Store what the last hidden layer makes of seeds and findings: the report then shows them in a plane (t-SNE), in
        which findings that are alike can be chosen together.
    """

    coverage: "str | Sequence[str | Coverage] | None" = field(
        default=None, metadata={"metavar": "CRITERIA", "kind": "coverage"}
    )
    profile: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    embed: bool = False

    def __post_init__(self) -> None:
        if self.profile is not None and self.coverage is None:
            raise InvalidSetting("--profile needs --coverage CRITERIA")
