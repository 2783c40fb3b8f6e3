"""How the neurons of a network reacted to the findings of some methods: figures, JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from unnerve.core.data.provenance import Provenance
from unnerve.core.facts import ReactionWords
from unnerve.core.neurons import NeuronMap
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.react.feature_plane import FeaturePlane

__all__ = ["Neuron", "Reacted", "Reactions"]


@dataclass(frozen=True)
class Neuron:
    """A neuron, by layer and number, its mean reaction, and the share of the pairs in which it reacted."""

    layer: str
    index: int
    value: float
    share: float


@dataclass(frozen=True, eq=False)
class Reacted:
    """How the U neurons reacted to some changed inputs; ``+`` joins disjoint sets of them.

    Parameters
    ----------
    pairs : int
        Pairs of a seed and a changed input.
    sums, times : float64 Tensors of shape (U,)
        Each neuron's reactions, added; in how many pairs it reacted.
    noise_sums, noise_times : float64 Tensors of shape (U,)
        The same for noise of the same size.
    noise_errors : int
        How many of the inputs with noise were errors themselves.
    """

    pairs: int
    sums: Tensor
    times: Tensor
    noise_sums: Tensor
    noise_times: Tensor
    noise_errors: int

    def __add__(self, other: "Reacted") -> "Reacted":
        return Reacted(*map(add, vars(self).values(), vars(other).values()))

    @property
    def means(self) -> Tensor:
        """Each neuron's mean reaction, (U,)."""
        return self.sums / self.pairs

    @property
    def shares(self) -> Tensor:
        """The share of the pairs in which each neuron reacted, (U,)."""
        return self.times / self.pairs

    @property
    def noise_shares(self) -> Tensor:
        """The same for noise of the same size."""
        return self.noise_times / self.pairs


@dataclass(frozen=True, eq=False, repr=False)
class Reactions(Result):
    """Which neurons react to what the methods of a campaign found.

    Parameters
    ----------
    model, campaign : str
        Name and folder.
    reaction : dict
        What was measured, as the catalogue describes it.
    threshold : float
        A neuron reacts above it.
    neurons : NeuronMap
        Those of which the reaction speaks.
    methods : dict of str to Reacted
        Those that found something.
    nothing : tuple of str
        Those that did not.
    top : int
        How many neurons are a method's strongest, at most.
    seconds : float
    provenance : Provenance or None
        How they came about.
    plane : FeaturePlane or None
        Where seeds and errors lie in the last hidden layer; None if there is too little to draw.
    accuracy : Accuracy or None
        On what was looked at for seeds; None if the campaign did not note it.
    words : ReactionWords
        What the reaction says of itself.

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.react("zoo:lenet5", "mnist5k", "runs/arena")
    >>> found.strongest("pgd")[0]
    """

    model: str
    campaign: str
    reaction: Mapping[str, Any]
    threshold: float
    neurons: NeuronMap
    methods: Mapping[str, Reacted]
    nothing: tuple[str, ...]
    top: int
    seconds: float
    provenance: Provenance | None = None
    plane: FeaturePlane | None = None
    accuracy: Accuracy | None = None
    words: ReactionWords = field(default_factory=ReactionWords)

    @property
    def count(self) -> int:
        """How many neurons are a method's strongest."""
        return min(self.top, len(self.neurons))

    @property
    def chance(self) -> float:
        """The overlap of two random sets of as many neurons, nearly (the ratio of the expected sizes)."""
        return self.count / (2 * len(self.neurons) - self.count)

    def strongest(self, method: str) -> list[Neuron]:
        """Return the neurons with the largest mean reaction, the largest first."""
        one = self.methods[method]
        return [self._neuron(place, one) for place in self._places(method)]

    def overlap(self, one: str, other: str) -> float:
        """Return which part of the strongest neurons of two methods they share (Jaccard), in [0, 1]."""
        first, second = (set(self._places(method)) for method in (one, other))
        return len(first & second) / len(first | second)

    def layer_shares(self, method: str, noise: bool = False) -> dict[str, float]:
        """Return the share of each layer's neurons that react, on average over the pairs."""
        one = self.methods[method]
        # Shares of neurons, not of reactions: one strong neuron must not stand for its layer.
        shares = one.noise_shares if noise else one.shares
        return {layer.name: float(part.mean()) for layer, part in self.neurons.split(shares)}

    def share(self, method: str, noise: bool = False) -> float:
        """Return the share of all neurons that react, on average over the pairs."""
        one = self.methods[method]
        return float((one.noise_shares if noise else one.shares).mean())

    def summary(self) -> dict[str, Any]:
        """Return the stable figures, as JSON."""
        return {
            "model": self.model,
            "campaign": self.campaign,
            "reaction": dict(self.reaction),
            "threshold": self.threshold,
            "neurons": len(self.neurons),
            "filter": self.neurons.chosen_by,
            "layers": [{"name": layer.name, "neurons": layer.count} for layer in self.neurons.layers],
            "methods": {method: self._figures(method) for method in self.methods},
            "nothing_found": list(self.nothing),
            "overlap": {one: {other: self.overlap(one, other) for other in self.methods} for one in self.methods},
            "overlap_by_chance": self.chance,
            "among_answered": None if self.plane is None else dict(self.plane.among_answered),
            **({} if self.accuracy is None else self.accuracy.figures()),
            "seconds": self.seconds,
        }

    def table(self) -> pa.Table:
        """Return one row per method and layer: the share of its neurons that react, to errors and to noise."""
        rows = []
        for method in self.methods:
            noise = self.layer_shares(method, noise=True)
            for layer, share in self.layer_shares(method).items():
                rows.append({"method": method, "layer": layer, "share": share, "share_noise": noise[layer]})
        return pa.Table.from_pylist(rows)

    def headline(self) -> str:
        """Return what was found, in one line."""
        shares = [f"{one} {self.share(one):.1%} (noise {self.share(one, noise=True):.1%})" for one in self.methods]
        return f"{self.model}, neurons that react: {', '.join(shares)}"

    def _figures(self, method: str) -> dict[str, Any]:
        one = self.methods[method]
        return {
            "pairs": one.pairs,
            "share": self.share(method),
            "share_noise": self.share(method, noise=True),
            "noise_errors": one.noise_errors,
            "layers": self.layer_shares(method),
            "layers_noise": self.layer_shares(method, noise=True),
            "top": [asdict(neuron) for neuron in self.strongest(method)],
        }

    def _places(self, method: str) -> list[int]:
        # Stable, so that neurons that never react stay in the order of their layers on every machine.
        order = torch.sort(self.methods[method].means, descending=True, stable=True).indices
        places: list[int] = order[: self.count].tolist()
        return places

    def _neuron(self, place: int, one: Reacted) -> Neuron:
        ends = np.array([layer.start for layer in self.neurons.layers])
        layer = self.neurons.layers[int(np.searchsorted(ends, place, side="right")) - 1]
        return Neuron(layer.name, place - layer.start, float(one.means[place]), float(one.shares[place]))
