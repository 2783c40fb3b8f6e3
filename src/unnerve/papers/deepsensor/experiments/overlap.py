"""Figure 7 of the second DeepSensor paper: how many of the ten most excitable neurons two methods share."""

from dataclasses import dataclass

import numpy as np
import torch

from unnerve.core.naming.catalogue import build
from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["Overlap", "overlap"]

_TOP = 10  # the paper's


@dataclass(frozen=True)
class Overlap:
    """How many of the ten most excitable neurons two methods share, on average over seeds.

    Parameters
    ----------
    plan : Plan
    methods : tuple of M str
    shared : tuple of M tuples of M floats
        In ``[0, 10]``; 10 on the diagonal.
    chance : float
        What ten neurons drawn at random would share with ten others.
    each : tuple of M tuples of N int
        What DeepSensor shares with each method, seed by seed.
    """

    plan: Plan
    methods: tuple[str, ...]
    shared: tuple[tuple[float, ...], ...]
    chance: float
    each: tuple[tuple[int, ...], ...]

    def spreads(self) -> dict[str, Interval]:
        """Return how many neurons DeepSensor shares with each attack, with intervals over seeds."""
        return {
            name: bounded_mean(np.array(counts, dtype=float), 0, _TOP)
            for name, counts in zip(self.methods, self.each, strict=True)
        }


def overlap(experiment: Experiment) -> Overlap:
    """Compare the neurons that each method's last inputs excite most."""
    setup, seeds = experiment.setup, experiment.seeds
    methods = {
        "PGD": f"pgd:steps={setup.iterations}",
        "JSMA": "jsma",
        "DeepFool": "deepfool",
        "DeepSensor": f"deepsensor-excitable:{setup.swarm}",
    }
    ends = [last(experiment.points(method, seeds, setup.region)).clone() for method in methods.values()]
    values = experiment.reactions(build("reaction", "path"), seeds, torch.stack(ends, dim=1))
    top = torch.zeros_like(values, dtype=torch.bool).scatter(2, values.topk(_TOP, dim=2).indices, value=True)
    shared = torch.einsum("npu,nqu->pq", top.double(), top.double()) / len(top)
    return Overlap(
        plan=Plan("overlap", setup),
        methods=tuple(methods),
        shared=tuple(tuple(row) for row in shared.tolist()),
        chance=_TOP**2 / values.shape[2],
        each=tuple(tuple((top[:, place] & top[:, -1]).sum(dim=1).tolist()) for place in range(len(methods))),
    )
