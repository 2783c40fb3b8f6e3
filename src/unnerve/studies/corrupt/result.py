"""What natural changes do to a model: accuracy by change and severity, harm by class, JSON."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from unnerve.core.data.class_names import class_called
from unnerve.core.data.provenance import Provenance
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.results import Result
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Corruption", "Harm", "Series"]


class Series(NamedTuple):
    """One input under one change, from no change to the most severe.

    Parameters
    ----------
    id : str
    images : float32 array of shape (1 + S, C, H, W)
    answers : tuple of 1 + S int
        What the model says of each.
    turned : bool
        Whether a right answer becomes a wrong one.
    """

    id: str
    images: np.ndarray
    answers: tuple[int, ...]
    turned: bool


class Harm(NamedTuple):
    """The change that most harms a class; ``change`` is None if none does any harm."""

    change: str | None
    error: Interval
    clean_error: Interval
    inputs: int


@dataclass(frozen=True, eq=False, repr=False)
class Corruption(Result):
    """How often a model is right about inputs that were changed naturally.

    Parameters
    ----------
    model, data : str
    changes : tuple of str
        M of them.
    severities : tuple of int
        S of them, the least first.
    right : bool array of shape (N, M, S)
        Whether each changed input is answered correctly; without labels, whether it is answered as before.
    clean : bool array of shape (N,)
        The same without any change: all True without labels.
    expected : int64 array of shape (N,)
        The right answers.
    labelled : bool
    classes : tuple of str
        Names of the classes, by number.
    shown : tuple of M Series
        The first input whose answer each change turns, or the first of all if it turns none.
    doubts : tuple of str
        What makes the answers to unchanged inputs look wrong as a whole; mostly none.
    out : str or None
        Where the changed set is.
    seconds : float
    """

    model: str
    data: str
    changes: tuple[str, ...]
    severities: tuple[int, ...]
    right: np.ndarray
    clean: np.ndarray
    expected: np.ndarray
    labelled: bool
    classes: tuple[str, ...]
    shown: tuple[Series, ...]
    value_range: ValueRange = UNIT
    doubts: tuple[str, ...] = ()
    out: str | None = None
    seconds: float = 0.0
    provenance: Provenance | None = None

    @property
    def accuracy(self) -> Interval:
        """The share that is answered correctly without any change."""
        return proportion(int(self.clean.sum()), len(self.clean))

    def at(self, change: str, severity: int) -> Interval:
        """Return the accuracy under a change of a severity."""
        hits = self.right[:, self.changes.index(change), self.severities.index(severity)]
        return proportion(int(hits.sum()), len(hits))

    def error(self, change: str) -> Interval:
        """Return the error of a change, the mean over its severities."""
        return _error(self.right[:, [self.changes.index(change)]])

    @property
    def mean_corruption_error(self) -> Interval:
        """The mean error over all changes and severities.

        Inputs, not copies of them, were drawn independently, so the interval is that of a mean over inputs.
        """
        # Differs: for ImageNet-C, Hendrycks and Dietterich divide by the errors of AlexNet. Other data have no such
        # network, and errors themselves can be compared between models on the same data.
        return _error(self.right)

    def harms(self) -> dict[str, Harm]:
        """Return the most harmful change of every class that occurs."""
        found = {}
        for number in np.unique(self.expected).tolist():
            own = self.right[self.expected == number]
            clean = ~self.clean[self.expected == number]
            errors = 1 - own.mean(axis=(0, 2))
            worst = int(errors.argmax())
            # A class that is answered wrongly without any change is not harmed by the change that it happens to fail
            # under most.
            named = self.changes[worst] if errors[worst] > clean.mean() else None
            before = proportion(int(clean.sum()), len(clean))
            found[self.class_name(number)] = Harm(named, _error(own[:, [worst]]), before, len(own))
        return found

    def class_name(self, number: int) -> str:
        """Return the name of a class."""
        return class_called(self.classes, number)

    def table(self) -> pa.Table:
        """Return one row per change and severity."""
        rows = []
        for change in self.changes:
            for severity in self.severities:
                one = self.at(change, severity)
                figures = {"accuracy": one.mean, "low": one.low, "high": one.high}
                rows.append({"change": change, "severity": severity, **figures, "inputs": len(self.clean)})
        return pa.Table.from_pylist(rows)

    def summary(self) -> dict[str, Any]:
        """Return the stable figures, as JSON."""
        mean = self.mean_corruption_error
        return {
            "model": self.model,
            "data": self.data,
            "inputs": len(self.clean),
            "labelled": self.labelled,
            "accuracy": self.accuracy.mean,
            "accuracy_ci95": list(self.accuracy.ci95),
            "warnings": list(self.doubts),
            "mean_corruption_error": mean.mean,
            "mean_corruption_error_ci95": list(mean.ci95),
            "changes": {change: self._figures(change) for change in self.changes},
            "most_harmful": {name: _harm_figures(one) for name, one in self.harms().items()},
            "out": self.out,
            "seconds": round(self.seconds, 3),
        }

    def headline(self) -> str:
        """Return the accuracy with and without changes, in one line."""
        mean, kept = self.mean_corruption_error, "accuracy" if self.labelled else "answers kept"
        return (
            f"{self.model}, {kept} {self.accuracy.mean:.4g}; mean corruption error {mean.mean:.4g} "
            f"[{mean.low:.4g}, {mean.high:.4g}], {len(self.clean)} inputs, {len(self.changes)} changes"
        )

    def _figures(self, change: str) -> dict[str, Any]:
        error = self.error(change)
        by_severity = {str(severity): self.at(change, severity) for severity in self.severities}
        return {
            "error": error.mean,
            "error_ci95": list(error.ci95),
            "accuracy": {name: one.mean for name, one in by_severity.items()},
            "accuracy_ci95": {name: list(one.ci95) for name, one in by_severity.items()},
        }


def _error(right: np.ndarray) -> Interval:
    return bounded_mean(1 - right.reshape(len(right), -1).mean(axis=1), 0.0, 1.0)


def _harm_figures(harm: Harm) -> dict[str, Any]:
    return {
        "change": harm.change,
        "error": harm.error.mean,
        "error_ci95": list(harm.error.ci95),
        "clean_error": harm.clean_error.mean,
        "clean_error_ci95": list(harm.clean_error.ci95),
        "inputs": harm.inputs,
    }
