"""Which neurons react to what a campaign found."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Want
from unnerve.core.streams import Streams
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import arena
from unnerve.studies.react.reactions import _shuffled, reactions
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

METHODS = ["pgd:steps=6", "class_tour:steps=6", "gaussian:deviation=1e-06,iterations=2"]


@pytest.fixture
def campaign(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Campaign:
    out = str(tmp_path / "arena")
    return arena(tiny_model, answered, METHODS, out, queries=14, region="linf:0.3", inputs=8, shard=3)


def smallest(campaign: Campaign, method: str) -> tuple[Tensor, Tensor]:
    """Return the seeds that a method broke and, of each, the finding with the smallest change."""
    rows = [row for row in campaign.findings.to_pylist() if row["method"] == method]
    best = {row["seed_id"]: row for row in sorted(rows, key=lambda row: (-row["l2"], row["id"]))}
    seeds = campaign.store.seeds(best)
    found = [torch.frombuffer(bytearray(row["input"]), dtype=torch.float32).view(row["shape"]) for row in best.values()]
    return torch.stack([torch.from_numpy(seeds[name].copy()) for name in best]), torch.stack(found)


def test_means_and_shares_are_those_of_the_smallest_errors(
    tiny_model: TorchModule, answered: Examples, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unnerve.studies.react.reactions._BLOCK", 3)
    found = reactions(tiny_model, answered, campaign)
    seeds, changed = smallest(campaign, "pgd")
    spread = tiny_model.observe(answered.batch(range(40)).inputs, Want.NEURONS).neurons.double().std(0, correction=0)
    now, before = (tiny_model.observe(x, Want.NEURONS).neurons.double() for x in (changed, seeds))
    moves = (now - before).abs() / spread
    pgd = found.methods["pgd"]
    assert pgd.pairs == len(seeds) > 3
    assert torch.allclose(pgd.means, moves.mean(dim=0), rtol=1e-4)
    assert torch.allclose(pgd.shares, (moves > 0.5).double().mean(dim=0))
    assert found.share("pgd") == pytest.approx(float((moves > 0.5).double().mean()))
    layers = found.layer_shares("pgd")
    assert list(layers) == [layer.name for layer in found.neurons.layers]
    assert layers["0"] == pytest.approx(float((moves[:, :3] > 0.5).double().mean()))
    assert found.nothing == ("gaussian",)


def test_the_strongest_neurons_and_their_overlap(
    tiny_model: TorchModule, answered: Examples, campaign: Campaign
) -> None:
    found = reactions(tiny_model, answered, campaign, ReactSettings(top=4))
    strongest = found.strongest("pgd")
    means = found.methods["pgd"].means
    assert [one.value for one in strongest] == pytest.approx(sorted(means.tolist(), reverse=True)[:4])
    starts = {layer.name: layer.start for layer in found.neurons.layers}
    places = {
        method: {starts[one.layer] + one.index for one in found.strongest(method)} for method in ("pgd", "class_tour")
    }
    assert all(float(means[starts[one.layer] + one.index]) == pytest.approx(one.value) for one in strongest)
    shared = len(places["pgd"] & places["class_tour"])
    assert found.overlap("pgd", "class_tour") == found.overlap("class_tour", "pgd") == shared / (8 - shared)
    assert found.overlap("pgd", "pgd") == 1
    assert found.chance == 4 / 22


def test_blame_speaks_of_hidden_neurons_in_nats(
    tiny_model: TorchModule, answered: Examples, campaign: Campaign
) -> None:
    found = reactions(tiny_model, answered, campaign, ReactSettings("taylor", threshold=0.1))
    hidden = tiny_model.neuron_map(answered.batch([0]).inputs).hidden
    assert found.neurons == hidden
    assert len(found.methods["pgd"].means) == len(hidden)
    assert found.threshold == 0.1
    assert reactions(tiny_model, answered, campaign, ReactSettings("taylor")).threshold == 0.02


def test_figures_are_json_and_the_same_every_time(
    tiny_model: TorchModule, answered: Examples, campaign: Campaign
) -> None:
    done: list[tuple[int, int]] = []
    owen = ReactSettings("owen:4", pairs=2)
    first = reactions(tiny_model, answered, campaign, owen, progress=lambda *place: done.append(place))
    again = reactions(tiny_model, answered, Campaign.at(campaign.store.path), owen)
    figures = json.loads(json.dumps(first.summary(), allow_nan=False))
    assert {**figures, "seconds": 0} == {**again.summary(), "seconds": 0}
    assert figures["methods"]["pgd"]["pairs"] == 2
    assert figures["reaction"] == {"name": "owen", "coalitions": 4, "overlap": 0.5}
    assert done[-1] == (4, 4)
    other = reactions(tiny_model, answered, campaign, owen, seed=1)
    assert other.summary()["methods"]["pgd"]["share_noise"] != figures["methods"]["pgd"]["share_noise"] or (
        not torch.equal(other.methods["pgd"].noise_sums, first.methods["pgd"].noise_sums)
    )


def test_noise_has_the_same_amounts_elsewhere(small_images: Tensor) -> None:
    centre = small_images[:5]
    change = torch.zeros_like(centre)
    change[:, :, :3] = torch.linspace(0.01, 0.3, 24).view(3, 8)
    changed = (centre + change).clamp(0, 1)
    noise = _shuffled(centre, changed, Streams(0, "abcde"), (0.0, 1.0))
    assert bool(((noise >= 0) & (noise <= 1)).all())
    for one, two, seed in zip(noise, changed, centre, strict=True):
        amounts, wanted = ((x - seed).abs().flatten().sort().values for x in (one, two))
        assert torch.allclose(amounts, wanted, atol=1e-6)
        assert not torch.allclose((one - seed).abs(), (two - seed).abs())
    signs = (noise - centre).flatten()
    assert 0.2 < float((signs > 1e-6).sum() / (signs.abs() > 1e-6).sum()) < 0.8


def test_a_target_is_kept(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    aimed = arena(
        tiny_model, answered, ["pgd:steps=6"], str(tmp_path / "t"), queries=14, region="linf:0.3", inputs=8, target=1
    )
    found = reactions(tiny_model, answered, aimed, ReactSettings("taylor"))
    assert found.methods["pgd"].pairs == aimed.rows()[0]["seeds_broken"]


def test_what_does_not_fit_is_refused(
    tiny_model: TorchModule, tiny_net: nn.Sequential, answered: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    wrong: list[tuple[dict[str, Any], str]]
    wrong = [({"pairs": 0}, "pairs must be >= 1, got 0"), ({"top": 0}, "top must be >= 1, got 0")]
    for settings, message in wrong:
        with pytest.raises(InvalidSetting, match=message):
            reactions(tiny_model, answered, campaign, ReactSettings(**settings))
    others = tensors(answered.batch(range(len(answered))).inputs.flip(0), answered.label_array(), name="others")
    for other in (others, answered.first(3)):
        with pytest.raises(InvalidSetting, match=rf"^{other.name} must be the data of .*arena, {answered.name}, "):
            reactions(tiny_model, other, campaign)
    none = arena(tiny_model, answered, METHODS[2:], str(tmp_path / "none"), queries=3, inputs=2)
    with pytest.raises(InvalidData, match="no error was found"):
        reactions(tiny_model, answered, none)
    with pytest.raises(InvalidModel, match="neurons"):
        reactions(BlackBox(lambda x: tiny_net(torch.as_tensor(x)).softmax(1), "box"), answered, campaign)
    with torch.no_grad():
        tiny_net[4].weight.mul_(2)  # type: ignore[operator]
    with pytest.raises(InvalidSetting, match="was made with another model"):
        reactions(tiny_model, answered, campaign)
