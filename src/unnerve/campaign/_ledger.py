"""What a hunt has proposed and proven so far, seed by seed."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from unnerve.campaign._second_judgement import doubtful
from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.judge import examined
from unnerve.core.methods import Hunter, InUnits
from unnerve.core.model import Classifier
from unnerve.core.pools import PoolHunter
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter

__all__ = ["BoundHunt", "Ledger", "eight_bit"]

# Methods that compute much between queries propose a handful of inputs without one, none of them thousands.
_MOST_IDLE = 10_000


@dataclass(frozen=True, eq=False)
class BoundHunt:
    """One method of a plan and the subject it is used on."""

    plan: HuntPlan
    method: int
    subject: Subject[Classifier]
    wary: bool = False
    """The model is known to be unstable, so that every finding is run again and again."""
    quick: Classifier | None = None
    """What hunters ask instead of the subject's model, if there is something quicker; the judge never does."""

    @property
    def searched(self) -> Classifier:
        """The model that hunters ask."""
        return self.subject.model if self.quick is None else self.quick

    @property
    def hunter(self) -> Hunter | PoolHunter:
        """The method."""
        return self.plan.methods[self.method]


@dataclass
class Ledger:
    """Keeps what a hunter picks until it is judged, and what was proven.

    Parameters
    ----------
    hunt : BoundHunt
    seeds : Seeds
        N seeds.
    meter : Meter
        Says how far each seed is into its budget.
    """

    hunt: BoundHunt
    seeds: Seeds
    meter: Meter
    pending: list[tuple[Candidates, Tensor, Tensor]] = field(default_factory=list)
    found: dict[str, tuple[Finding, int]] = field(default_factory=dict)
    kinds: set[tuple[str, int]] = field(default_factory=set)
    times: Counter[str] = field(default_factory=Counter)
    """How often each finding was picked."""

    def __post_init__(self) -> None:
        self.idle, self.spent = 0, -1
        self.picks, self.failing, self.steps = (torch.zeros(len(self.seeds), dtype=torch.int64) for _ in range(3))
        self.nearest = torch.full((len(self.seeds),), -torch.inf)

    @property
    def waiting(self) -> int:
        """How many picks wait for the judge."""
        return sum(len(candidates) for candidates, _, _ in self.pending)

    def note(self, candidates: Candidates, steps: Tensor) -> None:
        """Take picks with their steps, int64 (K,); their inputs are borrowed, and so are copied."""
        self._check_queries()
        index = candidates.seed_index
        self.picks += torch.bincount(index, minlength=len(self.seeds))
        parameters = None if candidates.parameters is None else candidates.parameters.clone()
        # Hunters work in place on one buffer, which the next step overwrites.
        owned = Candidates(candidates.inputs.clone(), index.clone(), 0, parameters)
        self.pending.append((owned, steps, self.meter.per_seed(index)))

    def _check_queries(self) -> None:
        """Refuse a hunter that goes on and on without asking the model: its budget would never end."""
        spent = int(self.meter.spent.sum())
        self.idle, self.spent = self.idle + 1 if spent == self.spent else 0, spent
        if self.idle >= _MOST_IDLE:
            name = type(self.hunt.hunter).__name__
            raise InvalidSetting(f"{name} must query the model as it goes, got {_MOST_IDLE:,} steps without a query")

    def judge(self) -> None:
        """Prove what is waiting; a pick that was found before counts as failing, but not as another error."""
        if not self.pending:
            return
        plan = self.hunt.plan
        steps = torch.cat([steps for _, steps, _ in self.pending])
        spent = torch.cat([queries for _, _, queries in self.pending])
        candidates = _joined([one for one, _, _ in self.pending])
        self.pending.clear()
        index = candidates.seed_index
        if plan.quantised:
            batch = self.seeds.batch
            rounded = eight_bit(candidates.inputs, batch.inputs[index], batch.value_range)
            candidates = Candidates(rounded, index, 0, candidates.parameters)
        # Integers and categories of a table are settled before the proof, so that what is stored is what was proven.
        if isinstance(plan.region, InUnits):
            valid = plan.region.settled(candidates.inputs, self.seeds.batch.inputs[index])
            candidates = Candidates(valid, index, 0, candidates.parameters)
        said = examined(self.hunt.subject, self.seeds, candidates, plan.oracle, plan.region, plan.minimum_margin)
        self.nearest.scatter_reduce_(0, index, said.missed, "amax")
        for row, finding in said.proven:
            self.failing[index[row]] += 1
            self.times[finding.id] += 1
            # The first time counts: later finds of the same input have cost more queries.
            self.found.setdefault(finding.id, (finding._replace(step=int(steps[row])), int(spent[row])))
            self.kinds.add((finding.seed_id, finding.after))

    def counts(self) -> Counts:
        """Count what was found so far."""
        return Counts(
            errors=len(self.found),
            error_categories=len(self.kinds),
            seeds_broken=int((self.failing > 0).sum()),
            errors_as_in_paper=int(self.failing.sum()),
            queries=int(self.meter.spent.sum()),
        )

    def outcome(self) -> Outcome:
        """Return what was found, seed by seed: they took turns, and their order must not tell in which company.

        What does not fail every time is left out, see :func:`unnerve.campaign._second_judgement.doubtful`.
        """
        place = {name: row for row, name in enumerate(self.seeds.batch.ids)}
        doubted = self._drop_doubtful(place)
        findings = tuple(sorted(self.found.values(), key=lambda one: place[one[0].seed_id]))
        columns = (self.seeds.batch.ids, self.meter.spent.tolist(), self.picks.tolist(), self.failing.tolist())
        records = (SeedRecord(*row) for row in zip(*columns, strict=True))
        misses = zip(records, self.nearest.tolist(), strict=True)
        return Outcome(
            findings, tuple(replace(one, doubted=doubted[one.id], nearest=_miss(one, n)) for one, n in misses)
        )

    def _drop_doubtful(self, place: Mapping[str, int]) -> Counter[str]:
        """Judge a second time, forget what does not fail every time, and return how many that are of each seed."""
        known = {name: finding for name, (finding, _) in self.found.items()}
        doubted: Counter[str] = Counter()
        for name in doubtful(self.hunt.plan, self.hunt.subject, self.seeds, known, self.hunt.wary) if known else ():
            owner = known[name].seed_id
            doubted[owner] += 1
            self.failing[place[owner]] -= self.times[name]
            del self.found[name]
        self.kinds = {(finding.seed_id, finding.after) for finding, _ in self.found.values()}
        return doubted


