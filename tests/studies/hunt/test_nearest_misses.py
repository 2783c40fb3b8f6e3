"""How near the nearest input came that is no error."""

from pathlib import Path

import pytest
import torch
from torch import nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.datasets.tensors import tensors


class Sum(nn.Module):
    """Class 1 if the mean value is above 0.5; it leads by 40 logits per unit of the mean."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.flatten(1).mean(dim=1)
        return 20 * torch.stack([0.5 - mean, mean - 0.5], dim=1)


def data(*means: float) -> Examples:
    inputs = torch.stack([torch.full((1, 4, 4), mean) for mean in means])
    return tensors(inputs, torch.zeros(len(means), dtype=torch.int64))


def misses(found: Campaign) -> dict[str, float]:
    return {one["seed"]: one["margin"] for one in found.summary()["nearest_misses"]}


def test_the_nearest_miss_is_at_the_edge_of_the_region(tmp_path: Path) -> None:
    found = unnerve.hunt(Sum(), data(0.1, 0.0, 0.4), "pgd:steps=20", str(tmp_path / "a"), region="linf:0.3")
    ids = list(found.store.labels())
    # 0.3 up is 0.1 and 0.2 short of the border; the third seed breaks, and so has missed nothing.
    assert misses(found) == pytest.approx({ids[0]: -4.0, ids[1]: -8.0}, abs=0.05)
    assert list(misses(found)) == [ids[0], ids[1]]


def test_a_resumed_campaign_keeps_what_was_measured(tmp_path: Path) -> None:
    settings = {"region": "linf:0.2", "shard": 1}
    first = unnerve.hunt(Sum(), data(0.1, 0.0), "pgd:steps=5", str(tmp_path / "a"), **settings)
    next((tmp_path / "a" / "shards").glob("*.parquet")).unlink()
    again = unnerve.hunt(Sum(), data(0.1, 0.0), "pgd:steps=5", str(tmp_path / "a"), resume=True, **settings)
    assert len(misses(again)) == 2
    assert misses(again) == misses(first)
