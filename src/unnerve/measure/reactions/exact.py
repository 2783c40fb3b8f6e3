"""Shapley values by their definition, over all coalitions (Shapley, 1953)."""

from dataclasses import dataclass
from math import comb

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

__all__ = ["Exact"]

_MOST = 12
_ROWS = 16


@dataclass(frozen=True)
class Exact:
    r"""Each neuron's part in the change of the loss: its Shapley value.

    .. math:: \psi_n = \sum_{S \ni n} \frac{(|S| - 1)!\,(U - |S|)!}{U!} \left(v(S) - v(S \setminus n)\right), \quad
              v(S) = L_S(x + \Delta x) - L_S(x)

    where :math:`L_S` is the loss with only the neurons S. In nats. The sum is :math:`v(N) - v(\emptyset)`: the change
    of the loss, where every way through the network leads through a neuron that counts. For at most 12 neurons: with U
    of them it takes :math:`2^U` passes.

    References
    ----------
    Shapley, "A Value for n-Person Games", 1953; as in Jin et al., "Excitement Surfeited Turns to Errors", 2023, Eq. 5.
    """

    needs = Capability.NEURONS
    hidden = True
    words = BLAME

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: one forward pass for each coalition."""
        return int(2**neurons)

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        game = Game.of(subject, seeds)
        if game.players > _MOST:
            raise InvalidSetting(f"exact is for at most {_MOST} hidden neurons, got {game.players}; use owen or path")
        # Two to the power of the players: 4,096 passes for twelve, which is why this serves tests and tiny networks.
        coalitions = _coalitions(game.players)
        weights = _weights(coalitions)

        def shares(x: Tensor, owners: Tensor) -> Tensor:
            found = []
            for some in torch.arange(len(x)).split(_ROWS):
                losses = game.losses(x[some], owners[some], coalitions.expand(len(some), -1, -1))
                found.append((losses.unsqueeze(1) * weights).sum(dim=2))
            return torch.cat(found)

        return blame(seeds, shares)


def _coalitions(players: int) -> Tensor:
    """Return all masks, shape (2**players, players)."""
    return (torch.arange(2**players).unsqueeze(1) >> torch.arange(players) & 1).float()


def _weights(coalitions: Tensor) -> Tensor:
    """Return how often each coalition counts for each player, with sign: float64 (players, coalitions)."""
    players = coalitions.shape[1]
    shares = [1 / (players * comb(players - 1, others)) for others in range(players)]
    joined = torch.tensor([0.0, *shares, 0.0], dtype=torch.float64)
    sizes = coalitions.sum(dim=1).long()
    return torch.where(coalitions.T > 0, joined[sizes], -joined[sizes + 1])
