"""Figure 1 of the DeepSensor papers: neurons that react to noise and to corner cases, and where the inputs lie."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.model import Want
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import scatter

__all__ = ["NOISES", "Observation", "class_of", "observation", "plane_of"]

# The reaction and the threshold (lambda) of each method, by its defaults.
_REACTIONS = {"sensitive": ("sensitivity", 0.5), "excitable": ("path", 0.02)}
_NINES = 500  # about half of those in MNIST's test set
_SHOWN = 150  # of each group: more points make the plane no clearer, and t-SNE slower


NOISES = ("equal linf", "signs", "equal L2")
"""Noise beside which a corner case stands: uniform with the corner case's linf norm, its signs alone, which have the
largest L2 norm that this linf norm allows, and normal with the corner case's own L2 norm."""


@dataclass(frozen=True)
class Observation:
    """What noise and corner cases do to the nines.

    Parameters
    ----------
    plan : Plan
    pairs : int
        Nines that are recognised in spite of every noise and not as a corner case.
    counts : dict of str to tuple of (int, ..., int)
        By kind, for each nine the neurons that react to each of the noises and, last, to the corner case.
    lengths : tuple of float
        Mean L2 norm of each of the noises and of the corner cases.
    plane : dict of str to tuple of (float, float)
        By group, its inputs in a t-SNE of neuron values.
    silhouette : float
        In ``[-1, 1]``: how clearly the groups are apart there.
    """

    plan: Plan
    pairs: int
    counts: Mapping[str, tuple[tuple[int, ...], ...]]
    lengths: tuple[float, ...]
    plane: Mapping[str, tuple[tuple[float, float], ...]]
    silhouette: float

    def gap(self, kind: str, noise: str) -> Interval | None:
        """Return how many more neurons react to a corner case than to a noise, over nines; None if all are alike."""
        place = NOISES.index(noise)
        return scatter([float(row[-1] - row[place]) for row in self.counts[kind]])

    def spreads(self) -> dict[str, Interval]:
        """Return the gaps."""
        found = {f"{kind}, {noise}": self.gap(kind, noise) for kind in self.counts for noise in NOISES}
        return {name: one for name, one in found.items() if one is not None}


def observation(experiment: Experiment) -> Observation:
    """Compare noise and corner cases of class 9, the papers' example, beside inputs of class 1."""
    region = experiment.setup.region
    nines = hunted_seeds(experiment.model, class_of(experiment, 9), _NINES).seeds
    seeds = _inputs(nines)
    corner = last(experiment.points("pgd:steps=20", nines, region)).clone()
    uniform = last(experiment.points("random:iterations=1", nines, region)).clone()
    streams = Streams(experiment.setup.seed, nines.batch(range(len(nines))).ids)
    noisy = [uniform, *_sized(seeds, corner, streams, experiment.radius)]
    seen = experiment.model.observe
    kept = seen(corner).predicted != 9
    for one in noisy:
        kept &= seen(one).predicted == 9
    rows = kept.nonzero().flatten()
    every = torch.stack([*noisy, corner], dim=1)
    counts = {}
    for kind, (reaction, limit) in _REACTIONS.items():
        reacting = experiment.reactions(build("reaction", reaction), nines, every)[rows] > limit
        counts[kind] = tuple(tuple(row) for row in reacting.sum(dim=2).tolist())
    lengths = (every - seeds.unsqueeze(1))[rows].flatten(2).norm(dim=2).mean(dim=0)
    ones = class_of(experiment, 1).first(_SHOWN)
    groups = {"class 1": _inputs(ones), "class 9": _inputs(nines.first(_SHOWN)), "corner cases": corner[rows[:_SHOWN]]}
    plane, silhouette = plane_of(experiment, groups)
    return Observation(
        Plan("observation", experiment.setup), len(rows), counts, tuple(lengths.tolist()), plane, silhouette
    )


def _sized(seeds: Tensor, corner: Tensor, streams: Streams, radius: float) -> list[Tensor]:
    """Return noise of random signs as large as the radius, and normal noise as long as each corner case's change."""
    signs = (streams.uniform(0, 0, tuple(seeds.shape[1:])) < 0.5).to(seeds.dtype).mul_(2).sub_(1)
    normal = streams.normal(0, 1, tuple(seeds.shape[1:]))
    wanted = (corner - seeds).flatten(1).norm(dim=1)
    noisy = seeds + normal
    # Clipping to valid values shortens noise, the more the blacker the ground: lengthened until it fits.
    scale = wanted / normal.flatten(1).norm(dim=1)
    for _ in range(30):
        noisy = (seeds + normal * scale.view(-1, 1, 1, 1)).clamp(0, 1)
        scale = scale * (wanted / (noisy - seeds).flatten(1).norm(dim=1).clamp_min(1e-6)).clamp(0.5, 2)
    return [(seeds + radius * signs).clamp(0, 1), noisy]


def class_of(experiment: Experiment, label: int) -> Examples:
    """Return the test inputs of a class."""
    test = experiment.split("test")
    labels = test.label_array()
    assert labels is not None
    return test.take(np.flatnonzero(labels == label).tolist())


def _inputs(some: Examples) -> Tensor:
    return next(some.batches()).inputs


def plane_of(
    experiment: Experiment, groups: Mapping[str, Tensor]
) -> tuple[dict[str, tuple[tuple[float, float], ...]], float]:
    """Return a t-SNE of the neuron values of inputs, group by group, and how clearly the groups are apart there."""
    values = torch.cat([experiment.model.observe(group, Want.NEURONS).neurons for group in groups.values()])
    which = np.repeat(list(groups), [len(group) for group in groups.values()])
    plane = TSNE(random_state=experiment.setup.seed, init="pca").fit_transform(values.numpy())
    points = {name: tuple((x, y) for x, y in plane[which == name].round(2).tolist()) for name in groups}
    return points, float(silhouette_score(plane, which))
