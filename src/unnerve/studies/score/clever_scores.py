"""Scores of many inputs by CLEVER or another measure, some inputs at a time."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier, require
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.progress import OnSteps
from unnerve.core.protocols.robustness import DetailedScores, RobustnessMeasure
from unnerve.measure.robustness.clever import Clever
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.score.result import Robustness, Scored

__all__ = ["clever_rows", "clever_scores"]

_BLOCK = 8
"""Inputs between two looks at the progress bar; scores do not depend on it."""
_WORST_FIT = 0.001


def clever_scores(
    model: Classifier, data: Examples, measure: RobustnessMeasure, progress: OnSteps = lambda done, total: None
) -> Robustness:
    """Measure at the predicted class of each input; misclassified ones are flagged, not dropped.

    Inputs that are answered with the only target already have no score: they are named, and a warning counts them.
    """
    scored, unscored = clever_rows(model, data, measure, progress)
    if not scored and isinstance(measure, Clever):
        raise InvalidData(f"{data.name}: all inputs are answered with class {measure.targets}, which is the target")
    if not scored:
        raise InvalidData(f"{data.name}: {describe(measure)['name']} has no score for any input")
    return Robustness(
        model.name,
        data.name,
        command_text(measure),
        bounded_mean(np.array([one.value for one in scored]), 0.0, measure.radius),
        scored,
        warnings=_warnings(scored, len(unscored), measure),
        more={"norm": measure.norm, "radius": measure.radius},
        unscored=unscored,
    )


def clever_rows(
    model: Classifier, data: Examples, measure: RobustnessMeasure, progress: OnSteps
) -> tuple[tuple[Scored, ...], tuple[str, ...]]:
    """Return what was measured of each input, and the ids of those that have no score."""
    require(model, measure.needs, str(describe(measure)["name"]))
    rows: list[Scored] = []
    for batch in data.batches(_BLOCK):
        found = measure.scores(model, batch, data.value_range)
        if isinstance(found, Tensor):
            rows += _plain_rows(batch, _checked(found, batch, measure), model)
        else:
            rows += _rows(batch, found)
        progress(len(rows), len(data))
    scored = tuple(one for one in rows if not math.isnan(one.value))
    return scored, tuple(one.id for one in rows if math.isnan(one.value))


def _checked(found: Tensor, batch: Batch, measure: RobustnessMeasure) -> Tensor:
    """Return scores, after a look whether they are what a measure promises."""
    name, wanted = describe(measure)["name"], (len(batch),)
    if tuple(found.shape) != wanted:
        raise InvalidSetting(f"scores of {name} must have shape {wanted}, got {tuple(found.shape)}")
    outside = found[(found < 0) | (found > measure.radius)]
    if len(outside):
        rule = f"must be in [0, {measure.radius:g}], its radius"
        raise InvalidSetting(f"scores of {name} {rule}, got {float(outside[0]):g}")
    return found.detach().double().cpu()


def _warnings(scored: Sequence[Scored], unscored: int, measure: RobustnessMeasure) -> tuple[str, ...]:
    said = []
    if unscored:
        why = "have no score"
        if isinstance(measure, Clever):
            why = f"are answered with the target, class {measure.targets}, already: they have no score"
        said.append(f"{unscored} of {unscored + len(scored)} inputs {why}, and the figures are of the others")
    poor = sum(one.more.get("fit", 1) < _WORST_FIT for one in scored)
    if poor:
        fit = f"the Weibull law does not fit {poor} of {len(scored)} inputs"
        said.append(f"{fit}: their largest gradient stands in for it")
    return tuple(said)


def _plain_rows(batch: Batch, scores: Tensor, model: Classifier) -> list[Scored]:
    predicted = model.observe(batch.inputs).predicted.cpu()
    return [
        Scored(name, score, right, {"predicted": answer})
        for name, score, right, answer in zip(
            batch.ids, scores.tolist(), _correct(batch, predicted), predicted.tolist(), strict=True
        )
    ]


def _rows(batch: Batch, found: DetailedScores) -> list[Scored]:
    columns = (found.score, found.error, found.target, found.predicted, found.fit)
    return [
        Scored(name, score, right, {"error": error, "target": target, "predicted": predicted, "fit": fit})
        for name, right, score, error, target, predicted, fit in zip(
            batch.ids, _correct(batch, found.predicted), *(column.tolist() for column in columns), strict=True
        )
    ]


def _correct(batch: Batch, predicted: Tensor) -> Sequence[bool | None]:
    """Return which answers are right; None of each without labels."""
    right: Sequence[bool | None] = [None] * len(batch)
    return right if batch.labels is None else torch.eq(predicted, batch.labels).tolist()
