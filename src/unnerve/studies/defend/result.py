"""How well defences hold: shares with intervals, as a table, JSON and text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["ADAPTIVE", "COMMON", "UNCOMMON", "Defended", "Held", "Shown"]

COMMON, UNCOMMON, ADAPTIVE = "common", "uncommon", "adaptive"

_ENOUGH = 5000
"""Training inputs below which a hardened model may owe its errors to their number."""


@dataclass(frozen=True)
class Held:
    """How well one defence holds on one group of inputs.

    Parameters
    ----------
    defence : str
        As on the command line.
    kind : str
        ``detector``: an input counts if it is identified as benign or adversarial; ``model``, ``transform`` or
        ``none``: if it is classified as its label says.
    group : str
        ``clean``, or a method and its campaign; ``adaptive``: clean inputs for which an attack that knows the defence
        finds no wrong answer, or none that goes unnoticed.
    uncommon : bool
        Whether the group was hunted for a pattern of confidence and uncertainty.
    inputs, adversarial, held : int
        How many inputs, how many of them the model gets wrong, and how many the defence gets right.
    """

    defence: str
    kind: str
    group: str
    uncommon: bool
    inputs: int
    adversarial: int
    held: int

    @property
    def share(self) -> Interval:
        """Success with its 95 % interval."""
        return proportion(self.held, self.inputs)


@dataclass(frozen=True, eq=False)
class Shown:
    """What a report shows of a group of uncommon inputs.

    Parameters
    ----------
    group : str
    images : array of shape (M, ...)
        The first of them.
    answers : tuple of (str, str)
        Their labels, and what the model answers.
    wrong : tuple of bool
        Of all N inputs, whether the answer is wrong.
    pcs, vro : tuple of float
        Of all N, as they were proven.
    """

    group: str
    images: np.ndarray
    answers: tuple[tuple[str, str], ...]
    wrong: tuple[bool, ...]
    pcs: tuple[float, ...] = ()
    vro: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Defended(Result):
    """What defences make of common and uncommon inputs.

    Parameters
    ----------
    model, data : str
    rows : tuple of Held
        Defence by defence, group by group.
    calibration : dict of str to dict
        What detectors and transforms learnt from clean inputs, as JSON.
    calibrated_with : int
        How many clean inputs that were.
    provenance : Provenance or None
    shown : tuple of Shown
        One for each group of uncommon inputs.
    value_range : (float, float)
    region : str or None
        Where attacks that know a defence looked.
    trained_with : int
        Inputs that hardened models were trained on.
    accuracy : Accuracy or None
        Of the model without any defence, on what was looked at for clean inputs.
    """

    model: str
    data: str
    rows: tuple[Held, ...]
    calibration: dict[str, dict[str, Any]]
    calibrated_with: int
    provenance: Provenance | None = None
    shown: tuple[Shown, ...] = ()
    value_range: ValueRange = UNIT
    region: str | None = None
    trained_with: int = 0
    accuracy: Accuracy | None = None

    @property
    def defences(self) -> list[str]:
        """The defences, in their order."""
        return list(dict.fromkeys(row.defence for row in self.rows))

    def total(self, defence: str, uncommon: bool) -> Held | None:
        """Return one defence over all common, or all uncommon, groups; None if there are none."""
        own = [
            row for row in self.rows if row.defence == defence and row.uncommon == uncommon and row.group != ADAPTIVE
        ]
        if not own:
            return None
        counts = (sum(getattr(row, name) for row in own) for name in ("inputs", "adversarial", "held"))
        return Held(defence, own[0].kind, UNCOMMON if uncommon else COMMON, uncommon, *counts)

    def adaptive(self, defence: str) -> Held | None:
        """Return one defence against attacks that know it; None if there were none."""
        return next((row for row in self.rows if (row.defence, row.group) == (defence, ADAPTIVE)), None)

    def headline(self) -> str:
        """Return how the defences do on common and uncommon inputs."""
        shares = {}
        for uncommon in (False, True):
            totals = [self.total(name, uncommon) for name in self.defences if name != "none"]
            shares[uncommon] = [one.held / one.inputs for one in totals if one is not None]
        words = [
            f"{_percent(sum(found) / len(found))} of {UNCOMMON if uncommon else COMMON} inputs"
            for uncommon, found in shares.items()
            if found
        ]
        return f"{len(self.defences) - 1} defences of {self.model} hold on {' and '.join(words)} on average"

    def table(self) -> pa.Table:
        """Return one row per defence and group."""
        return pa.Table.from_pylist([_row(row) for row in self.every_row()])

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "model": self.model,
            "data": self.data,
            "rows": [_row(row) for row in self.every_row()],
            "calibration": self.calibration,
            "calibrated_with": self.calibrated_with,
            "trained_with": self.trained_with,
            "region": self.region,
            **({} if self.accuracy is None else self.accuracy.figures()),
        }

    def text(self) -> str:
        """Return the figures for a terminal: a line per defence, a column per group."""
        groups = list(dict.fromkeys(row.group for row in self.every_row()))
        by_place = {(row.defence, row.group): row for row in self.every_row()}
        sizes = {row.group: f"{row.inputs}, {row.adversarial} adv." for row in self.every_row()}
        lines = [("defence", *groups), ("", *(sizes[group] for group in groups))]
        lines += [
            (name, *(_cell(by_place[name, group]) if (name, group) in by_place else "-" for group in groups))
            for name in self.defences
        ]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        drawn = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
                 for line in lines]  # fmt: skip
        notes = [
            "Share of inputs that a detector identifies as benign or adversarial, or that a defended model "
            f"classifies as labelled, with its 95 % interval. Detectors learnt from {self.calibrated_with} others.",
        ]
        if ADAPTIVE in groups:
            notes.append(
                f"Adaptive: clean inputs for which an attack in {self.region} that knows the defence finds no "
                "(unnoticed) error."
            )
        notes += self.warnings
        known = [] if self.accuracy is None else self.accuracy.lines()
        return "\n".join([f"{self.headline()}.", *known, "", *drawn, "", *notes])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know beside the figures."""
        return (*self._given_thresholds(), *self._little_training())

    def _given_thresholds(self) -> tuple[str, ...]:
        given = [name for name, one in self.calibration.items() if one.get("threshold_given")]
        return tuple(f"{name}: the threshold is the given one, not from calibration." for name in given)

    def _little_training(self) -> tuple[str, ...]:
        hardened = list(dict.fromkeys(row.defence for row in self.rows if row.kind == "model"))
        if not hardened or self.trained_with >= _ENOUGH:
            return ()
        few = f"trained on {self.trained_with} inputs only, and may be weak for that"
        return (f"{', '.join(hardened)}: {few}; the network's own training data is named by --training.",)

    def every_row(self) -> Sequence[Held]:
        """Return the rows, and those of all common and all uncommon groups together."""
        totals = [self.total(name, uncommon) for name in self.defences for uncommon in (False, True)]
        return [*self.rows, *(one for one in totals if one is not None)]


def _row(row: Held) -> dict[str, Any]:
    return {
        **vars(row),
        "success": row.share.mean,
        "ci95_low": row.share.low,
        "ci95_high": row.share.high,
    }


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _cell(row: Held) -> str:
    return f"{_percent(row.share.mean)} ({100 * row.share.low:.3g} to {100 * row.share.high:.3g})"
