"""Where inputs lie between confidence and dropout uncertainty, and which metric tells adversarial ones apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unnerve.core.data.class_names import class_called, telling
from unnerve.core.data.provenance import Provenance
from unnerve.core.patterns import PATTERNS, Thresholds
from unnerve.core.results import Result
from unnerve.core.storage.files import check_writable, whole_file
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.gates.gate import Gate, gate
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["COUNTS", "METRICS", "SHARES", "Group", "UncertaintyMap"]

METRICS = {"pcs": "PCS", "vro": "VRO", "vr": "VR", "predictive_entropy": "PE", "mi": "MI"}
"""Each metric and KuK's abbreviation of it. ``pe`` alone is another score: of one pass, not of draws."""

SHARES = ("looks_benign", "auc", "accuracy", *METRICS)
"""Figures that limits can be stated for, in per cent too."""
COUNTS = ("patterns", "counts")
"""And those that are no shares."""

T = TypeVar("T")

_SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("id", pa.string()),
        ("seed_id", pa.string()),
        ("label", pa.int64()),
        ("predicted", pa.int64()),
        *((metric, pa.float64()) for metric in METRICS),
        ("pattern", pa.string()),
    ]
)


@dataclass(frozen=True, eq=False)
class Group:
    """Inputs of one kind.

    Parameters
    ----------
    name : str
        ``benign``, or the method's label; with ``smallest`` and ``strongest`` where a method found several from a seed.
    ids, seed_ids : tuples of N str
    figures : dict of str to array of shape (N,)
        By metric.
    label, predicted : int arrays of shape (N,)
        The label is -1 where there is none.
    uncertainty_by_draws : dict of int to array of shape (N,)
        VRO after so many draws.
    """

    name: str
    ids: tuple[str, ...]
    seed_ids: tuple[str, ...]
    figures: dict[str, np.ndarray]
    label: np.ndarray
    predicted: np.ndarray
    uncertainty_by_draws: dict[int, np.ndarray]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False, repr=False)
