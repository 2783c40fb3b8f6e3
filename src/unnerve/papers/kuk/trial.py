"""One experiment behind KuK's Tables 3 and 4: which network, which data, how it is attacked and mapped."""

from dataclasses import dataclass
from pathlib import Path

from unnerve.papers._networks import lacking
from unnerve.subjects.training.recipes import Recipe

__all__ = ["EXTREMES", "Trial"]

EXTREMES = ("smallest", "strongest")
"""The change of each attack that is mapped: the first that fails, and the one that lies farthest behind the border."""


@dataclass(frozen=True)
class Trial:
    """One network, its data, and how it is attacked and mapped.

    Parameters
    ----------
    network : str
        ``lenet5``, ``nin``, ``resnet20`` or ``mobilenet``.
    data : str
        ``mnist``, ``cifar10`` or ``imagenet-samples``: a folder of the data folder.
    draws : int
        T.
    vro : float
        Of benign inputs, by Table 4: what the dropout rate is chosen by.
    campaigns : tuple of (region, attacks)
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
    campaigns: tuple[tuple[str, tuple[str, ...]], ...]
    inputs: int
    seed: int = 0
    recipe: Recipe | None = None

    def missing(self, data: Path) -> str | None:
        """Return what the data folder lacks for this trial, or None."""
        return lacking(data, self.data, self.network)
