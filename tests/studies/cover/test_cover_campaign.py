"""What the findings of a campaign add to the coverage of its seeds."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.naming.catalogue import names
from unnerve.core.profiles import Profile
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.cover.cover import cover, profile
from unnerve.studies.cover.cover_campaign import cover_campaign
from unnerve.studies.hunt.arena import arena
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

METHODS = ["pgd:steps=6", "gaussian:deviation=1e-06,iterations=2"]


@pytest.fixture
def bounds(tiny_model: TorchModule, small_images: Tensor) -> Profile:
    return profile(tiny_model, tensors(small_images * 0.9, name="training"))


@pytest.fixture
def campaign(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Campaign:
    """Return an arena in three shards of each method, the second of which finds nothing."""
    out = str(tmp_path / "arena")
    return arena(tiny_model, answered, METHODS, out, queries=12, region="linf:0.3", inputs=6, shard=2)


def stored(campaign: Campaign) -> tuple[Examples, Examples]:
    """Return the seeds and what was found from them, as data."""
    seeds = np.concatenate([inputs for _, inputs in campaign.store.seed_blocks()])
    rows = campaign.findings.to_pylist()
    found = np.stack([np.frombuffer(row["input"], dtype=np.float32).reshape(row["shape"]) for row in rows])
    return tensors(torch.from_numpy(seeds), name="seeds"), tensors(torch.from_numpy(found), name="found")


def test_it_is_what_cover_says_of_the_same_inputs(tiny_model: TorchModule, campaign: Campaign, bounds: Profile) -> None:
    seeds, found = stored(campaign)
    done: list[tuple[int, int]] = []
    gains = cover_campaign(tiny_model, campaign, bounds, progress=lambda *place: done.append(place))
    wanted = cover(tiny_model, seeds, bounds, also=found)
    assert set(gains.criteria) == set(names("coverage"))
    assert {key: gain.value() for key, gain in gains.criteria.items()} == wanted.values
    assert {key: gain.gained("pgd") for key, gain in gains.criteria.items()} == pytest.approx(
        wanted.gain(wanted.additions[0])
    )
    assert gains.criteria["kmnc"].gained("pgd") > 0
    assert all(gain.gained("gaussian") == 0 for gain in gains.criteria.values()), "it found nothing"
    assert gains.findings == {"pgd": len(found), "gaussian": 0}
    assert (gains.seeds, gains.neurons, gains.profile_inputs) == (6, 13, 40)
    assert done[-1] == (6 + len(found), 6 + len(found))


def test_small_blocks_give_the_same(
    tiny_model: TorchModule, campaign: Campaign, bounds: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cover_campaign(tiny_model, campaign, bounds)
    monkeypatch.setattr("unnerve.studies.cover.cover_campaign._ROWS", 2)
    monkeypatch.setattr("unnerve.campaign._tables._ROWS", 4)
    assert cover_campaign(tiny_model, campaign, bounds) == whole


def test_it_is_kept_with_the_campaign(tiny_model: TorchModule, campaign: Campaign) -> None:
    assert campaign.coverage is None
    gains = cover_campaign(tiny_model, campaign, criteria="nc:0.5,tknp")
    assert Campaign.at(campaign.store.path).coverage == gains
    assert list(gains.criteria) == ["nc", "tknp"]
    again = cover_campaign(tiny_model, campaign, criteria="tknc")
    assert Campaign.at(campaign.store.path).coverage == again, "the newer one counts"
    Path(campaign.store.path, "coverage.json").write_text("{")
    with pytest.raises(InvalidData, match=r"coverage\.json cannot be read"):
        _ = campaign.coverage


def test_seeds_that_break_the_model_cover_nothing(answered: Examples, tmp_path: Path) -> None:
    class Touchy(nn.Module):
        def __init__(self, net: nn.Module) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: Tensor) -> Tensor:
            if bool((x[:, 0, 0, 0] == marked).any()):
                raise ValueError("no")
            out: Tensor = self.net(x)
            return out

    with torch.random.fork_rng(devices=[]):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), nn.ReLU(), nn.Linear(5, 4))
    data = tensors(answered.batch(range(6)).inputs, name="plain")
    marked = float(data.batch([2]).inputs[0, 0, 0, 0])
    model = TorchModule(Touchy(net), "touchy")
    hunted = arena(model, data, ["random:iterations=1"], str(tmp_path / "a"), queries=4, inputs=6, shard=3)
    assert hunted.rows()[0]["failed"] == 1
    assert cover_campaign(model, hunted, criteria="nc").seeds == 5


def test_another_model_or_no_profile_is_refused(
    tiny_model: TorchModule, campaign: Campaign, tiny_net: nn.Sequential
) -> None:
    with pytest.raises(InvalidSetting, match="kmnc needs the ranges"):
        cover_campaign(tiny_model, campaign, criteria="nc,kmnc")
    with torch.no_grad():
        tiny_net[4].weight.mul_(2)  # type: ignore[operator]
    with pytest.raises(InvalidSetting, match="was made with another model"):
        cover_campaign(tiny_model, campaign, criteria="nc")
    assert campaign.coverage is None
