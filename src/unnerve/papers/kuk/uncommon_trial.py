"""One experiment behind KuK's Table 5: uncommon inputs of a network."""

from dataclasses import dataclass

from unnerve.papers.kuk.printed import TITLES
from unnerve.papers.kuk.trial import Trial
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["METHODS", "PATTERNS", "Found", "UncommonResult", "UncommonTrial"]

METHODS = ("kuk", "uncommon_ascent")
PATTERNS = ("LL", "HH", "LH", "HL")


@dataclass(frozen=True)
class UncommonTrial:
    """One network, and how its uncommon inputs are hunted.

    Parameters
    ----------
    trial : Trial
        Network, data, draws, dropout and seeds; its campaigns are the common inputs.
    region : str
        The paper's is ``linf:0.3`` on every network.
    """

    trial: Trial
    region: str


@dataclass(frozen=True)
class Found:
    """What one method found of one pattern.

    Parameters
    ----------
    pattern, method : str
    wrong : tuple of bool
        Of every found input, one for each seed that was reached: whether its answer is wrong.
    pcs, vro : tuple of float
        Of the same, as they were proven.
    queries : int
        Of all seeds together.
    """

    pattern: str
    method: str
    wrong: tuple[bool, ...]
    pcs: tuple[float, ...]
    vro: tuple[float, ...]
    queries: int

    @property
    def total(self) -> int:
        """Seeds of which an input was found."""
        return len(self.wrong)

    @property
    def adversarial(self) -> int:
        """Those among them whose answer is wrong."""
        return sum(self.wrong)


@dataclass(frozen=True)
class UncommonResult:
    """What was found of one network.

    Parameters
    ----------
    plan : UncommonTrial
    accuracy, rate : float
    seeds : int
    patterns : tuple of Found
    """

    plan: UncommonTrial
    accuracy: float
    rate: float
    seeds: int
    patterns: tuple[Found, ...]

    @property
    def title(self) -> str:
        """The network, as the paper writes it."""
        return TITLES[self.plan.trial.network]

    def found(self, pattern: str, method: str) -> Found:
        """Return what a method found of a pattern."""
        return next(one for one in self.patterns if (one.pattern, one.method) == (pattern, method))

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of seeds reached, with their intervals."""
        return {f"{one.pattern}, {one.method}": proportion(one.total, self.seeds) for one in self.patterns}
