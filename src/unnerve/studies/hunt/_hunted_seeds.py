"""What a hunt starts from."""

from dataclasses import dataclass

import numpy as np

from unnerve.core.data.class_names import class_called
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.studies.accuracy.accuracy import Accuracy, check_labels

__all__ = ["HuntedSeeds", "hunted_seeds"]

_RAISED = -1
_BLOCK = 1024


@dataclass(frozen=True)
class HuntedSeeds:
    """What a hunt starts from.

    Parameters
    ----------
    seeds : Examples
        The first correctly classified inputs, or simply the first ones without labels; none that are of the target
        class already. Inputs that the model cannot answer are taken along: a hunt records why.
    looked_at : int
        Inputs up to the last seed.
    accuracy : Accuracy
        Over all inputs that were answered: whole blocks, since a count that ends at the last seed would flatter.
    """

    seeds: Examples
    looked_at: int
    accuracy: Accuracy


def hunted_seeds(model: Classifier, data: Examples, count: int, target: int | None = None) -> HuntedSeeds:
    """Choose the first ``count`` inputs to hunt from."""
    if count < 1:
        raise InvalidSetting(f"the number of inputs must be >= 1, got {count}")
    labels = data.label_array()
    rows: list[int] = []
    stop = 0
    classes = _classes(model, data)
    if target is not None and target >= classes > 0:
        raise InvalidSetting(f"target must be in [0, {classes - 1}], got {target}")
    accuracy = Accuracy({}, classes, data.classes)
    for batch in data.batches(_BLOCK):
        start, stop = stop, stop + len(batch)
        predicted = _answers(model, batch)
        answered, own = predicted != _RAISED, None if labels is None else labels[start:stop]
        known = None if own is None else own[answered]
        accuracy += Accuracy.counted(predicted[answered], known, classes)
        fit = np.ones(stop - start, dtype=bool) if own is None else predicted == own
        fit = (fit & (predicted != target)) | (predicted == _RAISED)
        rows.extend(start + int(row) for row in np.flatnonzero(fit))
        if len(rows) >= count:
            # Not the end of the block: how many were looked at must not depend on how they are read.
            stop = rows[count - 1] + 1
            break
    if not rows:
        other = "" if target is None else f" as another class than {class_called(data.classes, target)}"
        raise InvalidData(
            f"{data.name}: {model.name} classifies no input correctly{other}, so there is nothing to hunt from"
        )
    return HuntedSeeds(data.take(rows[:count]), stop, accuracy)


def _classes(model: Classifier, data: Examples) -> int:
    """Return how many classes a model tells apart, checked to hold all labels; 0 if it fails on the first input."""
    try:
        classes = int(model.observe(data.batch(range(1)).inputs).logits.shape[1])
    except InvalidModel:
        return 0
    check_labels(data, classes, model.name)
    return classes


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
