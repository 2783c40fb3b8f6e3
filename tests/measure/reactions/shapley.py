"""What the tests of the Shapley estimators share: a game worked out by hand, and how to play it."""

from typing import Any

import torch
from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

Made = tuple[Subject[Metered], Seeds]

# The loss of a product network is 1 + h1 + 2 h1 h2 + h2 h3.
SEED = torch.tensor([[0.5, 0.25, 0.75]])
CHANGED = torch.tensor([[[1.0, 0.5, 0.25], [0.5, 0.25, 0.75], [0.5, 0.75, 0.75]]])
# A product of two counts one half for each of them: h1 + h1 h2, h1 h2 + h2 h3 / 2, h2 h3 / 2.
VALUES = torch.tensor([[[0.875, 0.34375, -0.03125], [0.0, 0.0, 0.0], [0.25, 0.4375, 0.1875]]])
CHANGE_OF_LOSS = torch.tensor([[1.1875, 0.0, 0.875]])


def play(reaction: Any, made: Made, changed: Tensor, seed: int = 0) -> Tensor:
    """Return what the neurons of the changed inputs (A, P, ...) of all A seeds add to the loss."""
    found: Tensor = reaction.prepare(*made, Streams(seed, made[1].batch.ids))(changed, torch.arange(len(changed)))
    return found


def change_of_loss(made: Made, changed: Tensor) -> Tensor:
    """Return by how much the loss of changed inputs (A, P, ...) exceeds that of their seeds: (A, P)."""
    model, seeds = made[0].model.model, made[1]
    right = seeds.expected.repeat_interleave(changed.shape[1])
    now = torch.nn.functional.cross_entropy(model.observe(changed.flatten(0, 1)).logits, right, reduction="none")
    before = torch.nn.functional.cross_entropy(seeds.clean.logits, seeds.expected, reduction="none")
    return now.view(changed.shape[:2]) - before.unsqueeze(1)
