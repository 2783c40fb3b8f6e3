"""Uniform points of balls, and the norms that belong to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams

__all__ = ["BALLS", "Ball"]


@dataclass(frozen=True)
class Ball:
    """A ball of a norm.

    Parameters
    ----------
    points : callable (streams, step, count, size) -> Tensor of shape (N, count, size)
        Uniform points of the ball of radius one around zero.
    dual : callable (Tensor of shape (..., size)) -> Tensor of shape (...)
        The dual norm: of a gradient, how fast a function can change along the norm.
    """

    points: Callable[[Streams, int, int, int], Tensor]
    dual: Callable[[Tensor], Tensor]


def _cube(streams: Streams, step: int, count: int, size: int) -> Tensor:
    return streams.uniform(step, 0, (count, size)).mul_(2).sub_(1)


def _round(streams: Streams, step: int, count: int, size: int) -> Tensor:
    direction = streams.normal(step, 0, (count, size))
    # Volume grows with the radius to the power of the dimension: uniform radii would crowd around the middle.
    radius = streams.uniform(step, 1, (count, 1)).pow_(1 / size)
    return direction.mul_(radius / direction.norm(dim=2, keepdim=True).clamp_min(1e-12))


def _diamond(streams: Streams, step: int, count: int, size: int) -> Tensor:
    sides = streams.uniform(step, 0, (count, size))
    # Exponential amounts with random signs, divided by their sum, lie uniformly on the surface of the ball.
    amounts = -torch.log1p(-streams.uniform(step, 1, (count, size)))
    radius = streams.uniform(step, 2, (count, 1)).pow_(1 / size)
    return amounts.mul_(radius / amounts.sum(dim=2, keepdim=True).clamp_min(1e-12)).mul_((sides < 0.5) * 2.0 - 1)


BALLS: Mapping[str, Ball] = {
    "l1": Ball(_diamond, lambda g: g.abs().amax(dim=-1)),
    "l2": Ball(_round, lambda g: g.norm(dim=-1)),
    "linf": Ball(_cube, lambda g: g.abs().sum(dim=-1)),
}
