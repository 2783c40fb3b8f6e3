"""Where seeds and errors lie among each other in the last hidden layer, drawn in a plane by t-SNE."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from torch import Tensor

from unnerve.core.model import Instrumented, Want

__all__ = ["FeaturePlane", "Inputs", "PlaneGroup", "feature_plane", "places"]

_LEAST = 10
_PERPLEXITY = 30.0


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of one kind: tensor (N, ...), the class each is of, and its id."""

    tensors: Tensor
    labels: tuple[int, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PlaneGroup:
    """Points of one kind.

    Parameters
    ----------
    points : array of shape (N, 2)
    labels, answers : tuple of N ints
        The class each input is of, and the one that the model answers.
    ids : tuple of N str
    """

    points: np.ndarray
    labels: tuple[int, ...]
    answers: tuple[int, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FeaturePlane:
    """A plane in which near points are near in a layer; distances between far ones mean nothing.

    Parameters
    ----------
    layer : str
        The last hidden layer that is watched.
    seeds : PlaneGroup
    methods : dict of str to PlaneGroup
        Errors by method.
    among_answered : dict of str to float
        By method: share of its errors whose nearest seed, in the layer itself, is of the class that the model answers.
    classes : tuple of str
        Their names; empty if they have none.
    """

    layer: str
    seeds: PlaneGroup
    methods: Mapping[str, PlaneGroup]
    among_answered: Mapping[str, float]
    classes: tuple[str, ...] = ()


def feature_plane(
    model: Instrumented, seeds: Inputs, methods: Mapping[str, Inputs], seed: int = 0
) -> FeaturePlane | None:
    """Place seeds and errors in one plane by their values in the last hidden layer.

    Returns
    -------
    FeaturePlane or None
        None if there are fewer than ten inputs, no hidden layer, or nothing that tells inputs apart there.

    References
    ----------
    van der Maaten and Hinton, "Visualizing Data using t-SNE", 2008.
    """
    groups = {"": seeds, **methods}
    layers = [layer for layer in model.neuron_map(seeds.tensors[:1]).layers if layer.hidden]
    if not layers or sum(len(one.ids) for one in groups.values()) < _LEAST:
        return None
    features, answers = [], []
    for one in groups.values():
        seen = model.observe(one.tensors, Want.NEURONS)
        features.append(seen.neurons[:, layers[-1].columns].cpu().double().numpy())
        answers.append(tuple(seen.predicted.tolist()))
    together = np.concatenate(features)
    # Features that are all equal have no axes to begin with; written so that NaN is refused, too.
    if not float(np.ptp(together, axis=0).max()) > 0:
        return None
    points = np.split(places(together, seed), np.cumsum([len(one) for one in features])[:-1])
    placed = {
        name: PlaneGroup(where, one.labels, said, one.ids)
        for (name, one), where, said in zip(groups.items(), points, answers, strict=True)
    }
    near = {
        name: _among_answered(own, said, features[0], seeds.labels)
        for name, own, said in list(zip(groups, features, answers, strict=True))[1:]
    }
    return FeaturePlane(layers[-1].name, placed.pop(""), placed, near)


def places(features: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return where N rows of features lie in a plane, by t-SNE: (N, 2)."""
    count, width = features.shape
    if width <= 2:
        return np.pad(features, ((0, 0), (0, 2 - width)))
    # The axes of largest variance as the start: nothing is left to chance, and the whole keeps its shape.
    start = PCA(2, svd_solver="full").fit_transform(features)
    start = start / max(float(start[:, 0].std()), 1e-12) * 1e-4
    # t-SNE looks at three times as many neighbours as the perplexity says, and there are no more than these.
    near = min(_PERPLEXITY, (count - 1) / 3)
    found: np.ndarray = TSNE(2, perplexity=near, init=start, random_state=seed).fit_transform(features)
    return found


def _among_answered(
    features: np.ndarray, answers: tuple[int, ...], seeds: np.ndarray, labels: tuple[int, ...]
) -> float:
    """Return the share of features whose nearest seed is of the class that was answered."""
    distances = torch.cdist(torch.from_numpy(features), torch.from_numpy(seeds))
    nearest = np.asarray(labels)[distances.argmin(dim=1).numpy()]
    return float((nearest == np.asarray(answers)).mean())
