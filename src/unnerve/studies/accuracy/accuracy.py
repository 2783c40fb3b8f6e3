"""How often a model is right: counted from answers that are there already, never by a pass of its own."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import DoubtfulAnswers, InvalidData
from unnerve.core.model import Classifier
from unnerve.studies.accuracy.doubts import doubts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Accuracy", "check_labels", "measured"]

_UNKNOWN = -1
"""Stands for the label of an input that has none."""


@dataclass(frozen=True)
class Accuracy:
    """How often each label met each answer; those of parts of a data set add up with ``+``.

    Parameters
    ----------
    confusions : dict of (int, int) to int
        How many inputs have this label, -1 for none, and this answer.
    classes : int
        How many the model tells apart.
    names : tuple of str
        What the data calls its classes; empty if it names none.
    """

    confusions: Mapping[tuple[int, int], int]
    classes: int
    names: tuple[str, ...] = ()

    @classmethod
    def counted(
        cls, answers: np.ndarray, labels: np.ndarray | None, classes: int, names: tuple[str, ...] = ()
    ) -> "Accuracy":
        """Count answers, int64 (N,), against labels, int64 (N,), or None."""
        known = np.full(len(answers), _UNKNOWN) if labels is None else labels
        pairs = zip(known.tolist(), answers.tolist(), strict=True)
        return cls(dict(sorted(Counter(pairs).items())), classes, names)

    def __add__(self, other: "Accuracy") -> "Accuracy":
        """Return both together, of the same model and data."""
        both = Counter(self.confusions) + Counter(other.confusions)
        return Accuracy(dict(sorted(both.items())), max(self.classes, other.classes), self.names or other.names)

    @property
    def inputs(self) -> int:
        """How many inputs were answered."""
        return sum(self.confusions.values())

    @property
    def right(self) -> int:
        """How many of them were answered with their label."""
        return sum(count for (label, answer), count in self.confusions.items() if label == answer)

    @property
    def labelled(self) -> bool:
        """Whether there are answers, and labels to compare them with."""
        # Labels for some inputs only would make the share one of a part that nobody chose.
        return bool(self.confusions) and all(label != _UNKNOWN for label, _ in self.confusions)

    @cached_property
    def share(self) -> Interval | None:
        """The share that is right, with its exact 95 % interval; None without labels."""
        return proportion(self.right, self.inputs) if self.labelled else None

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What makes the answers look wrong as a whole: sentences, loudest first; mostly none."""
        return doubts(self.confusions, self.classes, self.names)

    def figures(self) -> dict[str, Any]:
        """Return the stable keys ``accuracy``, ``accuracy_ci95`` and ``warnings``."""
        share = self.share
        known = {"accuracy": None, "accuracy_ci95": None} if share is None else _figures(share)
        return {**known, "warnings": list(self.doubts)}

    def text(self) -> str:
        """Return one line: ``Accuracy 97.6 % (96.5 % to 98.5 %), 976 of 1,000``; empty without labels."""
        if self.share is None:
            return ""
        mean, low, high = (f"{100 * one:.1f} %" for one in (self.share.mean, *self.share.ci95))
        return f"Accuracy {mean} ({low} to {high}), {self.right:,} of {self.inputs:,}"

    def lines(self) -> list[str]:
        """Return what to print: doubts first, each behind ``WARNING:``, then the accuracy."""
        return [*self.loud(), *([self.text()] if self.share else [])]

    def loud(self) -> list[str]:
        """Return the doubts as lines, each behind ``WARNING:``; mostly none."""
        return [f"WARNING: {one}" for one in self.doubts]

    def tell(self, model: str) -> None:
        """Warn of what makes the answers look wrong."""
        for one in self.doubts:
            warnings.warn(DoubtfulAnswers(f"{model}: {one}"), stacklevel=3)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON; :meth:`from_json` reads it."""
        return {
            "confusions": [[label, answer, count] for (label, answer), count in self.confusions.items()],
            "classes": self.classes,
            "named": len(self.names),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], names: Sequence[str] = ()) -> "Accuracy":
        """Read what :meth:`to_json` wrote, with the names, which are kept once elsewhere.

        Raises
        ------
        KeyError, TypeError, ValueError
        """
        confusions = {(int(label), int(answer)): int(count) for label, answer, count in value["confusions"]}
        if any(label < _UNKNOWN or answer < 0 or count < 1 for (label, answer), count in confusions.items()):
            raise ValueError("counts of answers must be positive, of classes that exist")
        return cls(confusions, int(value["classes"]), tuple(names))


def _figures(share: Interval) -> dict[str, Any]:
    return {"accuracy": share.mean, "accuracy_ci95": list(share.ci95)}


def check_labels(data: Examples, classes: int, model: str) -> None:
    """Raise if a label is none of a model's classes, which it tells apart by number."""
    labels = data.label_array()
    if labels is not None and len(labels) and not 0 <= int(labels.max()) < classes:
        raise InvalidData(
            f"{data.name}: labels must be in [0, {classes - 1}], the {classes} classes of {model}, got {labels.max()}"
        )


def measured(model: Classifier, data: Examples) -> Accuracy:
    """Ask a model for all inputs: for those who have no answers yet."""
    whole = Accuracy({}, 0, data.classes)
    for batch in data.batches(1024):
        seen = model.observe(batch.inputs)
        classes = seen.logits.shape[1]
        check_labels(data, classes, model.name)
        labels = None if batch.labels is None else batch.labels.numpy()
        whole += Accuracy.counted(seen.predicted.cpu().numpy(), labels, classes)
    return whole
