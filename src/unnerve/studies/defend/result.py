"""How well defences hold: shares with intervals, as a table, JSON and text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.results import Result
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["ADAPTIVE", "COMMON", "UNCOMMON", "Defended", "Held"]

COMMON, UNCOMMON, ADAPTIVE = "common", "uncommon", "adaptive"


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


@dataclass(frozen=True, eq=False, repr=False)
class Defended(Result):
    """What defences make of common and uncommon inputs.

    Parameters
    ----------
    model, data : str
    rows : tuple of Held
        Defence by defence, group by group.
    calibration : dict of str to dict
        What each detector learnt from clean inputs, as JSON.
    calibrated_with : int
        How many clean inputs that were.
    provenance : Provenance or None
    """

    model: str
    data: str
    rows: tuple[Held, ...]
    calibration: dict[str, dict[str, Any]]
    calibrated_with: int
    provenance: Provenance | None = None

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
        return pa.Table.from_pylist([_row(row) for row in self._all()])

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "model": self.model,
            "data": self.data,
            "rows": [_row(row) for row in self._all()],
            "calibration": self.calibration,
            "calibrated_with": self.calibrated_with,
        }

    def text(self) -> str:
        """Return the figures for a terminal: a line per defence, a column per group."""
        groups = list(dict.fromkeys(row.group for row in self._all()))
        by_place = {(row.defence, row.group): row for row in self._all()}
        sizes = {row.group: f"{row.inputs}, {row.adversarial} adv." for row in self._all()}
        lines = [("defence", *groups), ("", *(sizes[group] for group in groups))]
        lines += [
            (name, *(_cell(by_place[name, group]) if (name, group) in by_place else "-" for group in groups))
            for name in self.defences
        ]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        drawn = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
                 for line in lines]  # fmt: skip
        notes = [
            "Share of inputs that a detector identifies as benign or adversarial, or that a defended model",
            f"classifies as labelled, with its 95 % interval. Detectors learnt from {self.calibrated_with} others.",
        ]
        if ADAPTIVE in groups:
            notes.append(
                "Adaptive: clean inputs for which an attack that knows the defence finds no (unnoticed) error."
            )
        return "\n".join([f"{self.headline()}.", "", *drawn, "", *notes])

    def _all(self) -> Sequence[Held]:
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
