"""Figure 7 of the second DeepSensor paper: how many of the ten most excitable neurons two methods share."""

from dataclasses import dataclass

import torch

from unnerve.core.naming.catalogue import build
from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan

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
    """

    plan: Plan
    methods: tuple[str, ...]
    shared: tuple[tuple[float, ...], ...]
    chance: float


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
    )
