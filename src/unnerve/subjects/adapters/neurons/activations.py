"""Watching neurons by forward hooks that keep one number per channel and drop the feature map at once."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeGuard

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, hardtanh, linear, relu

from unnerve.core.model import Observation
from unnerve.subjects.adapters.neurons._axes import Axes
from unnerve.subjects.adapters.neurons._hooks import first_tensor, hooked, named_layers
from unnerve.subjects.adapters.neurons.call_map import CallMap

__all__ = ["Activations", "ObservedPass", "watched_activations"]

Bounds = tuple[Tensor, Tensor]
ObservedPass = Callable[[Callable[[Tensor], Tensor], Tensor], Observation]
"""(rows -> logits, rows) -> the logits, and what the layers showed meanwhile."""


class Activations:
    """Values of the chosen layers of one pass, in calling order; their ranges too, if they are wanted.

    Parameters
    ----------
    call_map : CallMap
    layers : dict of str to nn.Module
        The layers of the map by name.
    model_name : str
        For errors.
    ranged : bool
        Whether ranges are wanted.
    """

    def __init__(self, call_map: CallMap, layers: dict[str, nn.Module], model_name: str, ranged: bool = False) -> None:
        self.call_map, self.layers, self.model_name, self.ranged = call_map, layers, model_name, ranged
        self._names: list[str] = []
        self._values: list[Tensor] = []
        self._bounds: list[Bounds] = []
        # Weak, so that a feature map that is no longer needed is freed.
        self._last: tuple[weakref.ref[Tensor], int] | None = None

    def keep(self, name: str, output: object, given: object) -> None:
        """Keep the values of one call's output."""
        index = len(self._names)
        self._names.append(name)
        planned, axes = self.call_map.calls[index] if index < len(self.call_map.calls) else ("", None)
        tensor = first_tensor(output)
        if name != planned or axes is None or tensor is None:
            self._last = None
            return
        alike = index > 0 and self.call_map.calls[index - 1][1] == axes
        follower = self.layers[name] if alike and self._follows(given, self.layers[name]) else None
        self._keep_read(index, axes, tensor, *self._followed(tensor, follower))
        self._last = None if tensor.is_inference() else (weakref.ref(tensor), tensor._version)

    def _followed(self, tensor: Tensor, follower: nn.Module | None) -> tuple[Tensor | None, Bounds | None]:
        """Return means, (N, U), and ranges, (N, U or 1) each, that follow from those of the last call."""
        if _normalises(follower):
            return self._normalised(follower)
        if _never_falls(follower) and self.ranged:  # it keeps the order of values, and so the least and the largest
            low, high = (_risen(follower, side) for side in self._bounds[-1])
            return None, (low, high)
        if _mixes_channels(follower) and follower.weight.dtype == tensor.dtype == torch.float32:
            # Its answer to means is the mean of its answers.
            return linear(self._values[-1], follower.weight.flatten(1), follower.bias), None
        return None, None

    def _normalised(self, layer: nn.BatchNorm2d) -> tuple[Tensor, Bounds | None]:
        """Return a batch norm's answer to one number per channel: reading the map again would cost more."""
        known = [self._values[-1]]
        if self.ranged and self._bounds[-1][0].shape[1] == layer.num_features:
            known.extend(self._bounds[-1])
        rows = torch.cat(known)  # one call instead of three
        answers = batch_norm(rows, layer.running_mean, layer.running_var, layer.weight, layer.bias, eps=layer.eps)
        value, *sides = answers.chunk(len(known))
        # A negative weight turns the least into the largest.
        return value, (torch.minimum(*sides), torch.maximum(*sides)) if sides else None

    def _keep_read(self, index: int, axes: Axes, tensor: Tensor, value: Tensor | None, bounds: Bounds | None) -> None:
        """Keep means and ranges, read from the output where they do not follow."""
        if self.ranged and bounds is None:
            # A batch norm is likely to follow where one is called next; if it does not, only time was lost.
            following = self.call_map.calls[index + 1 : index + 2]
            if following and _normalises(self.layers[following[0][0]]):
                value, bounds = axes.means_and_bounds(tensor) if value is None else (value, axes.bounds(tensor))
            bounds = bounds or axes.extents(tensor)
        self._values.append(axes.means(tensor) if value is None else value)
        if bounds is not None:
            self._bounds.append(bounds)

    def _follows(self, given: object, layer: nn.Module) -> bool:
        """Say whether a call is given what the last one returned, unchanged."""
        if self._last is None or not isinstance(given, Tensor):
            return False
        # Same object but another version: a layer in between wrote into it, or this one did, once.
        own = 1 if _never_falls(layer) and layer.inplace else 0
        return given is self._last[0]() and given._version == self._last[1] + own

    def observation(self, logits: Tensor) -> Observation:
        """Return what the pass showed, given the logits that it ended with."""
        return Observation(logits, self._neurons(logits), self._ranges(logits) if self.ranged else None)

    def _neurons(self, logits: Tensor) -> Tensor:
        """Return all values side by side, shape (N, U)."""
        self.call_map.check(self._names, self.model_name)
        softmax = [logits.softmax(dim=-1)] if self.call_map.softmax else []
        return _single(torch.cat([*self._values, *softmax], dim=1))

    def _ranges(self, logits: Tensor) -> Tensor:
        """Return least and largest value of every layer, shape (N, L, 2)."""
        last = logits.softmax(dim=-1)
        bounds = [*self._bounds, *([(last, last)] if self.call_map.softmax else [])]
        lows = [low if low.shape[1] == 1 else low.amin(dim=1, keepdim=True) for low, _ in bounds]
        highs = [high if high.shape[1] == 1 else high.amax(dim=1, keepdim=True) for _, high in bounds]
        return _single(torch.stack([torch.cat(lows, dim=1), torch.cat(highs, dim=1)], dim=2))


