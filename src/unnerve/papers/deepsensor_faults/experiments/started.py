"""Figure 6 of the first DeepSensor paper, second row: coverage gained by where the swarm starts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.coverage import coverage
from unnerve.papers.deepsensor.experiments.sweeps import STARTS
from unnerve.papers.deepsensor_faults.experiments.hunted import methods_of
from unnerve.papers.deepsensor_faults.experiments.swept import KINDS
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import scatter

__all__ = ["Started", "started"]


@dataclass(frozen=True)
class Started:
    """Coverage that a swarm's inputs add, by kind of neurons and start.

    Parameters
    ----------
    plan : FaultPlan
    gains : dict of str to dict of str to tuple of B floats
        By ``kind, start`` and criterion, of each batch of seeds.
    """

    plan: FaultPlan
    gains: Mapping[str, Mapping[str, tuple[float, ...]]]

    def lead(self, kind: str, criterion: str) -> Interval | None:
        """Return how much more a random start adds than a fixed one over batches of seeds; None if they are alike."""
        own, fixed = (np.array(self.gains[f"{kind}, {start}"][criterion]) for start in ("random", "fixed"))
        return scatter((own - fixed).tolist())

    def spreads(self) -> dict[str, Interval]:
        """Return the leads of the random start."""
        criteria = next(iter(self.gains.values()))
        found = {f"{kind}, {name}": self.lead(kind, name) for kind in KINDS for name in criteria}
        return {name: one for name, one in found.items() if one is not None}


def started(plan: FaultPlan, experiment: Experiment) -> Started:
    """Measure what one input per seed adds: the last of the swarm."""
    usual = methods_of(plan)
    methods = {f"{kind}, {start}": f"{usual[kind]},start={start}" for kind in KINDS for start in STARTS}
    return Started(plan, coverage(experiment, methods).gains)
