"""Harden: trains on findings, measures on others, keeps its promises about clean accuracy, and resumes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.studies.harden.conftest import Halves, halves
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, OutputRefused
from unnerve.mend.repairs.retrain import Retrain
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.harden._chosen import chosen
from unnerve.studies.harden._repaired import Kept
from unnerve.studies.harden.harden import harden
from unnerve.studies.harden.result import Hardening
from unnerve.studies.hunt.hunt import hunt
from unnerve.studies.train import without
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.weights import fill

QUICK: dict[str, Any] = {
    "repair": "retrain:epochs=6,rate=0.1,findings=60",
    "attacks": "pgd:steps=4,fgsm",
    "inputs": 30,
    "clever_inputs": 2,
    "clever": "clever:batches=10,samples=4",
    "validation_inputs": 40,
    "tolerance": 0.1,
}


@pytest.fixture
def hardened(network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path) -> Hardening:
    return harden(network, data, campaign, tmp_path / "out", **QUICK)


def test_what_changed_is_measured_and_kept(hardened: Hardening, tmp_path: Path) -> None:
    assert set(hardened.attacks) == {"pgd", "fgsm"}
    assert hardened.replayed["trained_on"].before.mean == 1
    assert hardened.replayed["trained_on"].change.mean < 0
    assert hardened.training["kept_epoch"] >= 1
    assert hardened.accuracy.after.mean >= hardened.accuracy.before.mean - 0.2
    assert hardened.clever is not None
    assert hardened.warnings == ()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"before", "after", "weights.safetensors", "harden.json"} <= names
    assert not [name for name in names if "checkpoint" in name]
    assert json.loads((tmp_path / "out" / "harden.json").read_text()) == hardened.summary()
    assert hardened.table().num_rows == len(hardened.rows())


def test_the_model_stays_and_its_weights_file_is_the_mended_one(
    network: nn.Module, hardened: Hardening, data: Examples
) -> None:
    assert all(torch.equal(one, two) for one, two in zip(network.parameters(), Halves().parameters(), strict=True))
    mended = fill(Halves(), hardened.weights)
    assert not torch.equal(mended.get_parameter("dense.weight"), network.get_parameter("dense.weight"))
    again = harden_accuracy(mended, data)
    assert 0.5 < again <= 1


def harden_accuracy(module: nn.Module, data: Examples) -> float:
    batch = data.batch(range(len(data)))
    return float((module(batch.inputs).argmax(dim=1) == batch.labels).double().mean())


def test_nothing_is_trained_on_and_measured_on(data: Examples, campaign: Campaign) -> None:
    parts = chosen(campaign, Retrain(findings=7, benign=12), data, None, (None, 30))
    assert (parts.findings, parts.benign, len(parts.training)) == (7, 12, 19)
    assert len(parts.validation) == 30
    assert len(parts.fresh) == 160 - 40 - 30
    for one, other in ((parts.fresh, parts.validation), (parts.fresh, parts.training)):
        assert len(without(one, other)) == len(one)
    seeds = campaign.store.seeds(campaign.store.labels())
    fresh = parts.fresh.batch(range(len(parts.fresh))).inputs.numpy()
    assert not any(np.array_equal(row, seed) for row in fresh for seed in seeds.values())


def test_what_the_hunt_passed_over_is_not_measured_on(data: Examples, tmp_path: Path) -> None:
    # Inputs that are answered wrongly are no seeds, so that leaving out seeds alone would leave these in front.
    labels = data.label_array()
    assert labels is not None
    odd = replace(data, labels=np.where(np.arange(len(data)) < 20, 1 - labels, labels))
    found = hunt(Halves(), odd, "pgd:steps=4", str(tmp_path / "odd"), region="linf:0.1", inputs=10)
    looked_at = found.plan.data.details["looked_at"]
    parts = chosen(found, Retrain(), odd, None, (None, 30))
    assert looked_at >= 25
    assert len(parts.validation) + len(parts.fresh) == len(odd) - looked_at
    # Other data, in which nothing was passed over, are measured whole.
    others = halves(50, 8)
    elsewhere = chosen(found, Retrain(), others, None, (None, 10))
    assert len(elsewhere.validation) + len(elsewhere.fresh) == 50
    with pytest.raises(InvalidData, match="all inputs are seeds of the campaign, or were passed over"):
        chosen(found, Retrain(), odd.first(looked_at), None, (None, 10))


def test_findings_come_from_as_many_seeds_as_there_are(data: Examples, campaign: Campaign) -> None:
    broken = sum(bool(seed.errors) for seed in campaign.tallies["pgd"].seeds)
    count = min(10, broken)
    parts = chosen(campaign, Retrain(findings=count), data, None, (None, 30))
    rows = campaign.findings.to_pylist()
    seeds = [row["seed_id"] for row in rows if row["id"] in parts.trained_on]
    assert len(set(seeds)) == count
    last = {row["seed_id"]: row["step"] for row in sorted(rows, key=lambda one: one["step"])}
    assert all(row["step"] == last[row["seed_id"]] for row in rows if row["id"] in parts.trained_on)


def test_no_epoch_is_kept_that_loses_too_much(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    wild = QUICK | {"repair": "retrain:epochs=3,rate=1000", "tolerance": 0.0, "patience": 1}
    found = harden(network, data, campaign, tmp_path / "out", **wild)
    assert (found.training["kept_epoch"], found.training["epochs"]) == (0, 1)
    assert any("every epoch lost more than 0 " in text for text in found.warnings)
    assert found.training["validation_after"] == found.training["validation_before"]
    assert found.accuracy.change.mean == 0
    # The same inputs and the same random points: the network that was kept has the same scores.
    assert found.clever is not None
    assert found.clever.change.mean == 0
    assert found.clever.before == found.clever.after


def test_a_repair_that_ruins_the_network_is_told(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruined = Halves().eval()
    ruined.dense.weight.data.neg_()
    ended = (TorchModule(ruined, "ruined"), Kept(1, 1, 1.0, 0.0))
    monkeypatch.setattr("unnerve.studies.harden.harden.repaired", lambda *_: ended)
    with pytest.raises(InvalidSetting, match="the repaired network answers none of 30 fresh inputs correctly") as error:
        harden(network, data, campaign, tmp_path / "out", **(QUICK | {"tolerance": 0.99}))
    advice = "a smaller rate of retrain:findings=60,epochs=6,rate=0.1 or a smaller --tolerance, now 0.99, loses less"
    assert error.value.command_line.endswith(advice)


def test_inputs_that_are_of_clevers_target_already_are_told(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    aimed = QUICK | {"clever": "clever:targets=0,batches=10,samples=4", "clever_inputs": 6}
    found = harden(network, data, campaign, tmp_path / "out", **aimed)
    assert found.clever is not None
    assert 0 < found.counts["clever"] <= 3  # every other input is of class 0
    told = f"CLEVER's change is of {found.counts['clever']} of 6 inputs"
    assert any(told in text for text in found.warnings)


def test_a_hunt_on_another_model_is_told(data: Examples, campaign: Campaign, tmp_path: Path) -> None:
    other = Halves()
    other.dense.weight.data.mul_(0.9)
    found = harden(other, data, campaign, tmp_path / "out", **(QUICK | {"clever_inputs": 0}))
    assert any("was a hunt on another model than Halves" in text for text in found.warnings)


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("step", [4, 14])
def test_a_killed_run_resumes_to_the_same_weights(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path, hardened: Hardening, step: int
) -> None:
    calls = 0

    def kill(done: int, total: int) -> None:
        nonlocal calls
        calls += 1  # of steps and of scored inputs
        if calls == step:
            raise Killed

    out = tmp_path / "killed"
    with pytest.raises(Killed):
        harden(network, data, campaign, out, progress=kill, **QUICK)
    with pytest.raises(OutputRefused, match="`resume` goes on with it"):
        harden(network, data, campaign, out, **QUICK)
    found = harden(network, data, campaign, out, resume=True, **QUICK)
    assert Path(found.weights).read_bytes() == Path(hardened.weights).read_bytes()
    left = ("seconds", "weights", "out")
    assert {k: v for k, v in found.summary().items() if k not in left} == {
        k: v for k, v in hardened.summary().items() if k not in left
    }


def test_adversarial_training_needs_no_findings(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    repair = "adversarial_training:epochs=3,steps=2,rate=0.03,benign=40"
    found = harden(network, data, campaign, tmp_path / "out", **(QUICK | {"repair": repair}))
    assert found.training["findings"] == 0
    assert set(found.replayed) == {"not_trained_on"}


class Odd(nn.Module):
    """Returns probabilities in a dict, ties two weights, and works on what it is given in place."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.second = nn.Linear(16, 16)
        self.second.weight = self.first.weight
        self.last = nn.Linear(16, 2)
        self.first.weight.data = torch.eye(16)
        self.last.weight.data = Halves().dense.weight.data

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        hidden = self.second(torch.relu_(self.first(x.flatten(1))))
        return {"answer": self.last(hidden).softmax(dim=1)}


