"""Aumann-Shapley values: slopes on the way from silence to all neurons at once (Aumann and Shapley, 1974)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions._game import BLAME, Game, blame

__all__ = ["Path"]


@dataclass(frozen=True)
class Path:
    r"""Each neuron's part in the change of the loss, if all neurons are turned up together.

    .. math:: \psi_n \approx \int_0^1 \frac{\partial (L(x + \Delta x) - L(x))}{\partial m_n} \Big|_{m = t} dt

    by Gauss and Legendre's rule. In nats. Their sum is the change of the loss as exactly as the rule is. A few passes,
    whatever the number of neurons.

    Parameters
    ----------
    points : int
        Of the rule, >= 1; each is one forward and one backward pass.

    References
    ----------
    Aumann and Shapley, "Values of Non-Atomic Games", 1974; for networks: Dhamdhere et al., "How Important Is a
    Neuron?", 2019.
    """

    points: int = 4
    needs = Capability.NEURONS
    hidden = True
    words = BLAME

    def __post_init__(self) -> None:
        if self.points < 1:
            raise InvalidSetting(f"points must be >= 1, got {self.points}")

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: a forward and a backward pass for each point."""
        return 2 * self.points

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        game = Game.of(subject, seeds)
        # Gauss's places: with four of them a smooth path is integrated better than with dozens of equal steps.
        places, weights = np.polynomial.legendre.leggauss(self.points)

        def shares(x: Tensor, owners: Tensor) -> Tensor:
            total = torch.zeros(len(x), game.players)
            for place, weight in zip((places + 1) / 2, weights / 2, strict=True):
                masks = x.new_full((1,), place).expand(len(x), 1, game.players)
                total.add_(game.slopes(x, owners, masks).squeeze(1), alpha=float(weight))
            return total

        return blame(seeds, shares)
