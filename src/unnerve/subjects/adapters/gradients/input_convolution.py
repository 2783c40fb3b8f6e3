"""Gradients of the convolution that reads grey images: one over one channel, which kernels for many run slowly."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, pixel_shuffle

from unnerve.subjects.adapters._layers import COMPILED

__all__ = ["input_convolution", "ordinary", "reads_grey"]

_LANES = 16
"""Channels that a kernel handles at once on the processors we measured; one of them costs as much as all."""
_FEW = 1
"""Of colour images only large kernels gain, and small ones with a stride lose."""
_Pair = tuple[int, int]


def reads_grey(module: nn.Module) -> bool:
    """Say whether a module has a convolution over one channel, and calls it in ways that a mode may change."""
    parts = list(module.modules())
    # A compiled program would be compiled anew under a mode.
    compiled = any(hasattr(one, COMPILED) or getattr(one, "_compiled_call_impl", None) is not None for one in parts)
    return not compiled and any(isinstance(one, nn.Conv2d) and one.in_channels <= _FEW for one in parts)


def ordinary(x: Tensor) -> Tensor:
    """Return grey images (N, 1, H, W) in the ordinary memory format, others as they are; nothing is copied.

    Channels-last is the faster one for grey images only as long as torch makes the gradient of the first layer.
    """
    if x.ndim != 4 or x.shape[1] != 1:
        return x
    height, width = x.shape[2:]
    return x.as_strided(x.shape, (height * width, height * width, width, 1))


# Torch's own gradient of grey images takes eight times as long, four times as long as that of LeNet-5's second layer,
# which has four times the work (decisions/180).
def input_convolution(arguments: tuple[Any, ...]) -> Tensor | None:
    """Return a convolution over one channel with a fast gradient of its input, and none of weights.

    Parameters
    ----------
    arguments : tuple
        Of ``torch.conv2d``; None is returned where they ask for another convolution.
    """
    if len(arguments) != 7 or not _is_ours(*arguments):
        return None
    x, weight, bias, stride, padding, *_ = arguments
    made: Tensor = _Convolution.apply(x, weight.detach(), bias, _pair(stride), _pair(padding))  # type: ignore[no-untyped-call]
    return made


class _Convolution(torch.autograd.Function):
    """A convolution whose backward pass makes a square of each image's values at a time, as channels."""

    generate_vmap_rule = True  # modules may use torch.func

    @staticmethod
    def forward(x: Tensor, weight: Tensor, bias: Tensor | None, stride: _Pair, padding: _Pair) -> Tensor:
        return torch.conv2d(x, weight, bias, stride, padding)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, weight, _, ctx.stride, ctx.padding = inputs
        ctx.size, ctx.made = x.shape[2:], None
        ctx.save_for_backward(weight)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        (weight,) = ctx.saved_tensors
        if ctx.made is None:
            ctx.made = _Blocks(weight, ctx.stride, ctx.padding)
        return ctx.made.gradient(upstream, ctx.size), None, None, None, None


class _Blocks:
    r"""The transposed convolution as an ordinary one, from upstream gradients to blocks of B x B input values.

    Input value :math:`By + r` receives upstream value u with the weight :math:`By + r + p - su`, where p is the padding
    and s the stride. With B a multiple of s the weights are the same for every block, and u runs through a window that
    moves by B / s.
    """

    def __init__(self, weight: Tensor, stride: _Pair, padding: _Pair) -> None:
        channels = weight.shape[1]
        self.side = _side(channels, stride)
        self.steps = [self.side // one for one in stride]
        sides = zip(weight.shape[2:], stride, padding, strict=True)
        self.windows, places = zip(*(_window(self.side, *side) for side in sides), strict=True)
        rows, columns = places
        # One weight more, zero, for what an input value does not receive.
        known = pad(weight, (0, 1, 0, 1))
        chosen = known[:, :, rows][..., columns]  # (out, channels, r, v, q, w)
        self.weight = chosen.permute(1, 2, 4, 0, 3, 5).reshape(
            channels * self.side**2, len(weight), *chosen.shape[3::2]
        )

    def gradient(self, upstream: Tensor, size: Sequence[int]) -> Tensor:
        """Return the gradient of inputs of this height and width, (N, channels, height, width)."""
        missing = []
        for one, step, (first, last), held in zip(size, self.steps, self.windows, upstream.shape[2:], strict=True):
            blocks = math.ceil(one / self.side)
            missing.append((-first, step * (blocks - 1) + last - (held - 1)))
        even = all(before == after >= 0 for before, after in missing)
        margin = [before for before, _ in missing] if even else [0, 0]
        # Negative amounts cut: upstream values that a last block does not need.
        around = upstream if even else pad(upstream, (*missing[1], *missing[0]))
        found = pixel_shuffle(torch.conv2d(around, self.weight, None, self.steps, margin), self.side)
        return found[..., : size[0], : size[1]]


def _is_ours(
    x: Tensor, weight: Tensor, bias: object, stride: object, padding: object, dilation: object, groups: int
) -> bool:
    # Accelerators have kernels of their own.
    few = x.requires_grad and x.ndim == 4 and weight.shape[1] <= _FEW and groups == 1
    # Under autocast what comes back is in half precision, and the weights are not.
    precise = x.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    plain = x.device.type == "cpu" and precise and not isinstance(padding, str)
    return few and plain and _pair(dilation) == (1, 1) and _side(weight.shape[1], _pair(stride)) > 1


def _side(channels: int, stride: _Pair) -> int:
    """Return the side of a block: as many values as fill the lanes, and a multiple of both strides; 0 if none is."""
    most = math.isqrt(_LANES // channels)
    step = math.lcm(*stride)
    return most // step * step


def _window(side: int, size: int, stride: int, padding: int) -> tuple[_Pair, Tensor]:
    """Return the first and the last upstream value that the first block receives, and with which weights.

    The weights are places, int64 of shape (side, window); ``size``, one too many, where there is none.
    """
    first, last = math.ceil((padding - size + 1) / stride), (side - 1 + padding) // stride
    places = torch.arange(side).unsqueeze(1) + padding - stride * torch.arange(first, last + 1)
    return (first, last), places.where((places >= 0) & (places < size), size)


def _pair(value: Any) -> _Pair:
    return (value, value) if isinstance(value, int) else (tuple(value) * 2)[:2]