@contextmanager
def watched_activations(
    module: nn.Module, call_map: CallMap, model_name: str, ranged: bool = False
) -> Iterator[ObservedPass]:
    """Give a way to observe the layers of a call map in one pass after the other, while the context lasts."""
    layers = named_layers(module, call_map.names)
    current: Activations | None = None

    def keep(name: str, output: object, given: object) -> None:
        if current is not None:  # a loss may call the module too, which is not what is watched
            current.keep(name, output, given)

    def observed(answer: Callable[[Tensor], Tensor], rows: Tensor) -> Observation:
        nonlocal current
        current = activations = Activations(call_map, layers, model_name, ranged)
        try:
            logits = answer(rows)
        finally:
            current = None
        return activations.observation(logits)

    # One set of hooks for all micro-batches, for attaching them takes time.
    with hooked(layers, keep, call_map.compiled):
        yield observed


def _never_falls(layer: nn.Module | None) -> TypeGuard[nn.ReLU | nn.Hardtanh]:
    return type(layer) in (nn.ReLU, nn.ReLU6, nn.Hardtanh)


def _risen(layer: nn.ReLU | nn.Hardtanh, values: Tensor) -> Tensor:
    return relu(values) if isinstance(layer, nn.ReLU) else hardtanh(values, layer.min_val, layer.max_val)


def _mixes_channels(layer: nn.Module | None) -> TypeGuard[nn.Conv2d]:
    """Say whether a layer answers each place by itself, by weights alone: a 1x1 convolution of all places."""
    return (
        type(layer) is nn.Conv2d
        and layer.groups == 1
        and (layer.kernel_size, layer.stride, layer.padding) == ((1, 1), (1, 1), (0, 0))
    )


def _normalises(layer: nn.Module | None) -> TypeGuard[nn.BatchNorm2d]:
    return type(layer) is nn.BatchNorm2d and layer.running_mean is not None


def _single(values: Tensor) -> Tensor:
    """Return values in single precision at least: halves round, and other libraries do not know all kinds of them."""
    return values.to(torch.promote_types(values.dtype, torch.float32))
