from pathlib import Path

import numpy as np
import pytest
import torch

from unnerve.core.data.examples import Examples
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.findings import found_inputs
from unnerve.studies.hunt.arena import arena
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


@pytest.fixture
def answered(tiny_model: TorchModule, small_data: Examples) -> Examples:
    """Return the small images, labelled as the small network answers."""
    x = small_data.batch(range(40)).inputs
    return tensors(x, tiny_model.observe(x).predicted, name="answered")


@pytest.fixture
def campaign(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Campaign:
    """Return an arena of three shards each of two methods, one of which finds nothing."""
    methods = ["pgd:steps=6", "gaussian:deviation=1e-06,iterations=2"]
    out = str(tmp_path / "arena")
    return arena(tiny_model, answered, methods, out, queries=12, region="linf:0.3", inputs=6, shard=2)


def test_findings_come_method_by_method(campaign: Campaign, answered: Examples) -> None:
    found = found_inputs(campaign, answered)
    assert list(found) == list(campaign.plan.labels) == ["pgd", "gaussian"]
    assert found["gaussian"] is None
    pgd = found["pgd"]
    assert pgd is not None
    rows = campaign.findings.to_pylist()
    assert len(pgd) == len(rows) > 6
    assert pgd.shape == (1, 8, 8)
    assert pgd.ids() == tuple(row["id"] for row in rows)
    wanted = np.stack([np.frombuffer(row["input"], dtype=np.float32).reshape(row["shape"]) for row in rows])
    assert np.array_equal(pgd.batch(range(len(pgd))).inputs.numpy(), wanted)
    backwards = pgd.batch([len(rows) - 1, 0, len(rows) - 1]).inputs
    assert torch.equal(backwards, torch.from_numpy(wanted[[-1, 0, -1]]))
