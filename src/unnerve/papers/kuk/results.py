"""What attacking and mapping one network found, field by field as it is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from unnerve.core.patterns import PATTERNS, Thresholds
from unnerve.papers._json import INLINE
from unnerve.papers.kuk.printed import ATTACKS, TITLES
from unnerve.papers.kuk.trial import EARLY, LATE, Trial
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Area", "AttackFigures", "AttackRow", "GroupFigures", "Moments", "TrialResult", "rows_of"]


class Moments(NamedTuple):
    """Mean and variance over a group's inputs."""

    mean: float
    variance: float


class Area(NamedTuple):
    """Area under the ROC curve, with its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class GroupFigures:
    """What is said of benign inputs, or of those that an attack found: every input, and what follows from them.

    Parameters
    ----------
    seeds : tuple of N int
        Which benign input each was made of, by its place.
    metrics : dict of str to tuple of N floats
        PCS, VRO and the others; VRO of the paper's T, the others of 200 draws.
    vro_by_draws : dict of int to tuple of N floats
        VRO after so many draws.
    """

    seeds: tuple[int, ...]
    metrics: Mapping[str, tuple[float, ...]]
    vro_by_draws: Mapping[int, tuple[float, ...]]

    @property
    def count(self) -> int:
        """How many inputs there are."""
        return len(self.seeds)

    def moments(self, metric: str) -> Moments:
        """Return mean and variance of a metric."""
        values = np.array(self.metrics[metric])
        return Moments(float(values.mean()), float(values.var()))

    def mean(self, metric: str) -> Interval:
        """Return the mean of PCS or VRO with its interval over inputs."""
        return bounded_mean(np.array(self.metrics[metric]), 0, 1)

    @property
    def patterns(self) -> dict[str, float]:
        """Share of LL, LH, HL and HH; the rest lies between the thresholds."""
        names = Thresholds().patterns(np.array(self.metrics["pcs"]), np.array(self.metrics["vro"]))
        return {name: float((names == name).mean()) for name in PATTERNS}

    @property
    def crossed(self) -> Interval:
        """The share of inputs that lie on another side of a threshold of VRO after 200 draws than after 20."""
        early, late = (np.array(self.vro_by_draws[draws]) for draws in (EARLY, LATE))
        limits = Thresholds()
        sides = [(early < limit) != (late < limit) for limit in (limits.low_uncertainty, limits.high_uncertainty)]
        return proportion(int(np.logical_or(*sides).sum()), self.count)


@dataclass(frozen=True)
class AttackFigures:
    """What an attack found, and by metric how well it is told from benign inputs."""

    group: GroupFigures = field(metadata=INLINE)
    auc: Mapping[str, Area]


@dataclass(frozen=True)
class TrialResult:
    """What became of a trial.

    Parameters
    ----------
    plan : Trial
    accuracy : float
        On the first 1,000 test inputs (as many as there are).
    rate : float
        Of dropout, chosen so that benign inputs have the printed VRO.
    dropout : str
        Where and how much is dropped, in words.
    benign : GroupFigures
    attacks : dict of str to dict of str to AttackFigures
        By attack and extreme; without those that found nothing.
    correlation : dict of str to float
        Of PCS and VRO by extreme, benign and adversarial inputs together.
    count : int
        Benign inputs.
    """

    plan: Trial
    accuracy: float
    rate: float
    dropout: str
    benign: GroupFigures
    attacks: Mapping[str, Mapping[str, AttackFigures]]
    correlation: Mapping[str, float]
    count: int

    @property
    def title(self) -> str:
        """The network's name as the paper writes it; of a trial beside its rows, with what is different."""
        name = TITLES[self.plan.network]
        return name if self.plan.alone is None else f"{name}, {self.count} inputs, whole search"

    def spreads(self) -> dict[str, Interval]:
        """Return the means of all groups, and the AUCs, with their intervals over inputs."""
        found = {f"benign, {metric}": self.benign.mean(metric) for metric in ("pcs", "vro")}
        for attack, extremes in self.attacks.items():
            for extreme, figures in extremes.items():
                name = f"{attack}, {extreme}"
                found |= {f"{name}, {metric}": figures.group.mean(metric) for metric in ("pcs", "vro")}
                found |= {f"{name}, AUC of {metric}": Interval(*area) for metric, area in figures.auc.items()}
        return found


@dataclass(frozen=True)
class AttackRow:
    """A row of the paper's tables: a network, an attack, its place among the paper's rows, and what was found."""

    result: TrialResult
    attack: str
    place: int
    figures: AttackFigures

    @property
    def title(self) -> str:
        """The attack's name as the paper writes it."""
        return ATTACKS[self.attack]


def rows_of(results: Sequence[TrialResult], extreme: str) -> Iterator[AttackRow]:
    """Yield every network and attack that found something, in the paper's order."""
    for result in results:
        for place, attack in enumerate(ATTACKS):
            figures = result.attacks.get(attack, {}).get(extreme)
            if figures is not None:
                yield AttackRow(result, attack, place, figures)
