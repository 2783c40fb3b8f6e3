"""Trying perturbations on inputs, in bulk, to see which copies change the model's answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.conversion import perturbed
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.methods import Perturbation
from unnerve.core.model import Classifier
from unnerve.core.streams import Streams

__all__ = ["Draws", "FirstSuccesses", "perturbed_answers"]

_ROWS = 1024


@dataclass(frozen=True)
class Draws:
    """Perturbations that are drawn: the same value gives an input the same copies, whatever other inputs there are.

    Parameters
    ----------
    perturbation : Perturbation
    seed, step : int
        Name the draw.
    tries : int
        Copies per input, M.
    """

    perturbation: Perturbation
    seed: int
    step: int
    tries: int

    def copies(self, batch: Batch) -> Tensor:
        """Return perturbed copies of N inputs, shape (N, M, ...)."""
        shape = tuple(batch.inputs.shape[1:])
        parameters = self.perturbation.draw(Streams(self.seed, batch.ids), self.step, self.tries, shape)
        return perturbed(self.perturbation, batch.inputs, parameters, batch.value_range)


def perturbed_answers(model: Classifier, data: Examples, rows: Sequence[int] | range, draws: Draws) -> Iterator[Tensor]:
    """Predict the perturbed copies of each input.

    Parameters
    ----------
    rows : sequence of int
        Which inputs, and in which order.
    draws : Draws

    Yields
    ------
    int64 Tensor of shape (K, M)
        Predicted classes of the copies of the next K inputs; a few inputs at a time, so that copies stay in cache.
    """
    # Copies, not inputs, fill a pass.
    chunk = max(1, _ROWS // draws.tries)
    for start in range(0, len(rows), chunk):
        batch = data.batch(rows[start : start + chunk])
        yield model.observe(draws.copies(batch).flatten(0, 1)).predicted.view(len(batch), draws.tries)


class FirstSuccesses:
    """For each input the first try that changes the answer, evaluated only as far as someone looks.

    An input has the same outcome in every order that is walked.

    Parameters
    ----------
    answers : int64 Tensor of shape (N,)
        The model's answers to the unchanged inputs.
    """

    def __init__(self, model: Classifier, data: Examples, answers: Tensor, draws: Draws) -> None:
        self._model, self._data, self._answers, self._draws = model, data, answers, draws
        # Orders share most of their first inputs, and each is evaluated for all of them.
        self._known: dict[int, int | None] = {}

    def along(self, order: Sequence[int]) -> Iterator[int | None]:
        """Yield the first success of each input of an order (None if no try succeeds)."""
        reach, place = 1, 0
        while place < len(order):
            block = order[place : place + reach]
            self._evaluate([row for row in block if row not in self._known])
            yield from (self._known[row] for row in block)
            place += reach
            # Most orders succeed at once and look no farther; those that do not are worth whole batches.
            reach = min(2 * reach, max(1, _ROWS // self._draws.tries))

    def _evaluate(self, rows: list[int]) -> None:
        place = 0
        for predicted in perturbed_answers(self._model, self._data, rows, self._draws):
            mine = rows[place : place + len(predicted)]
            changed = predicted != self._answers[torch.tensor(mine)].unsqueeze(1)
            # Of integers, for which argmax is defined; among equals it returns the first, which is the first success.
            outcomes = zip(mine, changed.any(dim=1).tolist(), changed.int().argmax(dim=1).tolist(), strict=True)
            self._known.update({row: index if success else None for row, success, index in outcomes})
            place += len(predicted)
