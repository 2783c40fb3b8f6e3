import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Observation, Want
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.studies.map.map import uncertainty_map
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


class Shaky:
    """The small network, whose first seven of ten draws agree with it, while the others name the next class."""

    def __init__(self, model: TorchModule) -> None:
        self.model = model
        self.name = "shaky"
        self.offers = Capability.DROPOUT
        self.asked: list[tuple[str, ...]] = []

    def identity(self, shape: tuple[int, ...]) -> str:
        return self.model.identity(shape)

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        return self.model.observe(x, want)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        self.asked.append(masks.ids)
        answers = self.observe(x).predicted
        named = torch.stack([(answers + (draw % 10 >= 7)) % 4 for draw in range(masks.draws)])
        return torch.nn.functional.one_hot(named, 4).float()


@pytest.fixture
def campaign(tiny_model: TorchModule, small_images: Tensor, tmp_path: Path) -> Campaign:
    data = tensors(small_images, tiny_model.observe(small_images).predicted, name="answered")
    return hunt(tiny_model, data, "pgd:steps=8", str(tmp_path / "a"), region="linf:0.3", inputs=12, shard=5)


def test_measures_by_hand(tiny_model: TorchModule, campaign: Campaign) -> None:
    found = uncertainty_map(Shaky(tiny_model), campaign, draws=10)
    benign = found.groups["benign"]
    assert len(benign) == 12
    assert np.allclose(benign.figures["vro"], 0.3)
    assert np.allclose(benign.figures["vr"], 0.3)
    entropy = -(0.7 * math.log(0.7) + 0.3 * math.log(0.3))
    assert np.allclose(benign.figures["predictive_entropy"], entropy)
    assert np.allclose(benign.figures["mi"], entropy)  # every draw is sure of itself
    seeds = campaign.store.seeds(benign.ids)
    top = tiny_model.observe(torch.from_numpy(np.stack([seeds[name] for name in benign.ids]))).probabilities.topk(2)
    assert np.allclose(benign.figures["pcs"], (top.values[:, 0] - top.values[:, 1]).numpy(), atol=1e-6)
    assert np.allclose(benign.uncertainty_by_draws[5], 0)
    assert benign.predicted.tolist() == benign.label.tolist()


def test_takes_the_smallest_and_the_strongest_finding_of_a_seed(tiny_model: TorchModule, campaign: Campaign) -> None:
    found = uncertainty_map(Shaky(tiny_model), campaign, draws=3)
    rows = {row["id"]: row for row in campaign.findings.to_pylist()}
    for name, key, sign in (("pgd, smallest", "l2", 1), ("pgd, strongest", "margin", -1)):
        group = found.groups[name]
        assert len(group) == len(set(group.seed_ids)) == campaign.summary()["seeds_broken"]
        for one, seed in zip(group.ids, group.seed_ids, strict=True):
            assert sign * rows[one][key] == min(sign * row[key] for row in rows.values() if row["seed_id"] == seed)
        assert group.predicted.tolist() == [rows[one]["after"] for one in group.ids]


def test_one_finding_is_one_group(tiny_model: TorchModule, small_images: Tensor, tmp_path: Path) -> None:
    data = tensors(small_images, tiny_model.observe(small_images).predicted, name="answered")
    single = hunt(tiny_model, data, "fgsm", str(tmp_path / "b"), region="linf:0.3", inputs=12)
    assert list(uncertainty_map(Shaky(tiny_model), single, draws=3).groups) == ["benign", "fgsm"]


def test_the_summary_is_json_with_the_stable_keys(tiny_model: TorchModule, campaign: Campaign) -> None:
    seen: list[tuple[int, int]] = []
    found = uncertainty_map(Shaky(tiny_model), campaign, draws=10, progress=lambda *now: seen.append(now))
    figures = json.loads(json.dumps(found.summary(), allow_nan=False))
    assert {"pcs", "vro", "vr", "predictive_entropy", "pe", "mi", "patterns", "auc"} <= set(figures)
    assert figures["pe"] == figures["predictive_entropy"]
    assert figures["vro"]["benign"] == {"mean": pytest.approx(0.3), "variance": pytest.approx(0)}
    assert set(figures["auc"]["pgd, smallest"]) == {"pcs", "vro", "vr", "predictive_entropy", "pe", "mi"}
    assert seen[-1][0] == seen[-1][1] == sum(figures["counts"].values())


def test_needs_dropout(tiny_model: TorchModule, campaign: Campaign) -> None:
    class Firm(Shaky):
        def __init__(self, model: TorchModule) -> None:
            super().__init__(model)
            self.offers = Capability.ANSWERS

    with pytest.raises(InvalidModel, match="map needs dropout"):
        uncertainty_map(Firm(tiny_model), campaign)


def test_nothing_attacked_yet_is_said(tiny_model: TorchModule, small_images: Tensor, tmp_path: Path) -> None:
    data = tensors(small_images, tiny_model.observe(small_images).predicted, name="answered")
    begun = hunt(tiny_model, data, "fgsm", str(tmp_path / "b"), region="linf:0.3", inputs=12)
    for shard in (tmp_path / "b" / "shards").iterdir():
        shard.unlink()
    with pytest.raises(InvalidData, match="no input has been attacked yet"):
        uncertainty_map(Shaky(tiny_model), Campaign.at(begun.store.path), draws=3)
