"""CLEVER scores of many inputs, some at a time."""

import numpy as np

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.model import Capability, Classifier, Differentiable, require
from unnerve.core.naming.command_text import command_text
from unnerve.core.progress import OnSteps
from unnerve.measure.robustness.clever import Clever, CleverScores
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.score.result import Robustness, Scored

__all__ = ["clever_scores"]

_BLOCK = 8
"""Inputs between two looks at the progress bar; scores do not depend on it."""
_WORST_FIT = 0.001


def clever_scores(
    model: Classifier, data: Examples, clever: Clever, progress: OnSteps = lambda done, total: None
) -> Robustness:
    """Measure CLEVER at the predicted class of each input; misclassified ones are flagged, not dropped."""
    require(model, Capability.GRADIENTS, "clever")
    assert isinstance(model, Differentiable)
    scored: list[Scored] = []
    for batch in data.batches(_BLOCK):
        scored += _rows(batch, clever.scores(model, batch, data.value_range))
        progress(len(scored), len(data))
    values = np.array([one.value for one in scored])
    poor = sum(one.more["fit"] < _WORST_FIT for one in scored)
    said = (f"the Weibull law does not fit {poor} of {len(scored)} inputs: their largest gradient stands in for it",)
    return Robustness(
        model.name,
        data.name,
        command_text(clever),
        bounded_mean(values, 0.0, clever.radius),
        tuple(scored),
        warnings=said if poor else (),
        more={"norm": clever.norm, "radius": clever.radius},
    )


def _rows(batch: Batch, found: CleverScores) -> list[Scored]:
    correct = [None] * len(batch) if batch.labels is None else (found.predicted == batch.labels).tolist()
    columns = (found.score, found.error, found.target, found.predicted, found.fit)
    return [
        Scored(name, score, right, {"error": error, "target": target, "predicted": predicted, "fit": fit})
        for name, right, score, error, target, predicted, fit in zip(
            batch.ids, correct, *(column.tolist() for column in columns), strict=True
        )
    ]
