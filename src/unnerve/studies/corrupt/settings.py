"""What can be said of natural changes; the command's options are these fields."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["CorruptSettings"]

_SEVERITIES = ("1", "2", "3", "4", "5")


@dataclass(frozen=True)
class CorruptSettings:
    """Which natural changes are made, how severe they are, and of how many inputs.

    Parameters
    ----------
    changes : str
        all that fit the inputs, or some, separated by commas: ``rotation,fog``.
    severities : str
        Some of 1 to 5, separated by commas.
    inputs : int
        The first so many inputs, right or wrong.
    seed : int
        The random seed: decides everything random.
    """

    changes: str = "all"
    severities: str = "1,2,3,4,5"
    inputs: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        asked = [one.strip() for one in self.severities.split(",")]
        if len(set(asked)) < len(asked) or not set(asked) <= set(_SEVERITIES):
            raise InvalidSetting(f"severities must be some of 1,2,3,4,5, each once, got '{self.severities}'")

    @property
    def levels(self) -> tuple[int, ...]:
        """The severities, the least first."""
        return tuple(sorted(int(one) for one in self.severities.split(",")))

    @property
    def natural(self) -> str:
        """The changes as :class:`~unnerve.generate.perturbations.natural.Natural` takes them."""
        return "+".join(one.strip().replace("-", "_") for one in self.changes.split(","))
