"""The experiments on faulty training and repair as parts of a reproduction, and their results by kind."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from unnerve.papers._parts import Part
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted, hunted
from unnerve.papers.deepsensor_faults.experiments.overlapped import Overlapped, overlapped
from unnerve.papers.deepsensor_faults.experiments.repaired import Repaired, RepairPlan, repaired
from unnerve.papers.deepsensor_faults.experiments.started import Started, started
from unnerve.papers.deepsensor_faults.experiments.swept import Swept, swept, swept_epsilon
from unnerve.papers.deepsensor_faults.setup import FaultPlan

__all__ = ["EXPERIMENTS", "Results", "part_of", "repair_part"]

Result = TypeVar("Result")

EXPERIMENTS: dict[str, tuple[type[object], Callable[[FaultPlan, Experiment], object]]] = {
    "hunted": (Hunted, hunted),
    "swept": (Swept, swept),
    "epsilon": (Swept, swept_epsilon),
    "started": (Started, started),
    "overlap": (Overlapped, overlapped),
}
"""By name: what an experiment returns, and the experiment; repairs, which have a plan of their own, aside."""


@dataclass(frozen=True)
class Results:
    """All results by kind, each in the order in which they were run."""

    hunted: tuple[Hunted, ...]
    swept: tuple[Swept, ...]
    started: tuple[Started, ...]
    overlap: tuple[Overlapped, ...]
    repaired: tuple[Repaired, ...]

    @classmethod
    def of(cls, results: Sequence[object]) -> "Results":
        """Sort results by their kinds."""
        return cls(
            _only(Hunted, results),
            _only(Swept, results),
            _only(Started, results),
            _only(Overlapped, results),
            _only(Repaired, results),
        )


def part_of(plan: FaultPlan, data: Path, folder: Path) -> Part[object]:
    """Return one of the experiments ``EXPERIMENTS`` as a part."""
    kind, run = EXPERIMENTS[plan.experiment]
    # Table 4 of the second paper is III of the first; 5 is IV.
    tables = () if plan.experiment != "hunted" else (3, 4) if plan.polluted_class is not None else (4, 5)
    return Part(_name(plan), plan, kind, lambda: run(plan, plan.begun(data, folder)), tables)


def repair_part(plan: RepairPlan, data: Path, folder: Path) -> Part[object]:
    """Return the repairs of one network as a part."""
    return Part(_name(plan.network), plan, Repaired, lambda: repaired(plan, plan.network.begun(data, folder)))


def _name(plan: FaultPlan) -> str:
    recipe, setup = plan.setup.recipe, plan.setup
    assert recipe is not None
    words = (plan.experiment, setup.network, plan.kind, setup.region, str(recipe.seed))
    # Fit for a file name.
    return re.sub("[^a-z0-9.]+", "-", "-".join(words))


def _only(kind: type[Result], results: Sequence[object]) -> tuple[Result, ...]:
    return tuple(one for one in results if isinstance(one, kind))
