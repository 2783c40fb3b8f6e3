"""The one training loop."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.examples import Examples
from unnerve.subjects.memory_format import channels_last
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Epoch", "initialised", "train"]


@dataclass(frozen=True)
class Epoch:
    """What one pass over the data brought.

    Parameters
    ----------
    number : int
        From 1.
    loss, accuracy : float
        Means over the epoch's own steps, while the weights were still moving.
    """

    number: int
    loss: float
    accuracy: float


def initialised(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """Make a module whose initial weights depend on ``seed`` alone; the global random state stays as it was."""
    with _seeded(seed):
        return make()


def train(
    module: nn.Module,
    examples: Examples,
    recipe: Recipe,
    progress: Callable[[int, int], None] | None = None,
    after_epoch: Callable[[Epoch], None] | None = None,
) -> list[Epoch]:
    """Train a module in place on labelled examples by cross-entropy.

    Parameters
    ----------
    module : nn.Module
        From (N, ...) to logits (N, C); left in eval mode.
    examples : Examples
        With labels.
    recipe : Recipe
    progress : callable (steps done, steps in all), optional
    after_epoch : callable (Epoch), optional

    Returns
    -------
    list of Epoch
    """
    if examples.labels is None:
        raise InvalidData(f"{examples.name}: training needs labels")
    steps = -(-len(examples) // recipe.batch)
    optimiser = _optimiser(module, recipe)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, _factor(recipe, steps * recipe.epochs))
    order = torch.Generator().manual_seed(recipe.seed)
    epochs = []
    with _seeded(recipe.seed + 1):
        module.train()
        for number in range(1, recipe.epochs + 1):
            totals = torch.zeros(2, dtype=torch.float64)
            rows = torch.randperm(len(examples), generator=order)
            for step, chosen in enumerate(rows.split(recipe.batch)):
                totals += _step(module, examples, chosen.tolist(), optimiser)
                schedule.step()
                if progress is not None:
                    progress((number - 1) * steps + step + 1, steps * recipe.epochs)
            epochs.append(Epoch(number, *(totals / len(examples)).tolist()))
            if not math.isfinite(epochs[-1].loss):
                raise InvalidSetting(f"training diverged in epoch {number}: the loss is not finite; lower the rate")
            if after_epoch is not None:
                after_epoch(epochs[-1])
    module.eval()
    return epochs


def _step(module: nn.Module, examples: Examples, rows: list[int], optimiser: torch.optim.Optimizer) -> torch.Tensor:
    batch = examples.batch(rows)
    assert batch.labels is not None
    logits = module(channels_last(batch.inputs) if batch.inputs.ndim == 4 else batch.inputs)
    loss = nn.functional.cross_entropy(logits, batch.labels)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    right = (logits.detach().argmax(dim=1) == batch.labels).sum()
    return torch.tensor([float(loss.detach()) * len(rows), float(right)], dtype=torch.float64)


def _optimiser(module: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(module.parameters(), lr=recipe.rate, momentum=recipe.momentum)
    return torch.optim.Adam(module.parameters(), lr=recipe.rate)


def _factor(recipe: Recipe, total: int) -> Callable[[int], float]:
    if recipe.schedule == "constant":
        return lambda _step: 1.0
    return lambda step: 0.5 * (1 + float(torch.cos(torch.tensor(torch.pi * min(step, total) / total))))


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
