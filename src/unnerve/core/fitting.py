"""Whether a hunter works in a region: one answer for hunts, help and the conformance suite."""

from typing import Protocol, runtime_checkable

from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Normed, Space
from unnerve.core.naming.catalogue import describe

__all__ = [
    "BALLS",
    "NORMED",
    "OF_CLIPS",
    "Regional",
    "Relative",
    "fits",
    "region_names",
    "require_region",
    "steepest_step",
]

NORMED = "normed"
"""Among the names of a hunter's regions: every ball of a norm, whatever its name."""

# NORMED alone would fit the two as well; they are named for the message of a refusal, which leaves it out.
BALLS = ("linf", "l2", NORMED)
"""The regions of hunters that take steps of steepest ascent."""

OF_CLIPS = {"waveform": ("linf", "l2", "snr", "semantic"), "logmel": ("linf", "l2")}
"""The regions in which clips are changed, by their form."""


@runtime_checkable
class Relative(Normed, Protocol):
    """A ball of l2 whose size follows the seed: a louder sound may change more."""

    def scale(self, centre: Tensor) -> Tensor:
        """Return what ``reach`` is a share of, for each seed, (N, 1, ...): steps of length one are multiplied by it."""
        ...


class Regional(Protocol):
    """What says in which regions it works: hunters, and hunters that own a pool."""

    @property
    def regions(self) -> tuple[str, ...] | None:
        """Names of regions; None for any."""
        ...


def region_names(data: Examples) -> tuple[str, ...] | None:
    """Return the names of the regions in which such data can be changed; None if it may be any."""
    if data.features is not None:
        return ("spread",)
    return None if data.clips is None else OF_CLIPS[data.clips.form]


def fits(hunter: Regional, space: Space) -> bool:
    """Say whether a hunter works in a region, by what it says of itself."""
    # By name, not by class: a plugin's region of the same name is meant to be used in its place.
    if hunter.regions is None or describe(space)["name"] in hunter.regions:
        return True
    return NORMED in hunter.regions and isinstance(space, Normed)


def require_region(hunter: Regional, space: Space) -> None:
    """Raise unless the hunter works in the region."""
    if not fits(hunter, space):
        able = " or ".join(name for name in hunter.regions or () if name != NORMED)
        raise InvalidSetting(f"{describe(hunter)['name']} works in {able}, got {describe(space)['name']}")


def steepest_step(space: Normed, gradient: Tensor, centre: Tensor) -> Tensor:
    """Return the step that raises a function with this gradient, (N, ...), most; times ``reach`` it leads to the rim.

    It is a new tensor, which the caller may change.
    """
    step = space.steepest(gradient)
    return step * space.scale(centre) if isinstance(space, Relative) else step
