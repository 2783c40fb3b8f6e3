"""A campaign that was hunted with dropout, and its model as everybody opens it: without."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from torch import nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.hunted_model import as_hunted
from unnerve.subjects.adapters.torch_module import TorchModule

SMALL = "kuk:population=12,iterations=8,mutation=0.1"
MORE: dict[str, Any] = {"pattern": "LL", "draws": 10, "region": "linf:0.3", "inputs": 4}


@pytest.fixture
def campaign(tiny_net: nn.Module, answered: Examples, tmp_path: Path) -> Campaign:
    return unnerve.hunt(tiny_net, answered, SMALL, str(tmp_path / "a"), dropout="vro=0.2", coverage="nc", **MORE)


def test_it_is_verified_covered_and_reacted_to_with_its_model(
    campaign: Campaign, tiny_net: nn.Module, answered: Examples
) -> None:
    assert campaign.coverage is not None
    assert 0 < campaign.plan.model.details["dropout"]["rate"] < 1
    seen = unnerve.verify(campaign, tiny_net)
    assert (seen.held, seen.run_again) == (True, campaign.findings.num_rows)
    assert seen.run_again
    assert unnerve.react(tiny_net, answered, campaign).methods["kuk"].pairs


def test_other_dropout_is_another_model(campaign: Campaign, tiny_net: nn.Module) -> None:
    rate = campaign.plan.model.details["dropout"]["rate"]
    assert unnerve.verify(campaign, unnerve.with_dropout(tiny_net, rate)).held
    with pytest.raises(InvalidSetting, match=r"is not the model of the campaign"):
        unnerve.verify(campaign, unnerve.with_dropout(tiny_net, rate / 2))


def test_an_arena_measures_coverage_too(tiny_net: nn.Module, answered: Examples, tmp_path: Path) -> None:
    found = unnerve.arena(
        tiny_net, answered, SMALL, str(tmp_path / "b"), dropout=0.3, dropout_places="1", coverage="nc", queries=200,
        profile=answered, **MORE,
    )  # fmt: skip
    assert found.coverage is not None
    assert found.plan.model.details["dropout"] == {"rate": 0.3, "places": ["1"]}
    assert unnerve.verify(found, tiny_net).held


def test_without_dropout_nothing_is_noted(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = unnerve.hunt(tiny_model, answered, "random:iterations=1", str(tmp_path / "c"), inputs=2)
    assert "dropout" not in found.plan.model.details
    assert as_hunted(tiny_model, found.plan) is tiny_model


@pytest.mark.parametrize("known", [3, {}, {"rate": 2, "places": None}, {"rate": "x", "places": None}])
def test_what_is_no_dropout_is_damage(known: Any, campaign: Campaign, tiny_model: TorchModule) -> None:
    plan = replace(campaign.plan, model=replace(campaign.plan.model, details={"dropout": known}))
    with pytest.raises(InvalidData, match=r"^campaign\.json is damaged: dropout cannot be "):
        as_hunted(tiny_model, plan)
