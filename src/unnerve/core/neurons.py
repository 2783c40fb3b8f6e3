"""What a neuron is: one channel of a feature map (its spatial mean), or one unit of a dense layer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from torch import Tensor

__all__ = ["Layer", "NeuronMap"]

_BLOCK = 2**20
"""Values that are taken at a time."""


@dataclass(frozen=True)
class Layer:
    """A named layer and where its neurons stand among all neurons.

    Parameters
    ----------
    name : str
        The layer's name in the model.
    start, count : int
        Its neurons are columns ``start`` to ``start + count - 1`` of an ``(N, U)`` tensor.
    hidden : bool
        Whether its neurons can be silenced; those of the answer itself cannot.
    """

    name: str
    start: int
    count: int
    hidden: bool = True

    @property
    def columns(self) -> slice:
        """The layer's columns, for indexing the last axis of an ``(N, U)`` tensor."""
        return slice(self.start, self.start + self.count)


@dataclass(frozen=True)
class NeuronMap:
    """The neurons of a model: its layers in calling order, and the filter that chose them.

    Parameters
    ----------
    layers : tuple of Layer
    chosen_by : str
        The filter, so that a result says what it counted.
    """

    layers: tuple[Layer, ...]
    chosen_by: str

    def __len__(self) -> int:
        """Return U, the number of neurons."""
        return sum(layer.count for layer in self.layers)

    @property
    def hidden(self) -> "NeuronMap":
        """The neurons that can be silenced, numbered anew from zero."""
        layers: list[Layer] = []
        for layer in self.layers:
            if layer.hidden:
                # Masks have one column per neuron that can be silenced, and none for the answer's own.
                layers.append(replace(layer, start=sum(before.count for before in layers)))
        return NeuronMap(tuple(layers), self.chosen_by)

    def split(self, neurons: Tensor) -> Iterator[tuple[Layer, Tensor]]:
        """Yield each layer with its part of the last axis of ``neurons``, shape (..., U)."""
        for layer in self.layers:
            yield layer, neurons[..., layer.columns]

    def blocks(self, neurons: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """Yield runs of layers of equal size, and their part of ``neurons`` (..., U): (..., layers, neurons of each).

        A few large operations take a fraction of the time of many small ones. Runs end before they take much memory.
        """
        inputs = neurons.shape[:-1].numel()
        first = 0
        # Only neighbours: then a run is one slice of memory, and taking it costs nothing.
        for count, run in groupby(self.layers, key=lambda layer: layer.count):
            left, most = list(run), max(1, _BLOCK // max(1, inputs * count))
            while left:
                layers, left = left[:most], left[most:]
                part = neurons[..., layers[0].start : layers[-1].start + count]
                yield slice(first, first + len(layers)), part.unflatten(-1, (len(layers), count))
                first += len(layers)
