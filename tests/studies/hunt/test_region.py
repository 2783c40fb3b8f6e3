from dataclasses import replace

import pytest
import torch
from torch import Tensor

from unnerve.core.data.clips import Clips
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.studies.hunt._region import default_region, hunted_region
from unnerve.subjects.datasets.tensors import tensors


def held(low: float, high: float, inputs: Tensor | None = None) -> Examples:
    values = torch.rand(4, 1, 3, 3) if inputs is None else inputs
    return replace(tensors(values * (high - low) + low, name="mine"), value_range=(low, high))


def test_usual_regions() -> None:
    assert default_region((1, 28, 28)) == "linf:0.1"
    assert default_region((3, 32, 32)) == "linf:8/255"


def test_usual_regions_are_the_same_share_of_any_range() -> None:
    assert default_region((3, 32, 32), (0, 255)) == "linf:8"
    assert default_region((1, 28, 28), (-1, 1)) == "linf:0.2"


def test_the_region_follows_the_data() -> None:
    assert hunted_region("linf:8", held(0, 255)) == Linf(8, 0, 255)
    assert hunted_region(L2(1.5), held(-1, 1)) == L2(1.5, -1, 1)
    assert hunted_region(None, held(-1, 1)) == Linf(16 / 255, -1, 1)
    assert hunted_region("linf:0.1", held(0, 1)) == Linf(0.1)


def test_bounds_that_are_stated_stay() -> None:
    assert hunted_region("linf:8,high=300", held(0, 255)) == Linf(8, 0, 300)
    middle = torch.full((2, 1, 3, 3), 0.5)
    assert hunted_region("linf:8,low=100,high=200", held(0, 255, middle)) == Linf(8, 100, 200)


def test_seeds_outside_the_bounds_are_refused() -> None:
    inputs = torch.full((3, 1, 2, 2), 0.5)
    inputs[1, 0, 0] = torch.tensor([0.0, 1.0])
    with pytest.raises(InvalidData) as problem:
        hunted_region("linf:8,low=100,high=200", held(0, 255, inputs))
    assert str(problem.value) == (
        "mine: seeds must lie in the bounds of the region linf:8,low=100,high=200, [100, 200], got values from 0 to "
        "255 in '1'; without low and high, a region has the range of the data, [0, 255]"
    )


def test_clips_outside_the_bounds_are_refused() -> None:
    clips = replace(held(-1.0, 1.0, torch.tensor([[0.55, 0.6, 0.5], [0.55, 0.95, 0.5]])), clips=Clips(16_000))
    assert hunted_region("linf:0.1", clips) == Linf(0.1, -1.0, 1.0, silence=0.0)
    with pytest.raises(InvalidData, match=r"got values from 0 to 0\.9 in '1'"):
        hunted_region("linf:0.1,low=-0.5,high=0.5", clips)
