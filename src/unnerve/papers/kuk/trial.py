"""One experiment behind KuK's Tables 3 and 4: which network, which data, how it is attacked and mapped."""

from dataclasses import dataclass
from pathlib import Path

from unnerve.papers._networks import lacking
from unnerve.subjects.training.recipes import Recipe

__all__ = ["EARLY", "EXTREMES", "LATE", "Attacks", "Trial"]

EXTREMES = ("smallest", "strongest")
"""The change of each attack that is mapped: the nearest that fails, and the one farthest behind the border."""
EARLY, LATE = 20, 200
"""Draws between which no input should change sides, if T > 20 is enough."""


@dataclass(frozen=True)
class Attacks:
    """A campaign of attacks.

    Parameters
    ----------
    region : str
    methods : tuple of str
    extremes : tuple of str
        Which of their changes are mapped.
    first_only : bool
        Leave a seed alone after its first error: the smallest change of an attack that begins with small ones.
    """

    region: str
    methods: tuple[str, ...]
    extremes: tuple[str, ...] = EXTREMES
    first_only: bool = False


@dataclass(frozen=True)
class Trial:
    """One network, its data, and how it is attacked and mapped.

    Parameters
    ----------
    network : str
        ``lenet5``, ``nin``, ``resnet20``, ``mobilenet_v2``; ``resnet32`` and ``resnet44`` beside them.
    data : str
        ``mnist``, ``cifar10`` or ``imagenet-samples``: a folder of the data folder.
    draws : int
        T, the paper's.
    vro : float
        Of benign inputs, by Table 4: what the dropout rate is chosen by.
    campaigns : tuple of Attacks
    inputs : int
        Seeds.
    seed : int
    recipe : Recipe or None
        For a network that must be trained first.
    """

    network: str
    data: str
    draws: int
    vro: float
    campaigns: tuple[Attacks, ...]
    inputs: int
    seed: int = 0
    recipe: Recipe | None = None

    @property
    def alone(self) -> str | None:
        """The attack of a trial that has no other, or None: it stands beside the paper's rows, and decides nothing."""
        methods = [method for some in self.campaigns for method in some.methods]
        return methods[0].partition(":")[0].replace("-", "_") if len(methods) == 1 else None

    def missing(self, data: Path) -> str | None:
        """Return what the data folder lacks for this trial, or None."""
        return lacking(data, self.data, self.network, self.recipe)
