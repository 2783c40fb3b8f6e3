"""How well defences hold: shares with intervals, as a table, JSON and text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.model import Classifier
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.defend.figures import write_figures
from unnerve.studies.defend.held import Held
from unnerve.studies.defend.leader import Leader, leader

__all__ = ["ADAPTIVE", "ATTACKED", "CLEAN", "COMMON", "UNCOMMON", "Defended", "Shown"]

COMMON, UNCOMMON, ADAPTIVE = "common", "uncommon", "adaptive"
CLEAN, ATTACKED = "clean", "attacked"
"""The two parts of what is common."""

_KINDS = {
    ATTACKED: "attacked inputs",
    UNCOMMON: "uncommon inputs",
    ADAPTIVE: "inputs under attacks that know the defence",
    CLEAN: "clean inputs",
}

_ENOUGH = 5000
"""Training inputs below which a hardened model may owe its errors to their number."""


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
    identity : str
        Of the model, see :class:`unnerve.core.model.Classifier`.
    learnt_from : tuple of str
        The clean inputs that detectors learnt from.
    hardened : dict of str to Classifier
        The models that were trained.
    left_out : dict of str to str
        Of all defences, those that the model or the data do not suit, with the reason.
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
    identity: str = ""
    learnt_from: tuple[str, ...] = ()
    hardened: dict[str, Classifier] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def defences(self) -> list[str]:
        """The defences, in their order."""
        return list(dict.fromkeys(row.defence for row in self.rows))

    def total(self, defence: str, uncommon: bool) -> Held | None:
        """Return one defence over all common, or all uncommon, groups; None if there are none."""
        own = [
            row for row in self.rows if row.defence == defence and row.uncommon == uncommon and row.group != ADAPTIVE
        ]
        return Held.summed(defence, UNCOMMON if uncommon else COMMON, own) if own else None

    def over(self, defence: str, kind: str) -> Held | None:
        """Return one defence over all groups of a kind: clean, attacked, uncommon or adaptive; None without any."""
        own = [row for row in self.rows if row.defence == defence and _kind(row) == kind]
        return Held.summed(defence, kind, own) if own else None

    def best(self, kind: str) -> Leader | None:
        """Return which defence does best on one kind of inputs, and which are not told apart from it."""
        tested = ((self.over(name, kind), self.over(name, CLEAN)) for name in self.defences if name != "none")
        return leader([(own, clean) for own, clean in tested if own is not None])

    def kinds(self) -> dict[str, str]:
        """Return the kinds of inputs that defences were tested on, the one that decides first, and what they are."""
        tested = {_kind(row) for row in self.rows if row.defence != "none"}
        return {kind: words for kind, words in _KINDS.items() if kind in tested}

    def headline(self) -> str:
        """Return which defence does best, on attacked inputs if there were any."""
        for kind, words in self.kinds().items():
            found = self.best(kind)
            if found is None:
                continue
            first, bare = found.first, self.over("none", kind)
            without = f" ({_percent(bare.share.mean)} without a defence)" if bare else ""
            alike = f"; not told apart: {', '.join(one.defence for one in found.alike)}" if found.alike else ""
            share = f"{_percent(first.share.mean)} right{without}{alike}"
            return f"{first.defence} does best of the defences of {self.model} on {words}: {share}"
        return f"no defence of {self.model} was tested"

    def table(self) -> pa.Table:
        """Return one row per defence and group."""
        return pa.Table.from_pylist([_row(row) for row in self.every_row()])

    def save(self, path: str | Path) -> None:
        """Write the figures as .json, and beside them the weights of hardened models, ready for ``weights=``."""
        write_figures(self.summary(), self.hardened, Path(path))

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "model": self.model,
            "identity": self.identity,
            "data": self.data,
            "rows": [_row(row) for row in self.every_row()],
            "calibration": self.calibration,
            "calibrated_with": self.calibrated_with,
            "learnt_from": list(self.learnt_from),
            "trained_with": self.trained_with,
            "value_range": list(self.value_range),
            "region": self.region,
            "left_out": self.left_out,
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
        earlier = (
            f"{name}: as learnt in {one['learnt_in']}." for name, one in self.calibration.items() if "learnt_in" in one
        )
        left_out = (f"{name} was left out: {reason}." for name, reason in self.left_out.items())
        return (*self._given_thresholds(), *self._little_training(), *earlier, *left_out)

    def _given_thresholds(self) -> tuple[str, ...]:
        given = [name for name, one in self.calibration.items() if one.get("threshold_given")]
        return tuple(f"{name}: the threshold is the given one, not from calibration." for name in given)

    def _little_training(self) -> tuple[str, ...]:
        trained = {name: one["trained_with"] for name, one in self.calibration.items() if "trained_with" in one}
        return tuple(
            f"{name}: trained on {count} inputs only, and may be weak for that; the network's own training data is "
            "named by --training."
            for name, count in trained.items()
            if count < _ENOUGH
        )

    def every_row(self) -> Sequence[Held]:
        """Return the rows, and those of all common and all uncommon groups together."""
        totals = [self.total(name, uncommon) for name in self.defences for uncommon in (False, True)]
        return [*self.rows, *(one for one in totals if one is not None)]


def _kind(row: Held) -> str:
    if row.group in (ADAPTIVE, CLEAN):
        return row.group
    return UNCOMMON if row.uncommon else ATTACKED


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
