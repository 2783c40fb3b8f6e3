"""What the loss loses when one neuron is silenced and all others stay (LeCun et al., 1989; Morcos et al., 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions._game import BLAME, Game, blame

__all__ = ["LeaveOneOut"]

_ROWS = 512


@dataclass(frozen=True)
class LeaveOneOut:
    r"""Each neuron's part in the change of the loss, if it is the only one to be silenced.

    .. math:: v(N) - v(N \setminus n), \quad v(S) = L_S(x + \Delta x) - L_S(x)

    where :math:`L_S` is the loss with only the neurons S. In nats. One pass for each neuron and one more.

    References
    ----------
    Morcos et al., "On the Importance of Single Directions for Generalization", 2018.
    """

    needs = Capability.NEURONS
    hidden = True
    words = BLAME

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: one forward pass without each neuron, and one with all."""
        return neurons + 1

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        game = Game.of(subject, seeds)

        def shares(x: Tensor, owners: Tensor) -> Tensor:
            without = [
                game.losses(x, owners, _without(left_out, game.players).expand(len(x), -1, -1))
                # So many neurons at a time that the copies of the inputs stay below a few hundred rows.
                for left_out in torch.arange(game.players).split(max(1, _ROWS // len(x)))
            ]
            whole = game.losses(x, owners, x.new_ones(1).expand(len(x), 1, game.players))
            return whole - torch.cat(without, dim=1)

        return blame(seeds, shares)


def _without(left_out: Tensor, players: int) -> Tensor:
    """Return masks that silence one player each, shape (len(left_out), players)."""
    return torch.ones(len(left_out), players).scatter_(1, left_out.unsqueeze(1), 0.0)
