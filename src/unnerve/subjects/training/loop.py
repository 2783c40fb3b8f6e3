"""The one training loop."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.memory_format import channels_last
from unnerve.subjects.training.augmentation import augmented
from unnerve.subjects.training.batch_norms import fold_into, with_batch_norms
from unnerve.subjects.training.checkpoint import Checkpoint, RunState
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Epoch", "Prepared", "TrainingLoss", "initialised", "train"]

Prepared = Callable[[Batch, int], Batch]
"""(batch, number of the step) -> what is trained on in the step."""

TrainingLoss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(logits (N, C), labels (N,), inputs (N, ...) as the network saw them) -> what is minimised, one number."""


def _cross_entropy(logits: Tensor, labels: Tensor, inputs: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits, labels)


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
    after_epoch: Callable[[Epoch], bool | None] | None = None,
    checkpoint: Checkpoint | None = None,
    prepared: Prepared | None = None,
    loss: TrainingLoss = _cross_entropy,
) -> list[Epoch]:
    """Train a module in place on labelled examples, by cross-entropy unless another loss is given.

    Parameters
    ----------
    module : nn.Module
        From (N, ...) to logits (N, C); left in eval mode.
    examples : Examples
        With labels.
    recipe : Recipe
    progress : callable (steps done, steps in all), optional
    after_epoch : callable (Epoch) -> bool or None, optional
        True ends the training. Called before the epoch's checkpoint is written: what it keeps is there, too, if the
        run is killed between the two, and the epoch is run once more.
    checkpoint : Checkpoint, optional
        Where the state is kept after each epoch; a run that finds its own there goes on from it, to the same weights.
    prepared : callable (Batch, number of the step) -> Batch, optional
        What is trained on in a step, made of what was read for it.
    loss : TrainingLoss

    Returns
    -------
    list of Epoch
    """
    if examples.labels is None:
        raise InvalidData(f"{examples.name}: training needs labels")
    progress = progress or (lambda done, total: None)
    trained = with_batch_norms(module) if recipe.batch_norm else module
    state = RunState(trained, _optimiser(trained, recipe), torch.Generator().manual_seed(recipe.seed))
    # Another seed than that of the first weights: dropout must not repeat their numbers.
    with _seeded(recipe.seed + 1):
        epochs = [] if checkpoint is None else [_epoch(figures) for figures in checkpoint.restore(state)]
        trained.train()
        for number in range(len(epochs) + 1, recipe.epochs + 1):
            epochs.append(_run_epoch(state, _Source(examples, prepared, loss), recipe, number, progress))
            ends = after_epoch is not None and after_epoch(epochs[-1])
            trained.train()  # whoever looked at it may have left it in eval mode
            if checkpoint is not None:
                checkpoint.save(state, [[one.number, one.loss, one.accuracy] for one in epochs])
            if ends:
                break
    trained.eval()
    if trained is not module:
        fold_into(module, trained)
        module.eval()
    return epochs


@dataclass(frozen=True, eq=False)
class _Source:
    """What steps are trained on, and what they lower."""

    examples: Examples
    prepared: Prepared | None
    loss: TrainingLoss

    def batch(self, rows: list[int], step: int) -> Batch:
        """Read a batch, and change it if that is asked for."""
        batch = self.examples.batch(rows)
        return batch if self.prepared is None else self.prepared(batch, step)


def _epoch(figures: list[float]) -> Epoch:
    number, loss, accuracy = figures
    return Epoch(int(number), loss, accuracy)


def _run_epoch(
    state: RunState, source: _Source, recipe: Recipe, number: int, progress: Callable[[int, int], None]
) -> Epoch:
    steps = -(-len(source.examples) // recipe.batch)
    factor = _factor(recipe, steps * recipe.epochs)
    loss, right, count = 0.0, 0, 0
    rows = torch.randperm(len(source.examples), generator=state.order)
    for step, chosen in enumerate(rows.split(recipe.batch), start=(number - 1) * steps):
        for group in state.optimiser.param_groups:
            group["lr"] = recipe.rate * factor(step)
        batch = source.batch(chosen.tolist(), step)
        mean, hits = _step(state, batch, recipe, source.loss)
        # Weights that are NaN would be stored, and tested, without complaint.
        if not math.isfinite(mean):
            raise InvalidSetting(f"training diverged in epoch {number}: the loss is not finite; lower the rate")
        loss, right, count = loss + mean * len(batch), right + hits, count + len(batch)
        progress(step + 1, steps * recipe.epochs)
    return Epoch(number, loss / count, right / count)


def _step(state: RunState, batch: Batch, recipe: Recipe, loss: TrainingLoss) -> tuple[float, int]:
    """Take one step; returns the mean loss before it, and how many answers were right."""
    assert batch.labels is not None
    images = batch.inputs.ndim == 4
    inputs = channels_last(augmented(batch.inputs, recipe.flip, recipe.shift)) if images else batch.inputs
    with torch.autocast("cpu", torch.bfloat16) if recipe.precision == "bfloat16" else nullcontext():
        logits = state.module(inputs)
    # In float32: the sum over classes loses too much in bfloat16.
    value = loss(logits.float(), batch.labels, inputs)
    state.optimiser.zero_grad()
    value.backward()
    state.optimiser.step()
    return float(value.detach()), int((logits.detach().argmax(dim=1) == batch.labels).sum())


def _optimiser(module: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(module.parameters(), recipe.rate, recipe.momentum, weight_decay=recipe.decay)
    return torch.optim.Adam(module.parameters(), recipe.rate, weight_decay=recipe.decay)


def _factor(recipe: Recipe, total: int) -> Callable[[int], float]:
    if recipe.schedule == "constant":
        return lambda _step: 1.0
    rising = total // 4 if recipe.schedule == "one_cycle" else 0

    def factor(step: int) -> float:
        if step < rising:
            return (step + 1) / rising
        return 0.5 * (1 + math.cos(math.pi * min(step - rising, total) / (total - rising)))

    return factor


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
