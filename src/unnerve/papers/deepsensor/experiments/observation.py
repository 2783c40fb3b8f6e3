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
from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.hunt._hunted_seeds import hunted_seeds

__all__ = ["Observation", "observation"]

# The reaction and the threshold (lambda) of each method, by its defaults.
_REACTIONS = {"sensitive": ("sensitivity", 0.5), "excitable": ("path", 0.02)}
_NINES = 500  # about half of those in MNIST's test set
_SHOWN = 150  # of each group: more points make the plane no clearer, and t-SNE slower


@dataclass(frozen=True)
class Observation:
    """What noise and corner cases do to the nines.

    Parameters
    ----------
    plan : Plan
    pairs : int
        Nines that are recognised in spite of noise and not as a corner case.
    counts : dict of str to tuple of (int, int)
        By kind, for each pair the neurons that react to noise and to the corner case.
    plane : dict of str to tuple of (float, float)
        By group, its inputs in a t-SNE of neuron values.
    silhouette : float
        In ``[-1, 1]``: how clearly the groups are apart there.
    """

    plan: Plan
    pairs: int
    counts: Mapping[str, tuple[tuple[int, int], ...]]
    plane: Mapping[str, tuple[tuple[float, float], ...]]
    silhouette: float


def observation(experiment: Experiment) -> Observation:
    """Compare noise and corner cases of class 9, the papers' example, beside inputs of class 1."""
    region = experiment.setup.region
    nines = hunted_seeds(experiment.model, _class(experiment, 9), _NINES)[0]
    corner = last(experiment.points("pgd:steps=20", nines, region)).clone()
    # Noise of the same linf norm has a smaller L2 norm (2.4 against 3.7 on LeNet-5): part of the gap is its size.
    noisy = last(experiment.points("random:iterations=1", nines, region)).clone()
    wrong = experiment.model.observe(corner).predicted != 9
    right = experiment.model.observe(noisy).predicted == 9
    kept = (wrong & right).nonzero().flatten()
    both = torch.stack([noisy, corner], dim=1)
    counts = {}
    for kind, (reaction, limit) in _REACTIONS.items():
        reacting = experiment.reactions(build("reaction", reaction), nines, both)[kept] > limit
        counts[kind] = tuple((first, second) for first, second in reacting.sum(dim=2).tolist())
    ones = _class(experiment, 1).first(_SHOWN)
    groups = {"class 1": _inputs(ones), "class 9": _inputs(nines.first(_SHOWN)), "corner cases": corner[kept[:_SHOWN]]}
    plane, silhouette = _plane(experiment, groups)
    return Observation(Plan("observation", experiment.setup), len(kept), counts, plane, silhouette)


def _class(experiment: Experiment, label: int) -> Examples:
    test = experiment.split("test")
    labels = test.label_array()
    assert labels is not None
    return test.take(np.flatnonzero(labels == label).tolist())


def _inputs(some: Examples) -> Tensor:
    return next(some.batches()).inputs


def _plane(
    experiment: Experiment, groups: Mapping[str, Tensor]
) -> tuple[dict[str, tuple[tuple[float, float], ...]], float]:
    values = torch.cat([experiment.model.observe(group, Want.NEURONS).neurons for group in groups.values()])
    which = np.repeat(list(groups), [len(group) for group in groups.values()])
    plane = TSNE(random_state=experiment.setup.seed, init="pca").fit_transform(values.numpy())
    points = {name: tuple((x, y) for x, y in plane[which == name].round(2).tolist()) for name in groups}
    return points, float(silhouette_score(plane, which))
