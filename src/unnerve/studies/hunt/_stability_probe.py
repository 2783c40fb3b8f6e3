"""Asking a model again about the same inputs: alike, with other random numbers, and in different company."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidModel
from unnerve.core.judge import other_random_numbers
from unnerve.core.model import Classifier
from unnerve.studies.campaign.stability import Stability
from unnerve.subjects.adapters.training_mode import switches_to_training

__all__ = ["StabilityProbe"]

_ASKED = 32
_SLACK = 1e-3
"""Of a probability: what is put down to rounding. Kernels differ by 1e-6, quantised networks by up to 1e-4."""

_DRAWS = "it draws at random, as dropout that is never switched off does"
_TRAINS = "it switches itself to train mode, where dropout draws and batch norms follow the batch"
_COMPANY = "it normalises by the batch, or otherwise lets the answer to an input depend on the others of a pass"
_DRIFTS = "its answers change while it runs, as running statistics or a counter would make them"


@dataclass
class StabilityProbe:
    """Some seeds of a campaign and the first answers to them.

    Parameters
    ----------
    model : Classifier
    seeds : Examples
    """

    model: Classifier
    seeds: Examples

    def __post_init__(self) -> None:
        count = len(self.seeds)
        rows = sorted({place * (count - 1) // max(1, _ASKED - 1) for place in range(_ASKED)})
        self.batch, self.first = self._answerable(self.seeds.batch(rows))
        self.seen = Stability(len(self.batch), 0, 0.0, 0.0)

    def at_start(self) -> Stability:
        """Ask again with other random numbers, then in different company; return what that showed."""
        with other_random_numbers(1):
            alike = self._answers(self.batch.inputs)
        if self._compare(alike):
            trained = switches_to_training(self.model, self.batch.inputs)
            self.seen = replace(self.seen, reason=_TRAINS if trained else _DRAWS)
        self._ask_in_company()
        return self.seen

    def at_end(self) -> Stability:
        """Ask once more, as at the very start and in different company; return what all of it showed."""
        if self._compare(self._answers(self.batch.inputs)) and self.seen.reason is None:
            self.seen = replace(self.seen, reason=_DRIFTS)
        self._ask_in_company()
        return self.seen

    def _ask_in_company(self) -> None:
        half = len(self.batch) // 2
        order = torch.arange(len(self.batch)).flip(0)
        # Two passes of half as many, backwards: other neighbours, another place, another number of them.
        parts = [self._answers(self.batch.inputs[part]) for part in (order[:half], order[half:]) if len(part)]
        if parts and self._compare(torch.cat(parts).flip(0)) and self.seen.reason is None:
            self.seen = replace(self.seen, reason=_COMPANY)

    def _compare(self, answers: Tensor | None) -> bool:
        """Take further answers into account; return whether they differ from the first."""
        if answers is None or not len(self.batch):
            return False
        changed = float((answers.argmax(dim=1) != self.first.argmax(dim=1)).double().mean())
        largest = float((answers - self.first).abs().amax().clamp(max=1.0))
        seen, passes = self.seen, self.seen.passes + 1
        share = (seen.changed * seen.passes + changed) / passes
        self.seen = replace(seen, passes=passes, changed=share, largest=max(seen.largest, largest))
        return changed > 0 or largest > _SLACK

    def _answers(self, inputs: Tensor) -> Tensor:
        return self.model.observe(inputs).probabilities.detach().cpu()

    def _answerable(self, batch: Batch) -> tuple[Batch, Tensor]:
        """Leave out what the model cannot answer: a hunt records why, and it is no question of stability."""
        try:
            return batch, self._answers(batch.inputs)
        except InvalidModel:
            if len(batch) == 1:
                return batch[:0], torch.zeros(0, 1)
        half = len(batch) // 2
        (first, said), (second, more) = self._answerable(batch[:half]), self._answerable(batch[half:])
        labels = None if first.labels is None or second.labels is None else torch.cat([first.labels, second.labels])
        inputs = torch.cat([first.inputs, second.inputs])
        joined = replace(first, inputs=inputs, labels=labels, ids=first.ids + second.ids)
        return joined, torch.cat([part for part in (said, more) if len(part)] or [said])