def _miss(seed: SeedRecord, margin: float) -> float | None:
    """Return by how much nothing was found from a seed; None if something was, or if nothing could be judged."""
    # Four places: what lies behind them depends on the company in a pass.
    return round(margin, 4) if seed.failing == 0 and math.isfinite(margin) else None


def _joined(parts: list[Candidates]) -> Candidates:
    parameters = [one.parameters for one in parts if one.parameters is not None]
    return Candidates(
        torch.cat([one.inputs for one in parts]),
        torch.cat([one.seed_index for one in parts]),
        0,
        # A hunter gives parameters with all of its candidates or with none.
        torch.cat(parameters) if len(parameters) == len(parts) else None,
    )


def eight_bit(x: Tensor, centre: Tensor, held: ValueRange = UNIT) -> Tensor:
    """Round to 256 equal levels of a range, towards the seed's own levels, so that no region is left."""
    low, high = held
    levels = 255 / (high - low)
    base = ((centre - low) * levels).round()
    steps = (x - low) * levels - base
    # A step of 8 that arrives as 7.99999 is a step of 8; the regions allow for as much rounding.
    reached = base + steps.add_(steps.sign(), alpha=1e-4).trunc_()
    # The last level is the end of the range, whatever is lost to rounding on the way.
    return torch.where(reached == 255, high, reached / levels + low)
