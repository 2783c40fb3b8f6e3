"""Hunts from rows of a table: what is found is a valid row, in the units of the table."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Examples
from unnerve.core.data.features import Features
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Observation
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.export import export
from unnerve.studies.hunt.arena import arena
from unnerve.studies.hunt.hunt import hunt
from unnerve.studies.react.reactions import reactions
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.table import table

METHODS = "random,pgd,deepfool,gaussian,jsma,guided:search=pso(particles=10)"


@pytest.fixture
def people() -> Examples:
    """Ages, incomes, a flag and a city; who is old and poor is at risk."""
    rng = np.random.default_rng(0)
    age, income = rng.integers(20, 81, 80), rng.normal(3000, 800, 80).round(2)
    frame = {
        "age": age,
        "income": income,
        "smoker": rng.random(80) < 0.5,
        "city": rng.choice(["Bonn", "Kiel", "Ulm"], 80),
        "label": (age * 60 > income).astype(int),
    }
    return table(frame, categories=["city"], name="people")


@pytest.fixture
def model() -> TorchModule:
    """The rule of the labels itself: logits are 0 and (60 age - income) / 100."""
    net = nn.Linear(4, 2)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[0.0, 0, 0, 0], [0.6, -0.01, 0, 0]]))
        net.bias.zero_()
    return TorchModule(net, outputs="logits")


def rows(campaign: Campaign) -> np.ndarray:
    columns = campaign.findings.select(["input", "shape", "dtype"]).to_pylist()
    return np.stack([stored_array(row["input"], row["shape"], row["dtype"]) for row in columns])


def test_findings_are_valid_rows(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    found = arena(model, people, METHODS, str(tmp_path / "a"), region="spread:0.5", inputs=40, queries=100)
    assert set(found.findings["method"].to_pylist()) >= {"random", "pgd", "deepfool", "gaussian"}
    assert people.features is not None
    values, columns = rows(found), people.features.columns
    for place, one in enumerate(columns):
        assert values[:, place].min() >= one.low
        assert values[:, place].max() <= one.high
    assert (values[:, [0, 2, 3]] == np.rint(values[:, [0, 2, 3]])).all(), "ages, flags and cities are whole"
    seeds = {str(row): people.batch([row]).inputs[0].numpy() for row in range(len(people))}
    starts = np.stack([seeds[name] for name in found.findings["seed_id"].to_pylist()])
    assert (values[:, 3] == starts[:, 3]).all(), "cities are left alone"
    spreads = np.array([one.spread for one in columns[:3]])
    change = np.abs(values - starts)[:, :3] / spreads
    assert change.max() <= 0.5 + 1e-4
    assert found.findings["linf"].to_numpy() == pytest.approx(change.max(axis=1), abs=1e-4)


def test_every_finding_fails_again(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    found = hunt(model, people, "pgd:steps=10", str(tmp_path / "a"), region="spread:0.5", inputs=40)
    assert found.findings.num_rows > 0
    again = model.observe(torch.from_numpy(rows(found))).predicted.numpy()
    assert np.array_equal(again, found.findings["after"].to_numpy())
    assert (again != found.findings["label"].to_numpy()).all()


def test_pgd_finds_what_there_is_to_find(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    """The model is linear: within the region a row breaks if the corner that is worst for it does."""
    found = hunt(model, people, "pgd:steps=40", str(tmp_path / "a"), region="spread:0.5", inputs=80)
    assert people.features is not None
    age, income = people.features.columns[:2]
    inputs = people.batch(range(len(people))).inputs.double().numpy()
    towards = np.where(inputs[:, 0] * 60 > inputs[:, 1], -1, 1)
    years = np.trunc(0.5 * age.spread)
    worst_age = np.clip(inputs[:, 0] + towards * years, age.low, age.high)
    worst_income = np.clip(inputs[:, 1] - towards * 0.5 * income.spread, income.low, income.high)
    breaks = ((worst_age * 60 - worst_income) * -towards) < -0.02
    assert found.rows()[0]["seeds_broken"] == breaks.sum() > 10


def test_a_table_has_its_own_region(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    found = hunt(model, people, "random:iterations=2", str(tmp_path / "a"), inputs=2)
    assert found.region == "spread:0.25"
    for region in ("linf:0.1", "l2:1", "l0:0.5"):
        with pytest.raises(InvalidSetting, match=r"people: the rows of a table are changed within spread:R, .* got l"):
            hunt(model, people, "random", str(tmp_path / "b"), region=region)
    with pytest.raises(InvalidSetting, match="`quantised` is for images, got the table people"):
        hunt(model, people, "random", str(tmp_path / "b"), quantised=True)
    with pytest.raises(InvalidSetting, match=r"spread:0\.1 is for tables, got tensors, inputs of shape \(4,\)"):
        hunt(model, torch.zeros(9, 4), "random", str(tmp_path / "b"), region="spread:0.1")
    codes = table({"a": ["x", "y"] * 4, "b": [1.0] * 8}, categories=["a"])
    with pytest.raises(InvalidData, match="no feature can be changed: all are categories, or equal in all rows"):
        hunt(TorchModule(nn.Linear(2, 2)), codes, "random", str(tmp_path / "b"))
    assert not (tmp_path / "b").exists()


def test_a_campaign_is_resumed_with_the_same_spreads_only(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    found = hunt(model, people, "random:iterations=2", str(tmp_path / "a"), inputs=2)
    assert found.features == people.features
    assert Campaign.at(tmp_path / "a").features == people.features
    assert people.features is not None
    age, *others = people.features.columns
    wider = replace(people, features=Features((replace(age, spread=age.spread + 1), *others)))
    with pytest.raises(InvalidSetting, match=r"begun otherwise \(data\.features\.1\.spread: "):
        hunt(model, wider, "random:iterations=2", str(tmp_path / "a"), inputs=2, resume=True)


def test_exported_rows_have_the_columns_of_the_table(model: TorchModule, people: Examples, tmp_path: Path) -> None:
    hunt(model, people, "pgd:steps=10", str(tmp_path / "a"), region="spread:0.5", inputs=20)
    export(tmp_path / "a", tmp_path / "out")
    lines = (tmp_path / "out" / "findings.csv").read_text().splitlines()
    assert lines[0].endswith(",age,income,smoker,city")
    *_, age, _, smoker, city = lines[1].split(",")
    assert age.isdigit()
    assert smoker in ("0", "1")
    assert city in ("Bonn", "Kiel", "Ulm")


def test_noise_beside_findings_is_in_the_units_of_each_feature(
    model: TorchModule, people: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = hunt(model, people, "pgd:steps=10", str(tmp_path / "a"), region="spread:0.5", inputs=40)
    seen, observe = [], TorchModule.observe

    def recorded(self: TorchModule, x: Tensor, *more: Any) -> Observation:
        seen.append(x)
        return observe(self, x, *more)

    monkeypatch.setattr(TorchModule, "identity", lambda self, shape: found.plan.model.hash)  # it asks about probes
    monkeypatch.setattr(TorchModule, "observe", recorded)
    assert reactions(model, people, found).methods["pgd"].pairs > 5
    ages = torch.cat(seen)[:, 0]
    assert 20 <= ages.min() <= ages.max() <= 80
    assert (ages == ages.round()).all()
