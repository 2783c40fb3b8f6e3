"""Shapley values by random permutations (Castro et al., 2009), truncated as in Ghorbani and Zou (2020)."""

from collections.abc import Callable
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
from unnerve.measure.reactions._game import BLAME, Game
from unnerve.measure.reactions._walks import Walks

__all__ = ["Permutation"]


@dataclass(frozen=True)
class Permutation:
    r"""Each neuron's part in the change of the loss, averaged over random orders in which neurons are silenced.

    In nats. Unbiased, and for every order the sum is :math:`v(N) - v(\emptyset)`, as for ``exact``.

    Parameters
    ----------
    permutations : int
        How many orders, >= 1; even if ``antithetic``.
    antithetic : bool
        Follow every order by its reverse, which makes errors smaller.
    tolerance : float
        An order is followed no further once the worth of what is left stays within this of nothing, in nats; what
        remains is shared equally by the neurons not yet silenced. At 0 every order is followed to its end.
    patience : int
        Silenced neurons for which it must have stayed so, beyond the first.

    References
    ----------
    Castro et al., "Polynomial Calculation of the Shapley Value Based on Sampling", 2009; Ghorbani and Zou, "Neuron
    Shapley: Discovering the Responsible Neurons", 2020.
    """

    permutations: int = 100
    antithetic: bool = True
    tolerance: float = 0.0
    patience: int = 5
    needs = Capability.NEURONS
    hidden = True
    words = BLAME
    small = ("4", "permutations=3,antithetic=no")

    def __post_init__(self) -> None:
        if self.permutations < 1 or (self.antithetic and self.permutations % 2):
            even = "even and >= 2, or antithetic=no," if self.antithetic else ">= 1,"
            raise InvalidSetting(f"permutations must be {even} got {self.permutations}")
        for name in ("tolerance", "patience"):
            if not getattr(self, name) >= 0:
                raise InvalidSetting(f"{name} must be >= 0, got {getattr(self, name)}")

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: at most one forward pass for each neuron of each order."""
        return self.permutations * (neurons - 1) + 2

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Look at the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        estimate = self.estimates(subject, seeds, streams)
        return lambda changed, rows: estimate(changed, rows)[0]

    def estimates(
        self, subject: Subject[Metered], seeds: Seeds, streams: Streams
    ) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Return a function like that of :meth:`prepare` which also returns the standard errors, (A, P, U).

        They are not a number where there is only one order, or only one with its reverse.
        """
        game = Game.of(subject, seeds)
        ranks = self._ranks(streams, game.players)
        # The seed is silenced in the same orders as its changes, so that most of the chance in a difference cancels.
        clean = Walks(game).worth(seeds.batch.inputs, torch.arange(len(seeds)), ranks)
        walks = Walks(game, self.tolerance, self.patience)

        def estimate(changed: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
            owners = rows.repeat_interleave(changed.shape[1])
            own = ranks[owners]
            worth = walks.worth(changed.flatten(0, 1), owners, own, clean[owners])
            found = (worth[..., :-1] - worth[..., 1:]).gather(2, own)
            if self.antithetic:
                # An order and its reverse are not independent: their mean is one observation, or the standard error
                # would be too small.
                found = found.unflatten(1, (-1, 2)).mean(dim=2)
            spread = found.std(dim=1) if found.shape[1] > 1 else torch.full_like(found[:, 0], float("nan"))
            both = found.mean(dim=1), spread / found.shape[1] ** 0.5
            values, errors = (one.float().view(*changed.shape[:2], -1) for one in both)
            return values, errors

        return estimate

    def _ranks(self, streams: Streams, players: int) -> Tensor:
        """Draw when each neuron is silenced in each order: int64 (N, permutations, U)."""
        drawn = self.permutations // 2 if self.antithetic else self.permutations
        orders = torch.stack([streams.permutations(order, 0, players) for order in range(drawn)], dim=1)
        ranks = orders.argsort(dim=2)
        return torch.stack([ranks, players - 1 - ranks], dim=2).flatten(1, 2) if self.antithetic else ranks
