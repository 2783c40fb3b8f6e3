"""Watching neurons by forward hooks that keep one number per channel and drop the feature map at once."""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, relu

from unnerve.subjects.adapters._wiring import Wiring, first_tensor, hooked, parts

__all__ = ["Taps", "tapped"]


class Taps:
    """Values of the chosen layers of one pass, in calling order; their ranges too, if they are wanted.

    Parameters
    ----------
    wiring : Wiring
    layers : dict of str to nn.Module
        The layers of the wiring by name.
    who : str
        The model's name, for errors.
    ranged : bool
        Whether ranges are wanted.
    """

    def __init__(self, wiring: Wiring, layers: dict[str, nn.Module], who: str, ranged: bool = False) -> None:
        self.wiring, self.layers, self.who, self.ranged = wiring, layers, who, ranged
        self._names: list[str] = []
        self._values: list[Tensor] = []
        self._extents: list[Tensor] = []
        self._last: tuple[weakref.ref[Tensor], int] | None = None  # weak: a map that is done with shall go

    def keep(self, name: str, output: object, given: object) -> None:
        """Keep what one call showed."""
        place = len(self._names)
        self._names.append(name)
        planned, axes = self.wiring.calls[place] if place < len(self.wiring.calls) else ("", None)
        tensor = first_tensor(output)
        if name != planned or axes is None or tensor is None:
            self._last = None
            return
        layer, follows = self.layers[name], self._follows(given)
        if isinstance(layer, nn.BatchNorm2d) and follows and layer.running_mean is not None:
            self._values.append(_normalised(layer, self._values[-1]))
        else:
            self._values.append(axes.means(tensor))
        if self.ranged:
            # What never falls keeps the order of values, and so the least and the largest.
            rectified = type(layer) is nn.ReLU and follows
            self._extents.append(relu(self._extents[-1]) if rectified else axes.extents(tensor))
        self._last = None if tensor.is_inference() else (weakref.ref(tensor), tensor._version)

    def _follows(self, given: object) -> bool:
        """Say whether a call is given what the last one returned, unchanged."""
        if self._last is None or not isinstance(given, Tensor):
            return False
        return given is self._last[0]() and given._version == self._last[1]

    def neurons(self, logits: Tensor) -> Tensor:
        """Return all values side by side, shape (N, U)."""
        self.wiring.check(self._names, self.who)
        return torch.cat([*self._values, *([logits.softmax(dim=-1)] if self.wiring.softmax else [])], dim=1)

    def ranges(self, logits: Tensor) -> Tensor:
        """Return least and largest value of every layer, shape (N, L, 2)."""
        last = logits.softmax(dim=-1)
        softmax = [torch.stack([last.amin(dim=1), last.amax(dim=1)], dim=1)] if self.wiring.softmax else []
        return torch.stack([*self._extents, *softmax], dim=1)


@contextmanager
def tapped(module: nn.Module, wiring: Wiring, who: str, ranged: bool = False) -> Iterator[Taps]:
    """Watch the layers of a wiring, while the context lasts."""
    taps = Taps(wiring, parts(module, wiring.names), who, ranged)
    with hooked(taps.layers, taps.keep, wiring.compiled):
        yield taps


def _normalised(layer: nn.BatchNorm2d, means: Tensor) -> Tensor:
    """Return the means of a batch norm's output from those of its input: reading the map again would cost more."""
    return batch_norm(means, layer.running_mean, layer.running_var, layer.weight, layer.bias, eps=layer.eps)
