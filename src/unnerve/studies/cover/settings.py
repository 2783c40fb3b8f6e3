"""What can be said of coverage, on its own or after a hunt; the command's options are these fields."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unnerve.core.errors import InvalidSetting, OutputRefused
from unnerve.core.storage.files import check_writable

if TYPE_CHECKING:
    from unnerve.core.methods import Coverage

__all__ = ["CoverSettings", "CoverageSettings"]


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
        Store the values of the last hidden layer for seeds and findings: the report then shows them in a plane
        (t-SNE), in which findings that are alike can be chosen together.
    """

    coverage: "str | Sequence[str | Coverage] | None" = field(
        default=None, metadata={"metavar": "CRITERIA", "kind": "coverage"}
    )
    profile: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    embed: bool = False

    def __post_init__(self) -> None:
        if self.profile is not None and self.coverage is None:
            raise InvalidSetting("--profile needs --coverage CRITERIA")


@dataclass(frozen=True)
class CoverSettings:
    """Which coverage of a set of inputs is measured.

    Parameters
    ----------
    profile : data, path or Profile, optional
        Training data (of a name its train split), or a file of --save-profile; kmnc, nbc and snac need it.
    criteria : str, or sequence of str or Coverage
        ``all`` (without a profile, all that need none), or some with their settings: ``nc,kmnc:sections=100``.
    also : data or Campaign, optional
        Further inputs, or the folder of a campaign: what do they add? Of a campaign, each method's findings are added
        on their own.
    inputs : int, optional
        Measure the first so many inputs; all by default.
    profile_limit : int, optional
        Make the profile from the first so many inputs; from all by default.
    save_profile : path, optional
        Keep the profile, as .safetensors.
    """

    profile: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    criteria: "str | Sequence[str | Coverage]" = field(
        default="all", metadata={"metavar": "CRITERIA", "kind": "coverage"}
    )
    also: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    inputs: int | None = None
    profile_limit: int | None = None
    save_profile: "str | Path | None" = field(default=None, metadata={"metavar": "FILE"})

    def __post_init__(self) -> None:
        if self.inputs is not None and self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        if self.profile_limit is not None and self.profile_limit < 1:
            raise InvalidSetting(f"--profile-limit must be >= 1, got {self.profile_limit}")
        is_file = isinstance(self.profile, str | Path) and str(self.profile).endswith(".safetensors")
        for name in ("save_profile", "profile_limit"):
            if getattr(self, name) is not None and (self.profile is None or is_file):
                raise InvalidSetting(f"--{name.replace('_', '-')} needs training data: --profile DATA")

    def check_file(self) -> None:
        """Refuse a file for the profile that cannot be written, before any work."""
        if self.save_profile is None:
            return
        path = Path(self.save_profile)
        if path.suffix != ".safetensors":
            raise OutputRefused(f"a profile is written as .safetensors, got '{path}'")
        check_writable(path)
