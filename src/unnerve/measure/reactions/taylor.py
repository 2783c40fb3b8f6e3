"""Shapley values to first order: what the loss loses when a neuron is turned down a little (Molchanov et al., 2017)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions._game import BLAME, Game, blame

__all__ = ["Taylor"]


@dataclass(frozen=True)
class Taylor:
    r"""Each neuron's part in the change of the loss, by the slope at which all neurons are as they are.

    .. math:: \psi_n \approx \frac{\partial L(x + \Delta x)}{\partial m_n} - \frac{\partial L(x)}{\partial m_n}
              \Big|_{m = 1}

    where the output of neuron n is multiplied by :math:`m_n`. In nats. One forward and one backward pass, whatever
    the number of neurons; the sum is not the change of the loss.

    References
    ----------
    Molchanov et al., "Pruning Convolutional Neural Networks for Resource Efficient Inference", 2017.
    """

    needs = Capability.NEURONS
    hidden = True
    words = BLAME

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: one forward and one backward pass."""
        return 2

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        game = Game.of(subject, seeds)

        def shares(x: Tensor, owners: Tensor) -> Tensor:
            return game.slopes(x, owners, x.new_ones(1).expand(len(x), 1, game.players)).squeeze(1)

        return blame(seeds, shares)
