"""Rivals' test inputs beside DeepSensor's: coverage (Fig. 3, 2022) and t-SNE (Fig. 7, 2022; Fig. 8, 2023)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import silhouette_samples
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.model import Want
from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.experiments.coverage import NOISE, Maker, gains_of
from unnerve.papers.deepsensor.experiments.observation import class_of, plane_of
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import scatter

__all__ = ["CLASSES", "RivalInputs", "rival_inputs"]

CLASSES = (1, 2)
"""Seeds are of the first; the papers do not say which their "Class 1" and "Class 2" are."""
_SHOWN = 100


@dataclass(frozen=True)
class RivalInputs:
    """Coverage that test inputs add, and where they lie.

    Parameters
    ----------
    plan : Plan
    seeds : dict of str to tuple of B floats
        By criterion, what each batch of seeds covers.
    gains : dict of str to dict of str to tuple of B floats
        By method and criterion, what its inputs of each batch add to that.
    plane : dict of str to tuple of (float, float)
        By group, its inputs in a t-SNE of neuron values.
    apart : dict of str to tuple of float
        By method, of each of its inputs that is answered as one of the two classes, in ``[-1, 1]``: how much nearer it
        lies to the method's other inputs than to benign ones of its seeds' class (silhouette of neuron values).
    """

    plan: Plan
    seeds: Mapping[str, tuple[float, ...]]
    gains: Mapping[str, Mapping[str, tuple[float, ...]]]
    plane: Mapping[str, tuple[tuple[float, float], ...]]
    apart: Mapping[str, tuple[float, ...]]

    def lead(self, method: str, rival: str, criterion: str) -> Interval | None:
        """Return how much more coverage a method adds than another, over batches; None where all are alike."""
        own, other = (np.array(self.gains[name][criterion]) for name in (method, rival))
        return scatter((own - other).tolist())

    def separation(self, method: str) -> Interval | None:
        """Return the mean silhouette of a method's inputs with its interval; None of fewer than two inputs."""
        values = np.array(self.apart[method])
        return bounded_mean(values, -1, 1) if len(values) > 1 else None

    def spreads(self) -> dict[str, Interval]:
        """Return the silhouettes."""
        found = {f"{name}, silhouette": self.separation(name) for name in self.apart}
        return {name: value for name, value in found.items() if value is not None}


def rival_inputs(experiment: Experiment) -> RivalInputs:
    """Make one test input of every seed by each method, within an L2 change of 1 for coverage."""
    setup = experiment.setup
    steps = setup.iterations
    methods = {
        "sensitive": Maker(f"deepsensor:{setup.swarm}"),
        "excitable": Maker(f"deepsensor-excitable:{setup.swarm}"),
        "DeepXplore": Maker(f"deepxplore:steps={steps}"),
        "DLFuzz": Maker(f"dlfuzz:neurons=10,iterations={steps}"),
        "DeepHunter": Maker("deephunter:snac", 20 * steps),
        NOISE: Maker("gaussian:iterations=1"),
    }
    covered = gains_of(experiment, methods)
    plane, apart = _planes(experiment, {"DeepHunter": methods["DeepHunter"], "DeepSensor": methods["excitable"]})
    return RivalInputs(Plan("rival_inputs", setup), covered.seeds, covered.gains, plane, apart)


def _planes(
    experiment: Experiment, methods: Mapping[str, Maker]
) -> tuple[dict[str, tuple[tuple[float, float], ...]], dict[str, tuple[float, ...]]]:
    first, second = (hunted_seeds(experiment.model, class_of(experiment, one), _SHOWN).seeds for one in CLASSES)
    groups = {"class 1": _inputs(first), "class 2": _inputs(second)}
    for name, (method, queries) in methods.items():
        region = "lineage:metamorphic" if name == "DeepHunter" else experiment.setup.region
        made = last(experiment.points(method, first, region, queries)).clone()
        # As in the papers: only what is answered as one of the two classes is drawn.
        shown = torch.isin(experiment.model.observe(made).predicted, torch.tensor(CLASSES))
        groups[name] = made[shown]
    groups = {name: group for name, group in groups.items() if len(group)}
    plane, _ = plane_of(experiment, groups)
    return plane, {name: _apart(experiment, groups["class 1"], groups[name]) for name in methods if name in groups}


def _apart(experiment: Experiment, benign: Tensor, made: Tensor) -> tuple[float, ...]:
    values = experiment.model.observe(torch.cat([benign, made]), Want.NEURONS).neurons
    which = np.repeat([0, 1], [len(benign), len(made)])
    own: np.ndarray = silhouette_samples(values.numpy(), which)[which == 1]
    return tuple(round(float(value), 5) for value in own)


def _inputs(some: Examples) -> Tensor:
    return some.batch(range(len(some))).inputs
