"""Figure 3 of the second DeepSensor paper: the share of reacting neurons over iterations."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from unnerve.core.findings import Seeds
from unnerve.core.naming.catalogue import build
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Fitness", "fitness"]

_METHODS = {
    "sensitive": ("deepsensor", "sensitive_neurons"),
    "excitable": ("deepsensor-excitable", "excitable_neurons"),
}


@dataclass(frozen=True)
class Fitness:
    """The share of reacting neurons, mean over seeds, at the start (zero) and after every iteration, by their kind."""

    plan: Plan
    curves: Mapping[str, tuple[float, ...]]

    def spreads(self) -> dict[str, Interval]:
        """Return the last value of each curve, as a share of seeds' neurons."""
        count = self.plan.setup.inputs
        return {name: proportion(round(curve[-1] * count), count) for name, curve in self.curves.items()}


def fitness(experiment: Experiment) -> Fitness:
    """Follow the best input of every seed's swarm, by its own objective."""
    curves = {name: _curve(experiment, *method) for name, method in _METHODS.items()}
    return Fitness(Plan("fitness", experiment.setup), curves)


def _curve(experiment: Experiment, hunter: str, objective: str) -> tuple[float, ...]:
    seeds, setup = experiment.seeds, experiment.setup
    batch = seeds.batch(range(len(seeds)))
    subject = Subject(Metered(experiment.model, Meter(len(batch))), Context(reference=experiment.reference))
    measured = build("objective", objective).prepare(subject, Seeds.observed(experiment.model, batch))
    rows = torch.arange(len(batch))
    points = experiment.points(f"{hunter}:{setup.swarm}", seeds, setup.region)
    return 0.0, *(float(measured(best.unsqueeze(1), rows).mean()) for best in points)