class UncertaintyMap(Result):
    """Where benign and adversarial inputs lie between confidence and uncertainty.

    Parameters
    ----------
    campaign : Campaign
        The attacks' findings.
    groups : dict of str to Group
        The first is ``benign``.
    thresholds : Thresholds
    draws : int
        T.
    dropout : str
        How the model drops out, in words.
    provenance : Provenance or None
        How the map came about, if a verb made it.

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.map("zoo:lenet5", "mnist5k", "pgd", region="linf:0.2", dropout=0.3)
    >>> found.patterns()["pgd"]["HL"]
    """

    campaign: Campaign
    groups: dict[str, Group]
    thresholds: Thresholds
    draws: int
    dropout: str
    provenance: Provenance | None = None

    @property
    def attacks(self) -> dict[str, Group]:
        """The adversarial groups that hold anything."""
        return {name: group for name, group in self.groups.items() if name != "benign" and len(group)}

    def auc(self) -> dict[str, dict[str, Interval]]:
        """Return by group and metric how well the metric tells its inputs from benign ones, with 95 % intervals."""
        # Worked out once: each area sorts the figures of both groups, and text, JSON and page ask for all of them.
        return self._areas

    @cached_property
    def _areas(self) -> dict[str, dict[str, Interval]]:
        benign = self.groups["benign"]
        return {
            name: {metric: _area(group, benign, metric) for metric in METRICS} for name, group in self.attacks.items()
        }

    def patterns(self) -> dict[str, dict[str, int]]:
        """Count the patterns of each group; ``between`` are those that no threshold takes."""
        found = {}
        for name, group in self.groups.items():
            names = self.thresholds.patterns(group.figures["pcs"], group.figures["vro"])
            counts = {pattern: int((names == pattern).sum()) for pattern in PATTERNS}
            found[name] = counts | {"between": int((names == "").sum())}
        return found

    def looks_benign(self) -> dict[str, Interval]:
        """Return the share of each group that is sure and steady (HL), as benign inputs are, with 95 % intervals."""
        counts = self.patterns()
        return {name: proportion(counts[name]["HL"], len(group)) for name, group in self.groups.items() if len(group)}

    def judge(self, fail_if: str | Sequence[str], undecided: str = "pass") -> Gate | None:
        """Say whether limits hold; None without any."""
        return gate(self.summary(), fail_if, undecided)

    def correlation(self) -> dict[str, float | None]:
        """Return Pearson's correlation of PCS and VRO in each group and in all together; None where it is undefined."""
        pairs = {name: (group.figures["pcs"], group.figures["vro"]) for name, group in self.groups.items()}
        together = tuple(np.concatenate(column) for column in zip(*pairs.values(), strict=True))
        return {name: _correlation(*pair) for name, pair in {**pairs, "all": together}.items()}

    def stability(self) -> dict[str, dict[int, float]]:
        """Return by group how far VRO after fewer draws lies from VRO after all of them, on average."""
        return {
            name: {
                draws: float(np.abs(early - group.figures["vro"]).mean())
                for draws, early in group.uncertainty_by_draws.items()
            }
            for name, group in self.groups.items()
            if len(group)
        }

    def table(self) -> pa.Table:
        """Return one row per input: ``group, id, seed_id, label, predicted``, the metrics, ``pattern``.

        Where the data names its classes, ``label_name`` and ``predicted_name`` follow.
        """
        rows = pa.concat_tables(self._rows(group) for group in self.groups.values())
        classes = self.campaign.header["classes"]
        for column in ("label", "predicted") if telling(classes) else ():
            called = [None if one is None else class_called(classes, one) for one in rows[column].to_pylist()]
            rows = rows.append_column(f"{column}_name", pa.array(called, pa.string()))
        return rows

    def _rows(self, group: Group) -> pa.Table:
        return pa.table(
            {
                "group": [group.name] * len(group),
                "id": pa.array(group.ids, pa.string()),
                "seed_id": pa.array(group.seed_ids, pa.string()),
                "label": pa.array([None if label < 0 else int(label) for label in group.label], pa.int64()),
                "predicted": pa.array(group.predicted, pa.int64()),
                **{metric: pa.array(group.figures[metric], pa.float64()) for metric in METRICS},
                "pattern": pa.array(self.thresholds.patterns(group.figures["pcs"], group.figures["vro"]), pa.string()),
            }
        ).cast(_SCHEMA)

    def headline(self) -> str:
        """Return what was mapped, in one line."""
        patterns = self.patterns()
        alike = [f"{patterns[name]['HL']} of {len(group)} of {name}" for name, group in self.attacks.items()]
        return f"{self.campaign.store.path}: sure and steady, as benign inputs are: {', '.join(alike) or 'no attack'}"

    @property
    def table_path(self) -> Path:
        """Where the table is kept: in the campaign's folder, or here if that is not on a disk."""
        store = self.campaign.store
        # A page that links to it is opened from a disk, and cannot lead into a bucket.
        return (Path(store.address) if store.is_local else Path()) / "map.parquet"

    def save(self, path: str | Path) -> None:
        """Write the table as parquet: the whole file or none."""
        check_writable(Path(path))
        with whole_file(Path(path)) as part:
            pq.write_table(self.table(), part)

    def summary(self) -> dict[str, Any]:
        """Return the stable figures as JSON."""
        moments = {
            metric: {
                name: {"mean": float(group.figures[metric].mean()), "variance": float(group.figures[metric].var())}
                for name, group in self.groups.items()
                if len(group)
            }
            for metric in METRICS
        }
        auc = {
            name: _with_former_name(
                {metric: {"value": one.mean, "ci95": list(one.ci95)} for metric, one in by_metric.items()}
            )
            for name, by_metric in self.auc().items()
        }
        return {
            **_with_former_name(moments),
            **({} if self.campaign.accuracy is None else self.campaign.accuracy.figures()),
            "counts": {name: len(group) for name, group in self.groups.items()},
            "patterns": self.patterns(),
            "looks_benign": {
                name: {"value": one.mean, "ci95": list(one.ci95)} for name, one in self.looks_benign().items()
            },
            "auc": auc,
            "correlation": self.correlation(),
            "stability": self.stability(),
            "draws": self.draws,
            "dropout": self.dropout,
            "thresholds": vars(self.thresholds),
            "region": self.campaign.region,
            "out": self.campaign.store.path,
        }


def _with_former_name(figures: dict[str, T]) -> dict[str, T]:
    """Return figures by metric with ``pe`` too: that was the key of the predictive entropy, and scripts rely on it."""
    return figures | {"pe": figures["predictive_entropy"]}


def _area(group: Group, benign: Group, metric: str) -> Interval:
    suspect, ordinary = _suspicion(group, metric), _suspicion(benign, metric)
    if np.isnan(suspect).any() or np.isnan(ordinary).any():
        return Interval(math.nan, math.nan, math.nan)
    # Findings and benign inputs come from the same seeds, so they are not independent.
    return auc(suspect, ordinary, (group.seed_ids, benign.seed_ids))


def _suspicion(group: Group, metric: str) -> np.ndarray:
    """Return the metric so that higher is more suspect: confidence counts against it."""
    return -group.figures[metric] if metric == "pcs" else group.figures[metric]


def _correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    # Without spread there is no correlation: numpy would warn and return NaN, which is no JSON.
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])
