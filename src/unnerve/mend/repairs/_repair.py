"""What a repair is: which inputs a network is trained on further, how, and what becomes of them before each step."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Space
from unnerve.core.model import Differentiable
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Repair", "RepairContext", "check_counts"]


@dataclass(frozen=True)
class RepairContext:
    """What a repair that attacks while it trains needs to know.

    Parameters
    ----------
    model : Differentiable
        The network under repair, as it is at the time of the call.
    region : Space
        Where changed inputs may lie.
    seed : int
        The random seed.
    """

    model: Differentiable
    region: Space
    seed: int


class Repair(Protocol):
    """A repair of a network by further training."""

    learns_from_findings: ClassVar[bool]
    """Whether inputs that were found are trained on; if not, benign ones alone are."""

    @property
    def benign(self) -> int:
        """How many benign inputs are trained on."""
        ...

    @property
    def findings(self) -> int:
        """How many findings are trained on, at most."""
        ...

    def recipe(self, seed: int) -> Recipe:
        """Return how the network is trained."""
        ...

    def batch(self, batch: Batch, step: int, context: RepairContext) -> Batch:
        """Return what is trained on in a step, made of what was read for it."""
        ...


def check_counts(repair: object, *names: str) -> None:
    """Raise unless these settings are at least 1."""
    for name in names:
        if getattr(repair, name) < 1:
            raise InvalidSetting(f"{name} must be >= 1, got {getattr(repair, name)}")
