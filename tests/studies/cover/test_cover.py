import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting, UnknownName
from unnerve.core.model import Want
from unnerve.core.naming.catalogue import names
from unnerve.core.profiles import Profile
from unnerve.measure.coverages.kmnc import KMNC
from unnerve.studies.cover.cover import cover, profile
from unnerve.studies.hunt.arena import arena
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


@pytest.fixture
def training(small_images: Tensor) -> Examples:
    """Return inputs that do less than the others."""
    return tensors(small_images * 0.9, name="training")


@pytest.fixture
def bounds(tiny_model: TorchModule, training: Examples) -> Profile:
    return profile(tiny_model, training)


def test_a_profile_holds_the_extremes(tiny_model: TorchModule, training: Examples, bounds: Profile) -> None:
    values = tiny_model.observe(training.batch(range(40)).inputs, Want.NEURONS).neurons
    assert torch.equal(bounds.low, values.amin(dim=0))
    assert torch.equal(bounds.high, values.amax(dim=0))
    assert bounds.inputs == 40
    assert bounds.model == tiny_model.identity((1, 8, 8))
    assert bounds.neurons == tiny_model.neuron_map(training.batch(range(1)).inputs)


def test_profiles_of_parts_join_to_that_of_the_whole(
    tiny_model: TorchModule, training: Examples, bounds: Profile
) -> None:
    parts = [profile(tiny_model, training.take(rows)) for rows in (range(7), range(7, 30), range(30, 40))]
    assert parts[2] | (parts[0] | parts[1]) == bounds
    assert parts[0] != bounds


