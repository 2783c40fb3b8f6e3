"""Shapley values by slopes at random coalitions of all sizes (Owen, 1972; Okhrati and Lipani, 2020)."""

from dataclasses import dataclass

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

__all__ = ["Owen"]

_ROWS = 512


@dataclass(frozen=True)
class Owen:
    r"""Each neuron's part in the change of the loss, averaged over random coalitions of the others.

    .. math:: \psi_n \approx E \int_0^{1 + w} \frac{\partial (L(x + \Delta x) - L(x))}{\partial m_n} \dot m_n(q)\, dq,
              \quad m_n(q) = \min\left(1, \max\left(0, \frac{q - \tau_n}{w}\right)\right)

    Neurons join one after the other, at random times :math:`\tau_n` in ``[0, 1)``, and each takes the time w. In nats.
    On average the sum is the change of the loss (as for ``exact``), whatever w; the shorter w, the nearer each value is
    to its neuron's Shapley value, and the more it scatters. Where the loss is linear in each single mask, values are
    unbiased at any w.

    Parameters
    ----------
    coalitions : int
        How many, even: each comes with its complement. Each is one forward and one backward pass.
    overlap : float
        w, > 0. If it is very long all neurons join at once, as for ``path``.

    References
    ----------
    Owen, "Multilinear Extensions of Games", 1972; Okhrati and Lipani, "A Multilinear Sampling Algorithm to Estimate
    Shapley Values", 2020.
    """

    # Differs: with Owen nobody is ever half a member (w = 0). There slopes say little of what joining would change:
    # on LeNet-5 their sums are off by up to three quarters of the change of the loss, however many there are.
    coalitions: int = 256
    overlap: float = 0.5
    needs = Capability.NEURONS
    hidden = True
    words = BLAME
    small = ("coalitions=6",)

    def __post_init__(self) -> None:
        if self.coalitions < 2 or self.coalitions % 2:
            raise InvalidSetting(f"coalitions must be even and >= 2, got {self.coalitions}")
        if not self.overlap > 0:
            raise InvalidSetting(f"overlap must be > 0, got {self.overlap}")

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: a forward and a backward pass for each coalition."""
        return 2 * self.coalitions

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        game = Game.of(subject, seeds)

        def shares(x: Tensor, owners: Tensor) -> Tensor:
            total = torch.zeros(len(x), game.players)
            for pairs in torch.arange(self.coalitions // 2).split(max(1, _ROWS // len(x))):
                masks, joining = self._coalitions(streams, pairs, game.players)
                slopes = game.slopes(x, owners, masks[owners]) * joining[owners]
                # One after the other, so that the rounding does not depend on how many inputs there are.
                for one in slopes.unbind(dim=1):
                    total.add_(one)
            return total.mul_((1 + self.overlap) / self.overlap / self.coalitions)

        return blame(seeds, shares)

    def _coalitions(self, streams: Streams, pairs: Tensor, players: int) -> tuple[Tensor, Tensor]:
        """Draw some coalitions of each of N seeds, each followed by its complement.

        Returns
        -------
        masks : Tensor of shape (N, 2 * pairs, U)
        joining : bool Tensor of the same shape
            Neurons that are joining just then.
        """
        drawn = [streams.uniform(pair, 0, (1 + players,)) for pair in pairs.tolist()]
        chance, joins = torch.stack(drawn, dim=1).split([1, players], dim=2)
        # Each pair has its own part of the time, so that all sizes occur.
        time = (pairs.view(1, -1, 1) + chance) * ((1 + self.overlap) / (self.coalitions // 2))
        joined = (time - joins) / self.overlap
        masks = torch.stack([joined, 1 - joined], dim=2).flatten(1, 2).clamp_(0, 1)
        return masks, (masks > 0) & (masks < 1)
