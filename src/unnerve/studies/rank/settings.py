"""What can be said of an order, and of how it is tested; the command's options are these fields."""

from dataclasses import dataclass, field
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["RankSettings", "RankingTrial"]


@dataclass(frozen=True, kw_only=True)
class RankSettings:
    """What an order rests on beside the answers to its inputs.

    Parameters
    ----------
    reference : data, optional
        Training data (of a name its train split), for lsa, dsa, mdsa, mlsa, mmdsa and orders by kmnc, nbc or snac.
    seed : int
        The random seed: decides everything random, such as the score random and dropout masks.
    """

    reference: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InvalidSetting(f"seed must be >= 0, got {self.seed}")


@dataclass(frozen=True)
class RankingTrial:
    """How a ranking is tested; the defaults are PEACEPACT's, but for three times its ten repeats.

    Parameters
    ----------
    inputs : int
        Candidates, drawn at random from the data.
    tries : int
        Perturbed copies per input, M.
    repeats : int
        Independent runs to the first failure, each with fresh perturbations and a fresh random order.
    perturbation : str
        How copies are perturbed, with settings: ``patch:colour=invert``, ``patch:size=4``.
    seed : int
        The random seed: decides candidates, perturbations and random orders.
    """

    inputs: int = 1000
    tries: int = 100
    repeats: int = 30
    perturbation: str = field(default="patch", metadata={"kind": "perturbation"})
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("inputs", "tries", "repeats"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
