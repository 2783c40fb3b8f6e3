"""What the last hidden layer makes of seeds and findings, stored with a campaign."""

from pathlib import Path

import numpy as np
import pytest
import torch

import unnerve
from unnerve.campaign.features import finding_key, read_features, seed_key
from unnerve.core.data.examples import Examples
from unnerve.core.errors import UserError
from unnerve.core.model import Want
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.react.stored_plane import Placed, stored_plane
from unnerve.subjects.adapters.torch_module import TorchModule

SETTINGS = {"region": "linf:0.3", "inputs": 6, "queries": 12, "shard": 2}


@pytest.fixture
def campaign(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Campaign:
    return unnerve.hunt(tiny_model, answered, "pgd:steps=6", str(tmp_path / "a"), embed=True, **SETTINGS)


def test_features_are_those_of_the_last_hidden_layer(tiny_model: TorchModule, campaign: Campaign) -> None:
    ids = campaign.findings["id"].to_pylist()
    seeds = list(campaign.store.labels())
    stored = read_features(campaign.store, [*map(seed_key, seeds), *map(finding_key, ids)])
    assert stored is not None
    assert len(stored.rows) == len(ids) + len(seeds)
    inputs, _ = campaign.tensors()
    hidden = [layer for layer in tiny_model.neuron_map(inputs[:1]).layers if layer.hidden]
    assert stored.layer == hidden[-1].name
    wanted = tiny_model.observe(inputs, Want.NEURONS).neurons[:, hidden[-1].columns].numpy()
    np.testing.assert_allclose(np.stack([stored.rows[finding_key(name)] for name in ids]), wanted, atol=1e-5)


def test_a_plane_is_made_of_them_without_the_model(campaign: Campaign) -> None:
    rows = campaign.findings.select(["id", "before", "after"]).to_pylist()
    found = tuple(Placed(row["id"], row["before"], row["after"]) for row in rows)
    seeds = tuple(Placed(name, label or 0, label or 0) for name, label in campaign.store.labels().items())
    plane = stored_plane(campaign, seeds, {"pgd": (*found, Placed("unknown", 0, 1))})
    assert plane is not None
    assert plane.seeds.points.shape == (len(seeds), 2)
    assert plane.methods["pgd"].ids == tuple(one.id for one in found)
    assert np.isfinite(plane.methods["pgd"].points).all()
    assert stored_plane(campaign, (), {"pgd": found[:3]}) is None


def test_it_can_be_stored_later_and_needs_neurons(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    out = str(tmp_path / "a")
    plain = unnerve.hunt(tiny_model, answered, "pgd:steps=6", out, **SETTINGS)
    assert read_features(plain.store, []) is None
    unnerve.hunt(tiny_model, answered, "pgd:steps=6", out, embed=True, resume=True, **SETTINGS)
    assert read_features(plain.store, []) is not None

    def black_box(x: torch.Tensor) -> torch.Tensor:
        return tiny_model.observe(x).probabilities

    other = tmp_path / "b"
    with pytest.raises(UserError, match="`embed` needs neurons"):
        unnerve.hunt(black_box, answered, "random", str(other), embed=True, **SETTINGS)
    assert not other.exists()
