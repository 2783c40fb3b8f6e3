"""What a hunt starts from."""

import numpy as np

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Classifier

__all__ = ["hunted_seeds"]

_RAISED = -1
_BLOCK = 1024


def hunted_seeds(model: Classifier, data: Examples, count: int, target: int | None = None) -> tuple[Examples, int]:
    """Choose what to hunt from.

    Returns
    -------
    seeds : Examples
        The first ``count`` correctly classified inputs, or simply the first ones without labels; none that are of
        the target class already. Inputs that the model cannot answer are taken along: a hunt records why.
    looked_at : int
        Inputs that were looked at for them.
    """
    if count < 1:
        raise InvalidSetting(f"the number of inputs must be >= 1, got {count}")
    labels = data.label_array()
    rows: list[int] = []
    stop = 0
    for batch in data.batches(_BLOCK):
        start, stop = stop, stop + len(batch)
        predicted = _answers(model, batch)
        fit = np.ones(stop - start, dtype=bool) if labels is None else predicted == labels[start:stop]
        fit = (fit & (predicted != target)) | (predicted == _RAISED)
        rows.extend(start + int(row) for row in np.flatnonzero(fit))
        if len(rows) >= count:
            # Not the end of the block: how many were looked at must not depend on how they are read.
            stop = rows[count - 1] + 1
            break
    if not rows:
        kind = "no input correctly" if target is None else f"no input correctly as another class than {target}"
        raise InvalidData(f"{data.name}: {model.name} classifies {kind}, so there is nothing to hunt from")
    return data.take(rows[:count]), stop


def _answers(model: Classifier, batch: Batch) -> np.ndarray:
    """Return the predicted classes, int64 (N,), with ``_RAISED`` where the model raises; raise if it always does."""
    answers = _answer(model, batch)
    if answers is not None:
        return answers
    # Three that fail alike mean a broken model, whose own error is worth more than a thousand failed seeds.
    first, middle, last = (batch[row : row + 1] for row in (0, len(batch) // 2, len(batch) - 1))
    if all(_answer(model, one) is None for one in (first, middle, last)):
        model.observe(first.inputs)
    return _answers_in_parts(model, batch)


def _answers_in_parts(model: Classifier, batch: Batch) -> np.ndarray:
    answers = _answer(model, batch)
    if answers is not None:
        return answers
    if len(batch) == 1:
        return np.array([_RAISED])
    # By halves: one bad input among a thousand is found in twenty passes instead of a thousand.
    half = len(batch) // 2
    return np.concatenate([_answers_in_parts(model, part) for part in (batch[:half], batch[half:])])


def _answer(model: Classifier, batch: Batch) -> np.ndarray | None:
    try:
        answers: np.ndarray = model.observe(batch.inputs).predicted.numpy()
    except InvalidModel:
        return None
    return answers
