"""What one pass over a data set says of every input: scores, answers, confidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.methods import EVIDENCE, Score, evidence
from unnerve.core.model import Capability, Classifier, Instrumented, Observation, Stochastic, Want, require
from unnerve.core.progress import OnSteps
from unnerve.core.streams import Streams
from unnerve.measure.orders._met import Met
from unnerve.studies.accuracy.accuracy import Accuracy, check_labels
from unnerve.studies.rank.comparison import Comparison, Order, wanted

__all__ = ["Scored", "most_suspect_first", "scored"]

_BLOCK, _BLOCK_OF_DRAWS = 1024, 256


@dataclass(frozen=True, eq=False)
class Scored:
    """What one pass over a data set says of every input, in the data's order.

    Parameters
    ----------
    scores : dict of str to float array of shape (N,)
        By name of the score; higher is more suspect.
    predicted : int64 array of shape (N,)
    runner_up : int64 array of shape (N,)
        The second most probable class.
    confidence : float array of shape (N,)
        Probability of the predicted class.
    classes : int
        How many the model tells apart.
    """

    scores: dict[str, np.ndarray]
    predicted: np.ndarray
    runner_up: np.ndarray
    confidence: np.ndarray
    classes: int = 0

    def accuracy(self, data: Examples) -> Accuracy:
        """Return how often the answers are right, for the data that they are of."""
        return Accuracy.counted(self.predicted, data.label_array(), self.classes, data.classes)


def scored(
    model: Classifier,
    data: Examples,
    scores: Mapping[str, Score | Order],
    *,
    seed: int = 0,
    draws: int = 50,
    against: Comparison | None = None,
    progress: OnSteps = lambda done, total: None,
) -> Scored:
    """Compute several scores of every input in one pass, and in one set of dropout draws if a score needs them.

    Orders by coverage are made of the same pass; their values say only which input comes before which.
    """
    against = against or Comparison()
    orders = {name: one for name, one in scores.items() if isinstance(one, Order)}
    met = {name: _begun(model, data, one, against) for name, one in orders.items()}
    single = {name: one for name, one in scores.items() if not isinstance(one, Order)}
    passes = _Passes(model, list(single.values()), tuple(met.values()), against, wanted(scores.values()))
    for name, score in single.items():
        unknown = set(evidence(score)) - set(EVIDENCE)
        if unknown:
            raise InvalidSetting(f"score {name} needs {' and '.join(sorted(unknown))}, which a ranking does not have")
        if "draws" in evidence(score) and not isinstance(model, Stochastic):
            require(model, Capability.DROPOUT, name)
    # T draws of a block are T times as many rows: smaller blocks keep their answers in memory.
    drawn = any("draws" in evidence(score) for score in single.values())
    parts: list[list[np.ndarray]] = []
    done, classes = 0, 0
    for batch in data.batches(_BLOCK_OF_DRAWS if drawn else _BLOCK):
        masks = Masks(seed, batch.ids, draws)
        seen = model.observe(batch.inputs, passes.want)
        if not parts:
            classes = seen.logits.shape[1]
            check_labels(data, classes, model.name)
        parts.append([column.numpy() for column in passes.columns(batch, seen, masks)])
        done += len(batch)
        progress(done, len(data))
    confidence, predicted, runner_up, *values = (np.concatenate(column) for column in zip(*parts, strict=True))
    found = dict(zip(single, values, strict=True))
    found |= {name: one.values(met[name].by_input()) for name, one in orders.items()}
    return Scored({name: found[name] for name in scores}, predicted, runner_up, confidence, classes)


def most_suspect_first(scores: np.ndarray) -> np.ndarray:
    """Return row numbers by falling score; ties keep their order."""
    # Stable: among equal scores the data's order decides, on every machine.
    return np.argsort(-scores, kind="stable")


def _begun(model: Classifier, data: Examples, order: Order, against: Comparison) -> Met:
    """Return what inputs cover before any was seen."""
    assert isinstance(model, Instrumented), "comparison() comes before"
    return Met(order.criterion, model.neuron_map(data.batch(range(1)).inputs), against.profile)


@dataclass(frozen=True, eq=False)
class _Passes:
    """What every pass is asked for, and who looks at it."""

    model: Classifier
    scores: Sequence[Score]
    met: tuple[Met, ...]
    against: Comparison
    want: Want

    def columns(self, batch: Batch, seen: Observation, masks: Masks) -> list[Tensor]:
        """Return confidence, answer and runner-up of each input, and its scores."""
        for one in self.met:
            one.add(seen)
        probabilities, predicted = seen.probabilities, seen.predicted.unsqueeze(1)
        # Not topk: among equals it takes any, and then an unchanged answer would look like a change.
        runner_up = seen.logits.scatter(1, predicted, float("-inf")).argmax(dim=1)
        given = self._evidence(batch, masks, seen)
        values = [score(*(given[name] for name in evidence(score))) for score in self.scores]
        for value in values:
            if value.shape != (len(batch),) or not bool(torch.isfinite(value).all()):
                raise InvalidSetting(f"a score must return one finite number per input, got shape {tuple(value.shape)}")
        return [probabilities.gather(1, predicted).squeeze(1), seen.predicted, runner_up, *values]

    def _evidence(self, batch: Batch, masks: Masks, seen: Observation) -> dict[str, Any]:
        """Return all that the scores ask for, by name."""
        asked = {name for score in self.scores for name in evidence(score)}
        given: dict[str, Any] = {"probabilities": seen.probabilities, "logits": seen.logits}
        given |= {"predicted": seen.predicted, "traces": self.against.traces}
        if "neurons" in asked:
            given["neurons"] = seen.neurons
        if "uniform" in asked:
            given["uniform"] = Streams(masks.seed, batch.ids).uniform(0, 0, ())
        if "draws" in asked and isinstance(self.model, Stochastic):
            given["draws"] = self.model.samples(batch.inputs, masks)
        return given
