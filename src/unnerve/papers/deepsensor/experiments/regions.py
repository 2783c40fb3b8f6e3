"""Errors and categories over the size of the region, which neither DeepSensor paper prints."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.methods import Search
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.searches.pso import PSO
from unnerve.generate.searches.random import Random
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval

__all__ = ["METHODS", "RADII", "Reached", "Regions", "regions"]

RADII = (0.1, 0.2, 0.3, 0.4, 0.6, 1.0)
METHODS = {"sensitive": "sensitive_neurons", "excitable": "excitable_neurons", "random noise": None}


@dataclass(frozen=True)
class Reached:
    """What a method reached in a region, seed by seed.

    Parameters
    ----------
    failing : tuple of int
        Iterations whose best input so far fails: the papers' errors.
    categories : tuple of int
        Distinct wrong classes among those.
    all_failing, all_categories : tuple of int
        The same of every particle that was tried.
    length : float
        Mean L2 norm of the best inputs' change at the end.
    tried : int
        Inputs that were tried for each seed.
    """

    failing: tuple[int, ...]
    categories: tuple[int, ...]
    all_failing: tuple[int, ...]
    all_categories: tuple[int, ...]
    length: float
    tried: int

    def per_seed(self, which: str, most: int) -> Interval:
        """Return a mean per seed."""
        return count_mean(BoundedCounts(torch.tensor(getattr(self, which)).numpy(), most))


@dataclass(frozen=True)
class Regions:
    """By ``METHOD, RADIUS``."""

    plan: Plan
    rows: Mapping[str, Reached]

    def spreads(self) -> dict[str, Interval]:
        """Return categories per seed of picks and of all particles."""
        return {
            f"{name}, {which}": one.per_seed(which, 9)
            for name, one in self.rows.items()
            for which in ("categories", "all_categories")
        }


def regions(experiment: Experiment) -> Regions:
    """Drive each method's search by hand, so that every particle is seen, not only the best one."""
    rows = {
        f"{name}, {radius:g}": _reached(experiment, objective, radius)
        for radius in RADII
        for name, objective in METHODS.items()
    }
    return Regions(Plan("regions", experiment.setup), rows)


def _reached(experiment: Experiment, objective: str | None, radius: float) -> Reached:
    setup, batch = experiment.setup, experiment.seeds.batch(range(len(experiment.seeds)))
    space, streams = build("region", f"linf:{radius}"), Streams(setup.seed, batch.ids)
    subject = Subject(Metered(experiment.model, Meter(len(batch))), Context(reference=experiment.reference))
    size = setup.particles, setup.iterations
    search: Search = Random(*size) if objective is None else PSO(*size)
    fitness = None if objective is None else build("objective", objective).prepare(subject, _seeds(experiment))
    rows, keep = torch.arange(len(batch)), torch.ones(len(batch), dtype=torch.bool)
    best, record = batch.inputs.clone(), torch.full((len(batch),), -torch.inf)
    picks, every = [], []
    walk = search.points(space, batch.inputs, streams)
    points: Tensor | None = next(walk)
    while points is not None:
        # Noise has no best: a fresh first particle stands for it in every iteration.
        values = torch.zeros(points.shape[:2]) if fitness is None else fitness(points, rows)
        top = values.max(dim=1)
        better = keep if fitness is None else top.values > record
        best[better], record = points[better, top.indices[better]], torch.where(better, top.values, record)
        picks.append(_answers(experiment, best))
        every.append(_answers(experiment, points.flatten(0, 1)).view(len(batch), -1))
        points = _sent(walk, values, keep)
    right = torch.as_tensor(batch.labels)
    chosen, tried = torch.stack(picks, dim=1), torch.cat(every, dim=1)
    length = float((best - batch.inputs).flatten(1).norm(dim=1).mean())
    return Reached(*_counted(chosen, right), *_counted(tried, right), length, tried.shape[1])


def _seeds(experiment: Experiment) -> Seeds:
    return Seeds.observed(experiment.model, experiment.seeds.batch(range(len(experiment.seeds))))


def _sent(walk: Generator[Tensor, tuple[Tensor, Tensor], None], values: Tensor, keep: Tensor) -> Tensor | None:
    try:
        return walk.send((values, keep))
    except StopIteration:
        return None


def _answers(experiment: Experiment, x: Tensor) -> Tensor:
    return torch.cat([experiment.model.observe(some).predicted for some in x.split(500)])


def _counted(answers: Tensor, right: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many answers (N, M) are wrong, and how many wrong classes there are among them, seed by seed."""
    wrong = answers != right.unsqueeze(1)
    kinds = [len(set(row[bad].tolist())) for row, bad in zip(answers, wrong, strict=True)]
    return tuple(wrong.sum(dim=1).tolist()), tuple(kinds)