def test_a_network_of_ones_own_is_hardened(data: Examples, tmp_path: Path) -> None:
    network = Odd()
    found = hunt(network, data, "pgd:steps=4", str(tmp_path / "hunt"), region="linf:0.1", inputs=20)
    done = harden(network, data, found, tmp_path / "out", **(QUICK | {"tolerance": 0.9}))
    assert done.training["kept_epoch"] == 6
    fill(Odd(), done.weights)


def test_a_validation_set_that_holds_seeds_is_warned_of(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    found = harden(network, data, campaign, tmp_path / "out", validation=data.take(range(100)), **QUICK)
    assert any("are seeds or trained on; validation leaves them out" in text for text in found.warnings)
    assert found.counts["validation"] < 100


def test_a_validation_set_that_leaves_nothing_to_measure_is_refused(
    network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path
) -> None:
    with pytest.raises(InvalidData, match="all inputs are seeds of the campaign, trained on, or used for validation"):
        harden(network, data, campaign, tmp_path / "out", validation=data, **QUICK)
    assert not (tmp_path / "out").exists()


def test_benign_inputs_can_be_others(network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path) -> None:
    found = harden(network, data, campaign, tmp_path / "out", train=halves(25, 9), **QUICK)
    assert found.training["benign"] == 25


@pytest.mark.parametrize("frozen", [True, False])
def test_what_cannot_be_trained_is_refused(data: Examples, campaign: Campaign, tmp_path: Path, frozen: bool) -> None:
    model: Any = Halves().requires_grad_(False) if frozen else (lambda x: np.full((len(x), 2), 0.5))
    message = r"all its 2 weight tensors are frozen" if frozen else "only an nn.Module can"
    with pytest.raises(InvalidModel, match=message):
        harden(model, data, campaign, tmp_path / "out", **QUICK)
    assert not (tmp_path / "out").exists()


def test_labels_and_findings_are_needed(network: nn.Module, data: Examples, campaign: Campaign, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(InvalidData, match="hardening needs labels"):
        harden(network, replace(data, labels=None), campaign, out, **QUICK)
    blind = hunt(network, tensors(torch.rand(5, 1, 4, 4)), "pgd:steps=1", str(tmp_path / "blind"), inputs=5)
    with pytest.raises(InvalidData, match="its inputs have no labels"):
        harden(network, data, blind, out, **QUICK)
    nothing = hunt(network, data, "random", str(tmp_path / "no"), region="linf:0.0001", inputs=5, queries=20)
    with pytest.raises(InvalidData, match="no error was found, so there is nothing to train on"):
        harden(network, data, nothing, out, **QUICK)
    with pytest.raises(InvalidData, match="all inputs are seeds of the campaign, or were passed over"):
        harden(network, data.take([int(name) for name in campaign.store.labels()]), campaign, out, **QUICK)
    with pytest.raises(InvalidData, match="all inputs are seeds of the campaign or trained on"):
        harden(network, data, campaign, out, train=data, **QUICK)
    with pytest.raises(InvalidSetting, match=r"tolerance must be in \[0, 1\), got 1"):
        harden(network, data, campaign, out, tolerance=1)
    assert not out.exists()
