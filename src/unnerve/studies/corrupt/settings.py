"""What can be said of natural changes; the command's options are these fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["CorruptSettings"]

_SEVERITIES = ("1", "2", "3", "4", "5")


@dataclass(frozen=True)
class CorruptSettings:
    """Which natural changes are made, how severe they are, and of how many inputs.

    Parameters
    ----------
    changes : str or list of str
        all that fit the inputs, or some, separated by commas: ``rotation,fog``.
    severities : str, int or list of int
        Some of 1 to 5, separated by commas.
    inputs : int
        The first so many inputs, right or wrong.
    seed : int
        The random seed: decides everything random.
    """

    changes: "str | Sequence[str]" = "all"
    severities: "str | int | Sequence[int]" = "1,2,3,4,5"
    inputs: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        asked = _words(self.severities)
        if len(set(asked)) < len(asked) or not set(asked) <= set(_SEVERITIES):
            raise InvalidSetting(f"severities must be some of 1,2,3,4,5, each once, got '{self.severities}'")
        named = self.natural.split("+")
        if len(set(named)) < len(named):
            raise InvalidSetting(f"changes must be all or some, each once, got '{self.changes}'")

    @property
    def levels(self) -> tuple[int, ...]:
        """The severities, the least first."""
        return tuple(sorted(map(int, _words(self.severities))))

    @property
    def natural(self) -> str:
        """The changes as :class:`~unnerve.generate.perturbations.natural.Natural` takes them."""
        return "+".join(one.replace("-", "_") for one in _words(self.changes))


def _words(given: object) -> list[str]:
    """Return the parts of a text, of a number, or of a list of either."""
    parts = given if isinstance(given, list | tuple) else str(given).split(",")
    return [str(one).strip() for one in parts]
