"""What hardening changed: figures before and after, with intervals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.results import Result
from unnerve.studies.intervals.interval import Interval

__all__ = ["Compared", "Hardening"]


@dataclass(frozen=True)
class Compared:
    """A figure before and after.

    Parameters
    ----------
    before, after : Interval
    change : Interval
        After minus before, input by input, on the inputs that count in both.
    """

    before: Interval
    after: Interval
    change: Interval

    def figures(self) -> dict[str, Any]:
        """Return the figures, as JSON."""
        return {
            name: {"mean": one.mean, "ci95": list(one.ci95)}
            for name, one in (("before", self.before), ("after", self.after), ("change", self.change))
        }


@dataclass(frozen=True, eq=False, repr=False)
class Hardening(Result):
    """What hardening changed.

    Parameters
    ----------
    model, data, campaign : str
    repair, region : str
        As on the command line.
    accuracy : Compared
        On fresh inputs: neither seeds nor trained on nor validated on.
    attacks : dict of str to Compared
        Attack success on fresh inputs that are answered correctly; attacked anew.
    robust_accuracy : Compared
        Share of the attacked inputs that are answered correctly and that no attack breaks.
    clever : Compared or None
        CLEVER on the same fresh inputs with the same random points; None if it was not measured, or if no input has a
        score under both networks.
    replayed : dict of str to Compared
        Share of the findings that are answered wrongly: ``trained_on``, ``not_trained_on``.
    training : dict
        ``benign``, ``findings``, ``epochs``, ``kept_epoch``, ``validation_before``, ``validation_after``,
        ``tolerance``.
    counts : dict of str to int
        ``fresh``, ``attacked``, ``clever``, ``validation`` inputs.
    weights : str
        Where the weights are.
    out : str
        Folder of weights, campaigns and report.
    warnings : tuple of str
        What the user should know before relying on it.
    seconds : float
    """

    model: str
    data: str
    campaign: str
    repair: str
    region: str
    accuracy: Compared
    attacks: Mapping[str, Compared]
    robust_accuracy: Compared
    clever: Compared | None
    replayed: Mapping[str, Compared]
    training: Mapping[str, Any]
    counts: Mapping[str, int]
    weights: str
    out: str
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    provenance: Provenance | None = field(default=None)

    def rows(self) -> dict[str, Compared]:
        """Return all that was compared, by a name for people."""
        found = {"clean accuracy": self.accuracy, "robust accuracy": self.robust_accuracy}
        found |= {f"attack success, {name}": one for name, one in self.attacks.items()}
        if self.clever is not None:
            found["CLEVER"] = self.clever
        return found | {f"findings still wrong, {name.replace('_', ' ')}": one for name, one in self.replayed.items()}

    def table(self) -> pa.Table:
        """Return one row per figure, before and after."""
        return pa.Table.from_pylist(
            [
                {
                    "figure": name,
                    **{
                        f"{when}{end}": value
                        for when, one in (("before", row.before), ("after", row.after), ("change", row.change))
                        for end, value in (("", one.mean), ("_low", one.low), ("_high", one.high))
                    },
                }
                for name, row in self.rows().items()
            ]
        )

    def summary(self) -> dict[str, Any]:
        """Return the stable figures, as JSON."""
        return {
            "model": self.model,
            "data": self.data,
            "campaign": self.campaign,
            "repair": self.repair,
            "region": self.region,
            "accuracy": self.accuracy.figures(),
            "robust_accuracy": self.robust_accuracy.figures(),
            "attack_success": {name: one.figures() for name, one in self.attacks.items()},
            "clever": None if self.clever is None else self.clever.figures(),
            "replayed": {name: one.figures() for name, one in self.replayed.items()},
            "training": dict(self.training),
            "counts": dict(self.counts),
            "weights": self.weights,
            "out": self.out,
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }

    def headline(self) -> str:
        """Return what changed, in one line."""
        clean, robust = self.accuracy, self.robust_accuracy
        return (
            f"{self.model}, {self.repair}: robust accuracy {robust.before.mean:.3f} -> {robust.after.mean:.3f} in "
            f"{self.region}, clean accuracy {clean.before.mean:.4f} -> {clean.after.mean:.4f}"
        )
