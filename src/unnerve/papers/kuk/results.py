"""What attacking and mapping one network found, field by field as it is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unnerve.papers._json import INLINE
from unnerve.papers.kuk.printed import ATTACKS, TITLES
from unnerve.papers.kuk.trial import Trial

__all__ = ["Area", "AttackFigures", "AttackRow", "GroupFigures", "Moments", "Points", "TrialResult", "rows_of"]


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
class Points:
    """A few inputs of a group, for a figure: their PCS and VRO."""

    pcs: tuple[float, ...]
    vro: tuple[float, ...]


@dataclass(frozen=True)
class GroupFigures:
    """What is said of benign inputs, or of those that an attack found.

    Parameters
    ----------
    count : int
    pcs, vro : Moments
    patterns : dict of str to float
        Share of LL, LH, HL and HH; the rest lies between the thresholds.
    vro_by_draws : dict of int to float
        Mean VRO after so many draws.
    points : Points
    """

    count: int
    pcs: Moments
    vro: Moments
    patterns: Mapping[str, float]
    vro_by_draws: Mapping[int, float]
    points: Points


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
        On the first 1,000 test inputs.
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
        """The network's name as the paper writes it."""
        return TITLES[self.plan.network]


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