def test_data_in_many_blocks_is_one_pass(
    tiny_model: TorchModule, small_data: Examples, bounds: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, whole_profile = cover(tiny_model, small_data, bounds), profile(tiny_model, small_data)
    monkeypatch.setattr("unnerve.studies.cover.cover._ROWS", 7)
    done: list[tuple[int, int]] = []
    pieces = cover(tiny_model, small_data, bounds, progress=lambda *place: done.append(place))
    assert pieces.values == whole.values
    assert profile(tiny_model, small_data) == whole_profile
    assert done == [(rows, 40) for rows in (7, 14, 21, 28, 35, 40)]


def test_all_criteria_and_the_stable_keys(tiny_model: TorchModule, small_data: Examples, bounds: Profile) -> None:
    found = cover(tiny_model, small_data, bounds)
    figures = json.loads(json.dumps(found.summary(), allow_nan=False))
    assert set(found.values) == set(names("coverage"))
    assert {name: figures[name] for name in found.values} == found.values
    assert figures["neurons"] == 13
    assert figures["inputs"] == figures["profile_inputs"] == 40
    assert (figures["model"], figures["data"], figures["filter"]) == ("tiny", "small", "deepxplore")
    assert figures["criteria"]["kmnc"]["sections"] == 1000
    assert figures["criteria"]["kmnc"]["covered"] / figures["criteria"]["kmnc"]["total"] == figures["kmnc"]
    assert list(figures["criteria"]["nbc"]["layers"]) == [layer.name for layer in found.neurons.layers]
    assert figures["criteria"]["tknp"]["total"] is None
    assert isinstance(figures["tknp"], int)
    assert figures["also"] == []
    assert figures["seconds"] > 0
    assert 0 < figures["snac"] < 1, "the data does more than the training data did"


def test_some_criteria_with_settings(tiny_model: TorchModule, small_data: Examples, bounds: Profile) -> None:
    two = cover(tiny_model, small_data, bounds, "kmnc:sections=4,tknp:top=2,ordered=true")
    assert list(two.values) == ["kmnc", "tknp"]
    assert two.summary()["criteria"]["tknp"]["ordered"] is True
    many = cover(tiny_model, small_data, bounds, ["kmnc:4", KMNC(9), "nbc"])
    assert list(many.values) == ["kmnc:sections=4", "kmnc:sections=9", "nbc"]
    assert many.values["kmnc:sections=4"] == two.values["kmnc"]
    with pytest.raises(UnknownName, match=r"unknown coverage 'knmc'; did you mean .*kmnc"):
        cover(tiny_model, small_data, bounds, "knmc")
    with pytest.raises(InvalidSetting, match="criteria must name at least one"):
        cover(tiny_model, small_data, bounds, [])


def test_a_pass_asks_only_for_what_is_needed(
    tiny_model: TorchModule, small_data: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    observe = tiny_model.observe

    def noted(x: Tensor, want: Want = Want.LOGITS) -> Any:
        asked.append(want)
        return observe(x, want)

    monkeypatch.setattr(tiny_model, "observe", noted)
    cover(tiny_model, small_data, criteria="tknc,bknc")
    cover(tiny_model, small_data, criteria="tknc,nc")
    assert asked == [Want.NEURONS, Want.RANGES]


def test_what_further_inputs_add(tiny_model: TorchModule, small_data: Examples, bounds: Profile) -> None:
    first, rest = small_data.take(range(5)), small_data.take(range(5, 40))
    both = cover(tiny_model, first, bounds, also=rest)
    whole, alone = cover(tiny_model, small_data, bounds), cover(tiny_model, first, bounds)
    (addition,) = both.additions
    figures = both.summary()
    assert both.values == alone.values
    assert figures["also"][0]["with"] == whole.values
    assert figures["also"][0]["inputs"] == addition.inputs == 35
    assert figures["also"][0]["gain"] == {key: whole.values[key] - alone.values[key] for key in whole.values}
    assert figures["also"][0]["gain"]["kmnc"] > 0
    assert "with 35 inputs of small" in both.text()


def test_what_the_methods_of_a_campaign_add(
    tiny_model: TorchModule, small_data: Examples, bounds: Profile, tmp_path: Path
) -> None:
    x = small_data.batch(range(6)).inputs
    seeds = tensors(x, tiny_model.observe(x).predicted, name="seeds")
    methods = ["pgd:steps=6", "gaussian:deviation=1e-06,iterations=2"]
    campaign = arena(tiny_model, seeds, methods, str(tmp_path / "a"), queries=12, region="linf:0.3", inputs=6, shard=2)
    done: list[tuple[int, int]] = []
    found = cover(tiny_model, seeds, bounds, also=campaign, progress=lambda *place: done.append(place))
    pgd, gaussian = found.additions
    assert (pgd.data, gaussian.data) == ("pgd", "gaussian")
    assert pgd.inputs == campaign.findings.num_rows > 0
    assert found.gain(pgd)["kmnc"] > 0
    assert gaussian.inputs == 0
    assert set(found.gain(gaussian).values()) == {0}
    text = found.text()
    assert text.endswith("\nNothing was found by gaussian.")
    assert text.count(" more\n") == len(found.values), "of pgd alone"
    assert done[-1] == (6 + pgd.inputs, 6 + pgd.inputs)


def test_text_for_a_person(tiny_model: TorchModule, small_data: Examples, bounds: Profile) -> None:
    found = cover(tiny_model, small_data, bounds)
    lines = found.text().splitlines()
    assert lines[0] == "tiny on small: 40 inputs, 13 neurons (deepxplore)"
    assert lines[1].startswith("WARNING: 10 of 40 answers are right, which is near chance")
    assert lines[2] == "Accuracy 25.0 % (12.7 % to 41.2 %), 10 of 40"
    assert found.summary()["accuracy"] == 0.25
    assert lines[3] == "ranges of the neurons from 40 inputs"
    assert any(
        line.split() == ["tknp", f"{found.values['tknp']:g}", f"{found.values['tknp']:g}", "patterns"] for line in lines
    )
    snac = next(line.split() for line in lines if line.startswith("snac"))
    assert snac[1:] == [f"{100 * found.values['snac']:.2f}", "%", str(found.states["snac"].covered), "13"]


def test_a_profile_is_asked_for_only_where_it_is_needed(tiny_model: TorchModule, small_data: Examples) -> None:
    assert cover(tiny_model, small_data, criteria="nc,tknc,bknc,tknp").summary()["profile_inputs"] is None
    with pytest.raises(InvalidSetting, match="kmnc needs the ranges of the neurons on training data"):
        cover(tiny_model, small_data, criteria="nc,kmnc")


def test_all_without_a_profile_is_all_that_needs_none_and_says_so(
    tiny_model: TorchModule, small_data: Examples, bounds: Profile
) -> None:
    found = cover(tiny_model, small_data)
    assert set(found.values) == {"nc", "tknc", "bknc", "tknp"}
    assert found.summary()["left_out"] == ["kmnc", "nbc", "snac"]
    assert "left out: kmnc, nbc, snac, which compare with training data; --profile DATA" in found.text()
    whole = cover(tiny_model, small_data, bounds)
    assert whole.summary()["left_out"] == []
    assert "left out" not in whole.text()


def test_refuses_a_profile_of_another_model_or_other_neurons(
    tiny_net: nn.Sequential, small_data: Examples, bounds: Profile
) -> None:
    few = TorchModule(tiny_net, "tiny", neurons="0,4")
    with pytest.raises(InvalidSetting, match="the profile is of other neurons: 13 chosen by 'deepxplore', not 7"):
        cover(few, small_data, bounds)
    with torch.no_grad():
        tiny_net[0].bias.add_(1)  # type: ignore[operator]
    with pytest.raises(InvalidSetting, match="the profile is of another model"):
        cover(TorchModule(tiny_net, "tiny"), small_data, bounds)


def test_refuses_a_black_box(small_data: Examples) -> None:
    def box(x: np.ndarray) -> np.ndarray:
        return np.full((len(x), 2), 0.5)

    for job in (cover, profile):
        with pytest.raises(InvalidModel, match="coverage needs neurons, which box does not offer"):
            job(box, small_data)


def test_refuses_neurons_that_are_no_numbers(small_data: Examples) -> None:
    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.log, self.dense = nn.Linear(64, 3), nn.Linear(3, 2)

        def forward(self, x: Tensor) -> Tensor:
            self.log(x.flatten(1) / 0)
            answer: Tensor = self.dense(x.flatten(1)[:, :3])
            return answer

    for job in (lambda: profile(Broken(), small_data), lambda: cover(Broken(), small_data, criteria="tknc")):
        with pytest.raises(InvalidModel, match="values of neurons must be finite, got NaN or infinity in layer log"):
            job()


def test_only_some_inputs_are_measured_and_the_profile_is_kept(
    tiny_model: TorchModule, small_data: Examples, bounds: Profile, tmp_path: Path
) -> None:
    kept = tmp_path / "p.safetensors"
    found = cover(tiny_model, small_data, small_data, "nc,nbc", inputs=5, profile_limit=7, save_profile=kept)
    assert found.summary()["inputs"] == 5
    assert found.summary()["profile_inputs"] == Profile.load(kept).inputs == 7
    for given in (bounds, kept):
        with pytest.raises(InvalidSetting, match="`profile_limit` needs training data: `profile` DATA"):
            cover(tiny_model, small_data, given, profile_limit=7)
    for wrong in ({"inputs": 0}, {"profile": small_data, "profile_limit": 0}):
        with pytest.raises(InvalidSetting, match=">= 1, got 0"):
            cover(tiny_model, small_data, **wrong)
