"""Groups of inputs that defences are tested with: clean ones, and what campaigns found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.class_names import class_called
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.defend.result import Shown
from unnerve.studies.defend.settings import DefendSettings

__all__ = ["Group", "clean_inputs", "counts", "found_groups", "held_out_inputs", "is_uncommon"]

_LEAST = 20
"""Clean inputs without which no threshold can be set at a rate of some per cent."""


_ROUNDING = 0.01
"""By how much a confidence may differ on another processor."""

_SHOWN = 12
"""Inputs of each group that a report pictures."""


@dataclass(frozen=True, eq=False)
class Group:
    """Inputs (N, ...) with labels and what the model says of them, int64 (N,); PCS and VRO if they were hunted for."""

    name: str
    uncommon: bool
    inputs: Tensor
    labels: Tensor
    predicted: Tensor
    plane: tuple[tuple[float, ...], ...] = ()

    def shown(self, classes: tuple[str, ...]) -> Shown:
        """Return what a report shows of the group."""
        wrong = (self.predicted != self.labels).tolist()
        named = [
            tuple(class_called(classes, one) for one in pair)
            for pair in zip(self.labels.tolist(), self.predicted.tolist(), strict=True)
        ]
        answers = tuple((label, answer) for label, answer in named[:_SHOWN])
        return Shown(self.name, self.inputs[:_SHOWN].numpy(), answers, tuple(wrong), *self.plane)


def clean_inputs(model: Classifier, data: Examples, count: int) -> tuple[Group, Accuracy, int]:
    """Return the first inputs that the model gets right, how often it is right, and the rows up to the last of them.

    They are at most a third of the data: twice as many rows are left alone, and detectors learn from the rest.
    """
    count = min(count, max(1, len(data) // 3))
    inputs, labels, accuracy = [], [], Accuracy({}, 0, data.classes)
    rows: list[int] = []
    for batch in data.batches(512):
        assert batch.labels is not None
        seen = model.observe(batch.inputs)
        right = torch.eq(seen.predicted, batch.labels)
        rows.extend((right.nonzero().flatten() + accuracy.inputs).tolist())
        accuracy += Accuracy.counted(seen.predicted.numpy(), batch.labels.numpy(), seen.logits.shape[1])
        inputs.append(batch.inputs[right])
        labels.append(batch.labels[right])
        if sum(map(len, labels)) >= count:
            break
    first, second = torch.cat(inputs)[:count], torch.cat(labels)[:count]
    if not len(first):
        raise InvalidData(f"{data.name}: {model.name} classifies no input correctly, so there is nothing to defend")
    return Group("clean", False, first, second, second), accuracy, rows[len(first) - 1] + 1


def held_out_inputs(data: Examples, tested: range, settings: DefendSettings, attacked: set[str]) -> Examples:
    """Return the last inputs that are neither among the tested rows nor were attacked."""
    ids = data.ids()
    free = [row for row in range(len(data) - 1, min(len(data), len(tested)) - 1, -1) if ids[row] not in attacked]
    if len(free) < _LEAST:
        raise InvalidData(
            f"{data.name}: {len(free)} inputs are left to calibrate with beside those that are tested, and {_LEAST} "
            "are needed; test fewer (--inputs), or give more data"
        )
    return data.take(sorted(free[: settings.calibration]))


def is_uncommon(campaign: Campaign) -> bool:
    """Say whether a campaign looked for a pattern of confidence and uncertainty, instead of errors."""
    return campaign.plan.oracle.of_patterns


def found_groups(model: Classifier, campaign: Campaign) -> Iterator[Group]:
    """Yield the first finding of every seed, method by method."""
    uncommon = is_uncommon(campaign)
    for label in campaign.plan.labels:
        rows: dict[str, dict[str, Any]] = {}
        for table in campaign.found(label):
            for row in table.to_pylist():
                # One of each seed: the findings of a seed are alike, and one with many would outweigh the others.
                rows.setdefault(row["seed_id"], row)
        if rows:
            held = [stored_array(row["input"], row["shape"], row["dtype"]) for row in rows.values()]
            inputs = torch.from_numpy(np.stack(held))
            seen = model.observe(inputs)
            _check_answers(model, campaign, list(rows.values()), seen.probabilities)
            labels = torch.tensor([row["before"] if row["label"] is None else row["label"] for row in rows.values()])
            pattern = campaign.plan.oracle.described.get("pattern") if uncommon else None
            extra = f" in {Path(campaign.store.path).name}" if pattern is None else f" {pattern}"
            plane = (
                tuple(tuple(float(row[name]) for row in rows.values()) for name in ("pcs", "vro")) if uncommon else ()
            )
            yield Group(f"{label}{extra}", uncommon, inputs, labels, seen.predicted, plane)


def _check_answers(model: Classifier, campaign: Campaign, rows: Sequence[dict[str, Any]], answers: Tensor) -> None:
    """Raise unless the model answers findings as it did when they were proven; answers are probabilities (N, C)."""
    # By answers, not by hashes: that of a hunt for a pattern is of the model with its dropout.
    proven = torch.tensor([row["confidence_after"] for row in rows])
    after = torch.tensor([row["after"] for row in rows])
    off = ((answers.amax(dim=1) - proven).abs() > _ROUNDING) | (answers.argmax(dim=1) != after)
    if bool(off.any()):
        raise InvalidSetting(
            f"{campaign.store.path} was a hunt on another model than {model.name}: {int(off.sum())} of its "
            f"{len(rows)} findings are answered otherwise"
        )


def counts(group: Group, right: Tensor) -> tuple[int, int, int]:
    """Return how many inputs there are, how many the model gets wrong, and how many a defence gets right."""
    return len(group.labels), int((group.predicted != group.labels).sum()), int(right.sum())
