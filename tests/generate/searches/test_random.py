import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.regions.l2 import L2
from unnerve.generate.searches.random import Random

IDS = ["a", "b", "c"]


def test_draws_from_the_region_whatever_was_found_before() -> None:
    centre, streams = torch.full((3, 1, 4, 4), 0.5), Streams(0, IDS)
    points = Random(population=5, iterations=3).points(L2(0.4), centre, streams)
    everyone = torch.ones(3, dtype=torch.bool)
    assert torch.equal(next(points), L2(0.4).samples(centre, streams, 0, 5))
    for step, fitness in enumerate((torch.zeros(3, 5), torch.full((3, 5), float("nan"))), start=1):
        assert torch.equal(points.send((fitness, everyone)), L2(0.4).samples(centre, streams, step, 5))
    with pytest.raises(StopIteration):
        points.send((torch.zeros(3, 5), everyone))


@pytest.mark.parametrize("name", ["population", "iterations"])
def test_refuses_strange_settings(name: str) -> None:
    with pytest.raises(InvalidSetting, match=f"^{name} must be >= 1, got 0$"):
        Random(**{name: 0})


def test_width() -> None:
    assert Random(population=7).width == 7
