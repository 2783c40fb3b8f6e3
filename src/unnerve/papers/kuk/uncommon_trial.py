"""One experiment behind KuK's Table 5: uncommon inputs of a network."""

from collections.abc import Sequence
from dataclasses import dataclass

from unnerve.papers.kuk.printed import TITLES
from unnerve.papers.kuk.trial import Trial
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["METHODS", "PATTERNS", "Found", "PatternResult", "PatternTrial", "UncommonResult", "UncommonTrial", "joined"]

METHODS = ("kuk", "uncommon_ascent")
# In the order of Table 5's rows, not of the letters.
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
class PatternTrial:
    """One pattern of a network's uncommon inputs: what is run and kept at a time, because each may take an hour."""

    hunted: UncommonTrial
    pattern: str


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
class PatternResult:
    """What was found of one pattern on one network.

    Parameters
    ----------
    plan : PatternTrial
    accuracy, rate : float
        Of the network, and of its dropout.
    seeds : int
    methods : tuple of Found
        In the order of ``METHODS``.
    """

    plan: PatternTrial
    accuracy: float
    rate: float
    seeds: int
    methods: tuple[Found, ...]

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of seeds reached, with their intervals."""
        return {f"{one.pattern}, {one.method}": proportion(one.total, self.seeds) for one in self.methods}


@dataclass(frozen=True)
class UncommonResult:
    """What was found of one network, pattern by pattern as far as they were run.

    Parameters
    ----------
    plan : UncommonTrial
    accuracy : float
    seeds : int
    patterns : tuple of Found
    """

    plan: UncommonTrial
    accuracy: float
    seeds: int
    patterns: tuple[Found, ...]
    table = 5

    @property
    def title(self) -> str:
        """The network, as the paper writes it."""
        return TITLES[self.plan.trial.network]

    @property
    def run(self) -> list[str]:
        """The patterns that were run, in the paper's order."""
        return [name for name in PATTERNS if any(one.pattern == name for one in self.patterns)]

    def found(self, pattern: str, method: str) -> Found:
        """Return what a method found of a pattern that was run."""
        return next(one for one in self.patterns if (one.pattern, one.method) == (pattern, method))


def joined(results: Sequence[PatternResult]) -> list[UncommonResult]:
    """Return the patterns of each network together, in the order in which networks come first."""
    by_plan: dict[UncommonTrial, list[PatternResult]] = {}
    for one in results:
        by_plan.setdefault(one.plan.hunted, []).append(one)
    return [
        # Fewer inputs than asked for may be answered rightly; all hunts of a network begin with the same ones.
        UncommonResult(plan, some[0].accuracy, some[0].seeds, tuple(found for one in some for found in one.methods))
        for plan, some in by_plan.items()
    ]
