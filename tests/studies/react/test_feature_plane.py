"""Seeds and errors in one plane."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.studies.react.feature_plane import FeaturePlane, Inputs, feature_plane
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.fixture
def model() -> TorchModule:
    """Return a network that answers with the larger of two values, behind a layer that passes four values on."""
    module = nn.Sequential(nn.Linear(4, 4, bias=False), nn.ReLU(), nn.Linear(4, 2, bias=False))
    module[0].weight.data = torch.eye(4)
    module[2].weight.data = torch.tensor([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    return TorchModule(module, outputs="logits")


def drawn(count: int, towards: int, seed: int) -> Tensor:
    values = torch.rand(count, 4, generator=torch.Generator().manual_seed(seed)) * 0.1
    values[:, towards] += 0.8
    return values


def plane(model: TorchModule) -> FeaturePlane | None:
    seeds = Inputs(torch.cat([drawn(20, 0, 0), drawn(20, 1, 1)]), (0,) * 20 + (1,) * 20, tuple(map(str, range(40))))
    moved = Inputs(drawn(10, 1, 2), (0,) * 10, tuple(map(str, range(10))))
    return feature_plane(model, seeds, {"pgd": moved})


def test_errors_lie_among_the_class_that_is_answered(model: TorchModule) -> None:
    found = plane(model)
    assert found is not None
    assert found.among_answered == {"pgd": 1.0}
    assert found.methods["pgd"].answers == (1,) * 10
    first, second = (found.seeds.points[rows].mean(axis=0) for rows in (slice(0, 20), slice(20, 40)))
    errors = found.methods["pgd"].points.mean(axis=0)
    assert np.linalg.norm(errors - second) < np.linalg.norm(errors - first)


def test_is_the_same_twice(model: TorchModule) -> None:
    one, other = plane(model), plane(model)
    assert one is not None
    assert other is not None
    assert np.array_equal(one.seeds.points, other.seeds.points)


def test_nothing_is_drawn_where_nothing_differs(model: TorchModule) -> None:
    same = Inputs(torch.zeros(30, 4), (0,) * 30, tuple(map(str, range(30))))
    assert feature_plane(model, same, {}) is None
    few = Inputs(drawn(5, 0, 0), (0,) * 5, tuple(map(str, range(5))))
    assert feature_plane(model, few, {}) is None
