"""A patch that differential evolution optimises, as NSATP says it does (IV-B), beside patches at random places."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from unnerve.measure.scores.pd import pd
from unnerve.papers._networks import network
from unnerve.papers._parts import Part, digest
from unnerve.papers._rules import BEYOND, Rule, above, tallied
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.reproduction import Claim, Table
from unnerve.subjects.data import examples

__all__ = ["RULES", "Evolution", "EvolutionPlan", "evolution_claims", "evolution_part", "evolution_table"]

_MORE = Rule(
    "A patch optimised by differential evolution breaks more inputs than as many random ones",
    "",
    BEYOND,
    "held if the interval over inputs of the difference lies above 0 on every network and budget, partly if on more "
    "than half",
)
_STILL = Rule(
    "PD still tells which inputs fall, when the patch is optimised",
    "we encode the perturbation into an array which is optimized by differential evolution",
    "IV-B",
    "the paper gives no figure for it alone; held if the interval of the AUC of PD for broken inputs lies above 0.5 on "
    "every network and budget, partly if on more than half",
)
RULES = (_MORE, _STILL)


@dataclass(frozen=True)
class EvolutionPlan:
    """A network with weights at hand, its data, and the tries per input: generations of so many patches each."""

    network: str
    data: str
    inputs: int
    population: int
    iterations: int
    seed: int = 0


@dataclass(frozen=True)
class Evolution:
    """Which inputs fell, by method, in the order of the seeds; and their PD, higher if more suspect."""

    plan: EvolutionPlan
    broken: Mapping[str, tuple[bool, ...]]
    pd: tuple[float, ...]

    @property
    def title(self) -> str:
        """Network and tries."""
        return f"{self.plan.network}, {self.plan.population * self.plan.iterations} tries"

    def share(self, method: str) -> Interval:
        """Return the share of inputs that a method broke."""
        return proportion(sum(self.broken[method]), len(self.pd))

    @property
    def gain(self) -> Interval:
        """By how much the optimised patch breaks more."""
        first, second = (BoundedCounts(np.array(self.broken[name], dtype=int), 1) for name in ("evolved", "random"))
        return count_difference(first, second)

    def area(self, method: str) -> Interval | None:
        """Return how well PD tells the broken inputs from the others; None if there is only one kind."""
        broken, scores = np.array(self.broken[method]), np.array(self.pd)
        return auc(scores[broken], scores[~broken]) if 0 < broken.sum() < len(broken) else None

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of inputs broken."""
        return {f"broken, {name}": self.share(name) for name in self.broken}


def evolution_part(plan: EvolutionPlan, data: Path, folder: Path) -> Part[Evolution]:
    """Return the comparison as a part."""
    name = f"evolution-{plan.network}-{plan.population * plan.iterations}"
    return Part(name, plan, Evolution, lambda: _run(plan, data, folder))


def _run(plan: EvolutionPlan, data: Path, folder: Path) -> Evolution:
    subject = network(plan.network, plan.data, data)
    test = examples(f"{plan.data}:{data / plan.data}", split="test")
    search = f"differential_evolution(population={plan.population},iterations={plan.iterations})"
    methods = {
        "evolved": f"guided:search={search},objective=margin,encoding=patch",
        "random": f"patch:iterations={plan.population * plan.iterations}",
    }
    # The whole cube: a patch may take any colour, and its four pixels are bound enough.
    settings = HuntSettings(region="linf:1", inputs=plan.inputs, seed=plan.seed, stop_at_first=True, shard=50)
    out = folder / "campaigns" / f"evolution-{plan.network}-{digest(plan)}"
    campaign = run_campaign(
        subject, test, CampaignRequest(list(methods.values()), str(out)), settings, RunSettings(resume=True)
    )
    broken = {name: _broken(campaign, label) for name, label in zip(methods, campaign.plan.labels, strict=True)}
    ids = list(next(iter(broken.values())))
    inputs = campaign.store.seeds(ids)
    seen = subject.observe(torch.from_numpy(np.stack([inputs[one] for one in ids])))
    scores = tuple(float(value) for value in pd(seen.probabilities.double()))
    return Evolution(plan, {name: tuple(found[one] for one in ids) for name, found in broken.items()}, scores)


def _broken(campaign: Campaign, label: str) -> dict[str, bool]:
    return {seed.id: bool(seed.errors) for seed in campaign.tallies[label].seeds}


def evolution_table(results: list[Evolution]) -> Table:
    """Return what both kinds of patches broke."""
    rows = []
    for one in results:
        area = one.area("evolved")
        shares = [_text(one.share(name)) for name in ("random", "evolved")]
        rows.append((one.title, str(len(one.pd)), *shares, _text(one.gain), "-" if area is None else _text(area)))
    columns = ("network", "inputs", "random patches", "evolved patches", "difference", "AUC of PD for broken inputs")
    return Table("Patches at random and by differential evolution: share of inputs broken", columns, tuple(rows))


def evolution_claims(results: list[Evolution]) -> list[Claim]:
    """Return what the comparison says."""
    if not results:
        return []
    areas = [one.area("evolved") for one in results]
    more = "; ".join(f"{one.title}: {one.share('evolved').mean:.1%} {one.share('random').mean:.1%}" for one in results)
    told = [f"{one.title} {area.mean:.2f}" for one, area in zip(results, areas, strict=True) if area is not None]
    return [
        _STILL.decided(tallied(above(area, 0.5) for area in areas), "-", f"AUC {', '.join(told) or '-'}"),
        _MORE.decided(tallied(above(one.gain, 0) for one in results), "-", f"evolved and random, {more}"),
    ]


def _text(value: Interval) -> str:
    return f"{value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
