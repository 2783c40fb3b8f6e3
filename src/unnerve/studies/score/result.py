"""How robust a model is on some inputs: figures, JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.results import Result
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Robustness", "Scored"]


@dataclass(frozen=True)
class Scored:
    """What was measured of one input.

    Parameters
    ----------
    id : str
    value : float
        The CLEVER score, or 1 if an attack breaks the input and 0 if none does; an input that is answered wrongly
        without any change is broken.
    correct : bool or None
        Whether it is answered correctly; None without labels.
    more : dict
        Further figures of the measure: ``error``, ``target``, ``fit``, or what each attack does.
    """

    id: str
    value: float
    correct: bool | None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """How robust a model is.

    Parameters
    ----------
    model, data : str
    measure : str
        With its settings, as on the command line.
    mean : Interval
        Of CLEVER over all inputs that have a score, right or wrong; of attack success over those that are answered
        correctly.
    scored : tuple of Scored
    parts : dict of str to dict of str to Interval
        Attack success by ``attack`` and by ``class``.
    warnings : tuple of str
        What may make the figure better than the model is.
    more : dict
        Further figures: the region, the attacks.
    unscored : tuple of str
        Ids of the inputs that CLEVER has no score for: they are answered with the only target already.
    doubts : tuple of str
        What makes the answers to unchanged inputs look wrong as a whole; mostly none.
    seconds : float
    """

    model: str
    data: str
    measure: str
    mean: Interval
    scored: tuple[Scored, ...]
    parts: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    unscored: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    seconds: float = 0.0
    provenance: Provenance | None = None

    @property
    def accuracy(self) -> Interval | None:
        """The share of the inputs that is answered correctly; None without labels."""
        known = [one.correct for one in self.scored if one.correct is not None]
        return proportion(sum(known), len(known)) if known else None

    def table(self) -> pa.Table:
        """Return one row per input."""
        return pa.Table.from_pylist(
            [{"id": one.id, "value": one.value, "correct": one.correct, **one.more} for one in self.scored]
        )

    def summary(self) -> dict[str, Any]:
        """Return the stable figures, as JSON."""
        accuracy = self.accuracy
        parts = {
            f"per_{name}": {key: {"mean": one.mean, "ci95": list(one.ci95)} for key, one in some.items()}
            for name, some in self.parts.items()
        }
        return {
            "measure": self.measure,
            "mean": self.mean.mean,
            "ci95": list(self.mean.ci95),
            "accuracy": None if accuracy is None else accuracy.mean,
            "accuracy_ci95": None if accuracy is None else list(accuracy.ci95),
            **self.more,
            **parts,
            "warnings": [*self.doubts, *self.warnings],
            "per_example": self.table().to_pylist(),
            "unscored": list(self.unscored),
            "seconds": round(self.seconds, 3),
        }

    def headline(self) -> str:
        """Return the mean and its interval, in one line."""
        low, high = self.mean.ci95
        return f"{self.model}, {self.measure}: {self.mean.mean:.4g} [{low:.4g}, {high:.4g}], {len(self.scored)} inputs"
