"""What the natural changes share: a strength that stands for severities 0 to 5, and a die for everything random."""

from collections.abc import Callable

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams

__all__ = ["PARAMETERS", "Change", "drawn", "graded", "interpolated", "noise"]

PARAMETERS = 2
"""Strength and die. A strength of s / 5 is severity s, 0 changes nothing; the die decides what is random."""

Change = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(images (K, C, H, W) in [0, 1], amounts (K,) float64, dice (K,)) -> changed images, of any range."""


def drawn(streams: Streams, step: int, count: int) -> Tensor:
    """Draw strengths and dice uniformly: (N, count, 2)."""
    return streams.uniform(step, 0, (count, PARAMETERS))


def graded(inputs: Tensor, parameters: Tensor, amounts: tuple[float, ...], change: Change) -> Tensor:
    """Change images by an amount that grows with their strength.

    Parameters
    ----------
    inputs : Tensor of shape (N, C, H, W)
        In [0, 1].
    parameters : Tensor of shape (N, M, 2 or more)
        In [0, 1]: strength and die.
    amounts : tuple of 6 floats
        At severities 0 to 5; in between they are interpolated.
    change : Change

    Returns
    -------
    Tensor of shape (N, M, C, H, W)
        In [0, 1].
    """
    if inputs.ndim != 4:
        raise InvalidData(f"natural changes take images, got inputs of shape {tuple(inputs.shape[1:])}")
    copies = inputs.repeat_interleave(parameters.shape[1], dim=0)
    strength, dice = parameters.flatten(0, 1)[:, :2].unbind(dim=1)
    made = change(copies, interpolated(strength, amounts), dice).clamp(0, 1).to(inputs.dtype)
    return made.reshape(len(inputs), parameters.shape[1], *inputs.shape[1:])


def noise(dice: Tensor, shape: tuple[int, ...], *, normal: bool = False) -> Tensor:
    """Return the random numbers that dice (K,) stand for, (K, *shape): uniform in [0, 1), or standard normal.

    A finding stores its die and not its noise, which would be as large as the input.
    """
    streams = Streams(0, [f"die {int(one * 2**24)}" for one in dice.tolist()])
    return streams.normal(0, 0, shape) if normal else streams.uniform(0, 0, shape)


def interpolated(strength: Tensor, table: tuple[float, ...]) -> Tensor:
    """Return the amounts that strengths (K,) stand for, float64 (K,)."""
    knots = torch.tensor(table, dtype=torch.float64)
    place = strength.double() * (len(table) - 1)
    below = place.floor().clamp(0, len(table) - 2).long()
    return knots[below] + (place - below) * (knots[below + 1] - knots[below])
