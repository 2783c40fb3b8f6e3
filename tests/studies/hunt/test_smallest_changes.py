"""How small a change still breaks each seed."""

from pathlib import Path

import pytest
import torch
from torch import nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets.tensors import tensors


class Sum(nn.Module):
    """Class 1 if the mean value is above 0.5."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.flatten(1).mean(dim=1)
        return 20 * torch.stack([0.5 - mean, mean - 0.5], dim=1)


def data(*means: float) -> Examples:
    inputs = torch.stack([torch.full((1, 4, 4), mean) for mean in means])
    return tensors(inputs, torch.zeros(len(means), dtype=torch.int64))


@pytest.mark.parametrize(("region", "unit"), [("linf:0.3", 1.0), ("l2:1.2", 4.0)])
def test_the_way_to_a_finding_is_halved_to_the_border(region: str, unit: float, tmp_path: Path) -> None:
    found = unnerve.hunt(Sum(), data(0.4, 0.3, 0.1), "pgd:steps=20", str(tmp_path / "a"), region=region)
    # 0.1 and 0.2 away in every one of 16 values; 0.4 away is out of reach. Eight halvings leave 1/256 of the way.
    ids = list(found.store.labels())
    assert set(found.smallest_changes) == set(ids[:2])
    for name, distance in zip(ids, (0.1, 0.2), strict=False):
        assert unit * distance <= found.smallest_changes[name] <= unit * (distance + 0.3 / 100)


def test_a_resumed_campaign_keeps_what_was_measured(tmp_path: Path) -> None:
    settings = {"region": "linf:0.3"}
    first = unnerve.hunt(Sum(), data(0.4, 0.1), "pgd:steps=5", str(tmp_path / "a"), **settings)
    noted = (tmp_path / "a" / "smallest_changes.json").read_bytes()
    again = unnerve.hunt(Sum(), data(0.4, 0.1), "pgd:steps=5", str(tmp_path / "a"), resume=True, **settings)
    assert (tmp_path / "a" / "smallest_changes.json").read_bytes() == noted
    assert first.smallest_changes == again.smallest_changes


def test_where_halves_are_not_half_as_large_nothing_is_measured(tmp_path: Path) -> None:
    found = unnerve.hunt(Sum(), data(0.49), "random", str(tmp_path / "a"), region="l0:0.5", queries=40)
    assert found.smallest_changes == {}
