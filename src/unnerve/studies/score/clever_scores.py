"""CLEVER scores of many inputs, some at a time."""

import math
from collections.abc import Sequence

import numpy as np

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData
from unnerve.core.model import Capability, Classifier, Differentiable, require
from unnerve.core.naming.command_text import command_text
from unnerve.core.progress import OnSteps
from unnerve.measure.robustness.clever import Clever, CleverScores
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.score.result import Robustness, Scored

__all__ = ["clever_rows", "clever_scores"]

_BLOCK = 8
"""Inputs between two looks at the progress bar; scores do not depend on it."""
_WORST_FIT = 0.001


def clever_scores(
    model: Classifier, data: Examples, clever: Clever, progress: OnSteps = lambda done, total: None
) -> Robustness:
    """Measure CLEVER at the predicted class of each input; misclassified ones are flagged, not dropped.

    Inputs that are answered with the only target already have no score: they are named, and a warning counts them.
    """
    scored, unscored = clever_rows(model, data, clever, progress)
    if not scored:
        raise InvalidData(f"{data.name}: all inputs are answered with class {clever.targets}, which is the target")
    return Robustness(
        model.name,
        data.name,
        command_text(clever),
        bounded_mean(np.array([one.value for one in scored]), 0.0, clever.radius),
        scored,
        warnings=_warnings(scored, len(unscored), clever),
        more={"norm": clever.norm, "radius": clever.radius},
        unscored=unscored,
    )


def clever_rows(
    model: Classifier, data: Examples, clever: Clever, progress: OnSteps
) -> tuple[tuple[Scored, ...], tuple[str, ...]]:
    """Return what was measured of each input, and the ids of those that have no score."""
    require(model, Capability.GRADIENTS, "clever")
    assert isinstance(model, Differentiable)
    rows: list[Scored] = []
    for batch in data.batches(_BLOCK):
        rows += _rows(batch, clever.scores(model, batch, data.value_range))
        progress(len(rows), len(data))
    scored = tuple(one for one in rows if not math.isnan(one.value))
    return scored, tuple(one.id for one in rows if math.isnan(one.value))


def _warnings(scored: Sequence[Scored], unscored: int, clever: Clever) -> tuple[str, ...]:
    said = []
    if unscored:
        said.append(
            f"{unscored} of {unscored + len(scored)} inputs are answered with the target, class {clever.targets}, "
            "already: they have no score, and the figures are of the others"
        )
    poor = sum(one.more["fit"] < _WORST_FIT for one in scored)
    if poor:
        fit = f"the Weibull law does not fit {poor} of {len(scored)} inputs"
        said.append(f"{fit}: their largest gradient stands in for it")
    return tuple(said)


def _rows(batch: Batch, found: CleverScores) -> list[Scored]:
    correct = [None] * len(batch) if batch.labels is None else (found.predicted == batch.labels).tolist()
    columns = (found.score, found.error, found.target, found.predicted, found.fit)
    return [
        Scored(name, score, right, {"error": error, "target": target, "predicted": predicted, "fit": fit})
        for name, right, score, error, target, predicted, fit in zip(
            batch.ids, correct, *(column.tolist() for column in columns), strict=True
        )
    ]
