"""The game that the hidden neurons play: a coalition is worth the loss of the answer to which only it contributes."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidModel
from unnerve.core.facts import ReactionWords
from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Observation
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["BLAME", "Game", "Shares", "blame"]

BLAME = ReactionWords(
    "to blame",
    "nats",
    "To blame",
    "A neuron\u2019s Shapley value: its part in the change of the loss, in nats. The values of all neurons add up to "
    "the change of the loss, or nearly.",
)

Shares = Callable[[Tensor, Tensor], Tensor]
"""(inputs (R, ...), the seed each belongs to (R,)) -> each neuron's share of the input's loss, (R, U)."""


@dataclass(frozen=True, eq=False)
class Game:
    """The loss of inputs of which some neurons are silenced.

    Parameters
    ----------
    model : Metered
    classes : int64 Tensor of shape (N,)
        The right answers of the seeds, or their targets.
    sign : int
        1 if the loss is the cross-entropy of the right answer, -1 if it is the negated one of a target.
    players : int
        U, the number of hidden neurons.
    """

    model: Metered
    classes: Tensor
    sign: int
    players: int

    @classmethod
    def of(cls, subject: Subject[Metered], seeds: Seeds) -> "Game":
        """Return the game over the hidden neurons that the model counts."""
        hidden = subject.model.neuron_map(seeds.batch.inputs).hidden
        if len(hidden) == 0:
            raise InvalidModel(
                f"{subject.model.name} has no hidden neurons among those that '{hidden.chosen_by}' chooses"
            )
        if seeds.target is None:
            # With a target the sign turns: what brings the answer nearer to the target is what shall be blamed.
            return cls(subject.model, seeds.expected, 1, len(hidden))
        return cls(subject.model, seeds.target, -1, len(hidden))

    def losses(self, x: Tensor, owners: Tensor, masks: Tensor) -> Tensor:
        """Return the loss of each of R inputs under each of its S masks, shape (R, S, U): float64 (R, S)."""
        logits = self.model.of(owners).silenced(x, masks)
        right = self.classes[owners].repeat_interleave(masks.shape[1])
        values = cross_entropy(logits.flatten(0, 1).double(), right, reduction="none")
        return values.mul_(self.sign).view(masks.shape[:2])

    def slopes(self, x: Tensor, owners: Tensor, masks: Tensor) -> Tensor:
        """Return the derivatives of the loss by the masks, at these: (R, S, U)."""
        _, slopes, _ = self.model.of(owners).mask_gradient(x, masks, self._loss, self.classes[owners])
        return slopes

    def _loss(self, seen: Observation, classes: Tensor) -> Tensor:
        return cross_entropy(seen.logits, classes, reduction="none") * self.sign


def blame(seeds: Seeds, shares: Shares) -> React:
    """Return what each neuron adds to the change of the loss: its share of the new loss minus that of the seed's.

    A Shapley value is linear in the game, so that of the loss change is the difference of two, and one of them is
    worked out only once.
    """
    # Once for all candidates of a seed: a swarm asks about thousands of them.
    clean = shares(seeds.batch.inputs, torch.arange(len(seeds)))

    def react(changed: Tensor, rows: Tensor) -> Tensor:
        now = shares(changed.flatten(0, 1), rows.repeat_interleave(changed.shape[1]))
        return (now.view(*changed.shape[:2], -1) - clean[rows].unsqueeze(1)).float()

    return react
