"""How well one defence holds on one group of inputs."""

from collections.abc import Sequence
from dataclasses import dataclass

from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Held"]


@dataclass(frozen=True)
class Held:
    """How well one defence holds on one group of inputs.

    Parameters
    ----------
    defence : str
        As on the command line.
    kind : str
        ``detector``: an input counts if it is identified as benign or adversarial; ``model``, ``transform`` or
        ``none``: if it is classified as its label says.
    group : str
        ``clean``, or a method and its campaign; ``adaptive``: clean inputs for which an attack that knows the defence
        finds no wrong answer, or none that goes unnoticed.
    uncommon : bool
        Whether the group was hunted for a pattern of confidence and uncertainty.
    inputs, adversarial, held : int
        How many inputs, how many of them the model gets wrong, and how many the defence gets right.
    """

    defence: str
    kind: str
    group: str
    uncommon: bool
    inputs: int
    adversarial: int
    held: int

    @property
    def share(self) -> Interval:
        """Success with its 95 % interval."""
        return proportion(self.held, self.inputs)

    @classmethod
    def summed(cls, defence: str, group: str, rows: "Sequence[Held]") -> "Held":
        """Return several groups of one defence, at least one, as one group."""
        counts = (sum(getattr(row, name) for row in rows) for name in ("inputs", "adversarial", "held"))
        return cls(defence, rows[0].kind, group, rows[0].uncommon, *counts)
