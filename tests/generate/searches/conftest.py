"""A hill with one top, and how near a search comes to it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from unnerve.core.methods import Search
from unnerve.core.streams import Streams
from unnerve.generate.regions.linf import Linf

Climb = Callable[[Search], list[float]]
IDS = [f"seed {number}" for number in range(8)]


@pytest.fixture
def climb() -> Climb:
    """Return climb(search) -> the greatest height reached so far, after every iteration; the mean over eight seeds.

    The hill is minus the mean squared distance from a place in the unit cube of ten dimensions, another for each seed.
    """
    centre = torch.full((8, 10), 0.5)
    top = Streams(9, IDS).uniform(0, 0, (10,)).mul_(0.8).add_(0.1)

    def heights(search: Search) -> list[float]:
        record, reached = torch.full((8,), float("-inf")), []
        points = search.points(Linf(0.5), centre, Streams(0, IDS))
        x: Tensor | None = next(points)
        while x is not None:
            fitness = -(x - top.unsqueeze(1)).square().mean(dim=2)
            record = torch.maximum(record, fitness.amax(dim=1))
            reached.append(float(record.mean()))
            try:
                x = points.send((fitness, torch.ones(8, dtype=torch.bool)))
            except StopIteration:
                x = None
        return reached

    return heights
