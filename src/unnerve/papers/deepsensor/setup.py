"""What the DeepSensor papers' experiments are run on, and which of them a part is."""

from dataclasses import dataclass, field
from pathlib import Path

from unnerve.papers._json import INLINE
from unnerve.papers._networks import lacking
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Plan", "Setup"]


@dataclass(frozen=True)
class Setup:
    """What an experiment is run on: a network, its seeds, a region.

    Parameters
    ----------
    network : str
        ``lenet1``, ``lenet4``, ``lenet5``, trained by ``recipe``; ``resnet20``, whose weights are in the data folder;
        ``vgg16`` and ``resnet50``, with random weights.
    data : str
        ``mnist`` or ``cifar10``, a folder of the data folder; or a file of clips in it; or nothing.
    region : str
    inputs, particles : int
        Seeds, and particles for each.
    iterations : int
    recipe : Recipe or None
    seed : int
    """

    network: str
    data: str
    region: str
    inputs: int
    particles: int
    iterations: int = 20
    recipe: Recipe | None = None
    seed: int = 0

    def missing(self, data: Path) -> str | None:
        """Return what the data folder lacks for this setup, or None."""
        return lacking(data, self.data, self.network, self.recipe)

    @property
    def swarm(self) -> str:
        """The size of a swarm, as settings of a method."""
        return f"particles={self.particles},iterations={self.iterations}"


@dataclass(frozen=True)
class Plan:
    """An experiment by its name, and its setup."""

    experiment: str
    setup: Setup = field(metadata=INLINE)
