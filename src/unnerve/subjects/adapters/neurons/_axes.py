"""Where the neurons of a layer's output are: which axis holds the inputs, which the neurons."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._layers import kind
from unnerve.subjects.adapters.neurons._tiles import is_tiled, read

__all__ = ["Axes", "Shape", "batch_axis", "neuron_axis"]

Shape = tuple[int, ...]

_CHANNELS_FIRST = {
    f"torch.nn.modules.{kind}"
    for kind in ("conv", "batchnorm", "instancenorm", "pooling", "padding", "upsampling", "pixelshuffle")
}
_CHANNELS_LAST = (nn.Linear, nn.Bilinear, nn.LayerNorm, nn.RMSNorm, nn.RNNBase, nn.MultiheadAttention)


@dataclass(frozen=True)
class Axes:
    """How one output of a layer is read.

    Parameters
    ----------
    batch, neurons : int
        The axes that hold the inputs and the neurons.
    fold : int
        Entries per input along the axis of the inputs: above one where a network cuts its inputs into windows.
    """

    batch: int
    neurons: int
    fold: int = 1

    def means(self, output: Tensor) -> Tensor:
        """Return each neuron's mean over all else, shape (N, U); a copy, for the output may be overwritten."""
        rest = self._rest(output)
        if self._are_channels and is_tiled(output) and (found := read(output, means=True, bounds=False)) is not None:
            assert found.means is not None
            return found.means
        if not rest:
            values = output.clone()
        elif (self.batch, self.neurons) == (0, 1) and output.is_contiguous():
            values = _mean(output.flatten(2), (2,))  # twice as fast as the same over several axes
        else:
            values = _mean(output, rest)
        values = values.T if self.neurons < self.batch else values
        return values if self.fold == 1 else values.unflatten(0, (-1, self.fold)).mean(dim=1)

    def extents(self, output: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value for each input, shape (N, 1) each."""
        every = (self.neurons, *self._rest(output))
        # Not aminmax: measured, it is 20 times slower than these two, and reshapes what is in channels-last format.
        low, high = output.amin(dim=every), output.amax(dim=every)
        if self.fold > 1:
            low, high = low.unflatten(0, (-1, self.fold)).amin(dim=1), high.unflatten(0, (-1, self.fold)).amax(dim=1)
        return low.unsqueeze(1), high.unsqueeze(1)

    def bounds(self, output: Tensor) -> tuple[Tensor, Tensor] | None:
        """Return the least and the largest value of each neuron, shape (N, U) each; None where that would be slow."""
        found = read(output, means=False, bounds=True) if self._are_channels else None
        return None if found is None or found.low is None or found.high is None else (found.low, found.high)

    def means_and_bounds(self, output: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor] | None]:
        """Return what :meth:`means` and :meth:`bounds` do, bit for bit; large maps are read once for both."""
        if self._are_channels and is_tiled(output) and (found := read(output, means=True, bounds=True)) is not None:
            assert found.means is not None
            assert found.low is not None
            assert found.high is not None
            return found.means, (found.low, found.high)
        return self.means(output), self.bounds(output)

    def scaled(self, output: Tensor, factors: Tensor) -> Tensor:
        """Return an output with each input's neurons multiplied by ``factors``, shape (N, U)."""
        if self.fold > 1:
            factors = factors.repeat_interleave(self.fold, dim=0)
        shape = [1] * output.ndim
        shape[self.batch], shape[self.neurons] = factors.shape
        return output * (factors.T if self.neurons < self.batch else factors).reshape(shape).to(output.dtype)

    @property
    def _are_channels(self) -> bool:
        return (self.batch, self.neurons, self.fold) == (0, 1, 1)

    def _rest(self, output: Tensor) -> tuple[int, ...]:
        return tuple(axis for axis in range(output.ndim) if axis not in (self.batch, self.neurons))


def _mean(output: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the mean over some axes, with the bits of torch's own."""
    if output.dtype not in (torch.float32, torch.float64):
        return output.mean(dim=axes)  # the sum of many halves may be too large for one
    # Torch's gradient of a mean divides every value of a whole map; that of a sum is one number shared by all of them.
    return output.sum(dim=axes).div(prod(output.shape[axis] for axis in axes))


def batch_axis(two: Tensor, three: Tensor) -> tuple[int, int] | None:
    """Find the axis of the inputs, and its entries per input, from a layer's outputs for two and for three inputs."""
    if two.ndim < 2 or two.ndim != three.ndim:
        return None
    grown = [axis for axis in range(two.ndim) if two.shape[axis] != three.shape[axis]]
    if len(grown) != 1 or two.shape[grown[0]] % 2 or two.shape[grown[0]] * 3 != three.shape[grown[0]] * 2:
        return None
    axis, fold = grown[0], two.shape[grown[0]] // 2
    # The entries of one input must stand together, else they cannot be told from those of the next.
    same = fold == 1 or torch.allclose(three.narrow(axis, 0, 2 * fold), two, rtol=1e-3, atol=1e-5)
    return (axis, fold) if same else None


def neuron_axis(layer: nn.Module, shape: Shape, batch: int, earlier: Sequence[tuple[Shape, bool]]) -> tuple[int, bool]:
    """Return the axis of the neurons, and whether it is the first beside that of the inputs (else the last).

    Convolutions, poolings and batch norms have channels first: (N, C, L), (N, C, H, W). Dense layers, layer norms,
    attention and recurrent layers have features last: (N, T, F). What has no order of its own (activations, dropout,
    additions) takes that of the last layer before it with an output of that shape, or of as many axes, else channels
    first for feature maps and features last for token sequences.

    Parameters
    ----------
    layer : nn.Module
    shape : tuple of int
        Of the output for two inputs.
    batch : int
        The axis of the inputs.
    earlier : sequence of (shape, bool)
        Outputs of the layers before it, in calling order, and whether they had channels first.
    """
    rest = [axis for axis in range(len(shape)) if axis != batch]
    first = _own_order(layer)
    if first is None:
        alike = [was for past, was in earlier if past == shape] or [
            was for past, was in earlier if len(past) == len(shape)
        ]
        first = alike[-1] if alike else len(shape) >= 4
    return (rest[0] if first else rest[-1]), first


def _own_order(layer: nn.Module) -> bool | None:
    own = kind(layer)
    if issubclass(own, _CHANNELS_LAST):
        return False
    homes = {each.__module__ for each in own.__mro__}
    return True if homes & _CHANNELS_FIRST or issubclass(own, nn.GroupNorm | nn.LocalResponseNorm) else None
