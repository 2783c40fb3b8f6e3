"""Figure 3 of the first DeepSensor paper: what its test inputs add to the seeds' coverage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.cover.cover import cover, profile
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import scatter
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["NOISE", "Coverage", "Gains", "Maker", "coverage", "gains_of"]

# 10,000 sections are the first paper's, where DeepGauge and KuK have 1,000.
_CRITERIA = "nc,kmnc:sections=10000,nbc,snac,tknc,bknc"
_REGION = "l2:1"  # the first paper's, for this figure
_BATCHES = 10
NOISE = "random noise"


class Maker(NamedTuple):
    """A method that makes test inputs, and the queries for each seed, if it has no end of its own."""

    method: str
    queries: int | None = None


class Gains(NamedTuple):
    """By criterion what each batch of seeds covers, and by method and criterion what its inputs add to that."""

    seeds: dict[str, tuple[float, ...]]
    gains: dict[str, dict[str, tuple[float, ...]]]


@dataclass(frozen=True)
class Coverage:
    """Coverage by criterion, batch by batch of the seeds.

    Parameters
    ----------
    plan : Plan
    seeds : dict of str to tuple of B floats
        By criterion, what each batch of seeds covers.
    gains : dict of str to dict of str to tuple of B floats
        By method and criterion, what its inputs of each batch add to that.
    """

    plan: Plan
    seeds: Mapping[str, tuple[float, ...]]
    gains: Mapping[str, Mapping[str, tuple[float, ...]]]

    def lead(self, method: str, criterion: str) -> Interval | None:
        """Return how much more a method's inputs add than noise, over batches; None where all batches are alike."""
        own, noise = (np.array(self.gains[name][criterion]) for name in (method, NOISE))
        return scatter((own - noise).tolist())

    def spreads(self) -> dict[str, Interval]:
        """Return the leads over noise."""
        others = [method for method in self.gains if method != NOISE]
        found = {f"{method}, {name}": self.lead(method, name) for method in others for name in self.seeds}
        return {name: one for name, one in found.items() if one is not None}


def coverage(experiment: Experiment, methods: Mapping[str, str] | None = None) -> Coverage:
    """Measure what one input per seed adds: the last of a method, of both papers' and of noise by default."""
    swarm = experiment.setup.swarm
    methods = methods or {
        "sensitive": f"deepsensor:{swarm}",
        "excitable": f"deepsensor-excitable:{swarm}",
        NOISE: "gaussian:iterations=1",
    }
    makers = {name: Maker(method) for name, method in methods.items()}
    return Coverage(Plan("coverage", experiment.setup), *gains_of(experiment, makers))


def gains_of(experiment: Experiment, methods: Mapping[str, Maker]) -> Gains:
    """Return what batches of seeds cover, and what each method's inputs add to that."""
    request = profile(experiment.model, experiment.split("train").first(10_000))
    before: dict[str, list[float]] = {}
    gains: dict[str, dict[str, list[float]]] = {name: {} for name in methods}
    # In batches: one set of inputs has one coverage, of which nobody knows how much the next one's would differ.
    size = max(1, len(experiment.seeds) // _BATCHES)
    for start in range(0, len(experiment.seeds) - size + 1, size):
        some = experiment.seeds.take(list(range(start, start + size)))
        for name, (method, queries) in methods.items():
            made = tensors(last(experiment.points(method, some, _REGION, queries)).clone(), name=name)
            covered = cover(experiment.model, some, request, _CRITERIA, also=made)
            for key, value in covered.gain(covered.additions[0]).items():
                gains[name].setdefault(key, []).append(value)
        for key, value in covered.values.items():
            before.setdefault(key, []).append(value)
    return Gains(
        {key: tuple(values) for key, values in before.items()},
        {name: {key: tuple(values) for key, values in by.items()} for name, by in gains.items()},
    )
