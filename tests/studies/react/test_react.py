"""React: of a campaign, or of a short hunt."""

import json
from pathlib import Path
from typing import Any

import pytest

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import arena
from unnerve.studies.hunt.settings import HuntSettings
from unnerve.studies.react.react import react
from unnerve.studies.react.reactions import reactions
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.adapters.torch_module import TorchModule

SHORT: dict[str, Any] = {"region": "linf:0.3", "inputs": 6, "queries": 14}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def campaign(tiny_model: TorchModule, answered: Examples) -> Campaign:
    return arena(tiny_model, answered, "pgd:steps=6,random:iterations=1", "runs/a", **SHORT)


def figures(found: Any) -> dict[str, Any]:
    return {**found.summary(), "seconds": 0, "campaign": ""}


def test_a_short_hunt_leaves_nothing_behind(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = react(tiny_model, answered, methods="pgd:steps=6,random:iterations=1", **SHORT)
    assert found.campaign == "a short hunt"
    assert found.methods["pgd"].pairs > 0
    assert set(found.methods) | set(found.nothing) == {"pgd", "random"}
    assert list(tmp_path.iterdir()) == []
    json.dumps(found.summary(), allow_nan=False)


def test_a_short_hunt_finds_what_a_campaign_with_the_same_settings_does(
    tiny_model: TorchModule, answered: Examples, campaign: Campaign
) -> None:
    short = react(tiny_model, answered, methods=["pgd:steps=6", "random:iterations=1"], reaction="taylor", **SHORT)
    looked_at = react(tiny_model, answered, campaign, reaction="taylor")
    assert figures(short) == figures(looked_at)
    assert looked_at.campaign == "runs/a"


def test_a_campaign_is_taken_or_opened(tiny_model: TorchModule, answered: Examples, campaign: Campaign) -> None:
    told: list[tuple[int, int]] = []
    taken = react(tiny_model, answered, campaign, top=3, pairs=2, progress=lambda *step: told.append(step))
    opened = react(tiny_model, answered, Path("runs/a"), settings=ReactSettings(top=3, pairs=2))
    assert figures(taken) == figures(opened)
    assert figures(taken) == figures(reactions(tiny_model, answered, campaign, ReactSettings(top=3, pairs=2)))
    assert taken.top == 3
    assert taken.methods["pgd"].pairs == 2
    assert told[-1][0] == told[-1][1]


def test_the_seed_is_one_for_hunt_and_noise(tiny_model: TorchModule, answered: Examples, campaign: Campaign) -> None:
    other = react(tiny_model, answered, campaign, seed=1)
    assert figures(other) == figures(reactions(tiny_model, answered, campaign, seed=1))
    assert figures(other) != figures(react(tiny_model, answered, campaign))


@pytest.mark.parametrize("more", [{"methods": "pgd"}, {"region": "linf:0.1"}, {"hunt": HuntSettings(region="l2:1")}])
def test_a_campaign_brings_its_own_methods_and_region(
    more: dict[str, Any], tiny_model: TorchModule, answered: Examples, campaign: Campaign
) -> None:
    with pytest.raises(
        InvalidSetting, match=r"^`methods` and `region` are for a short hunt; `campaign` brings its own$"
    ):
        react(tiny_model, answered, campaign, **more)


def test_what_does_not_fit_is_refused(tiny_model: TorchModule, answered: Examples) -> None:
    with pytest.raises(InvalidData, match=r"^nowhere: there is no campaign \(campaign\.json is missing\)$"):
        react(tiny_model, answered, "nowhere")
    with pytest.raises(UnknownName, match="unknown hunter 'nobody'"):
        react(tiny_model, answered, methods="nobody", **SHORT)
    with pytest.raises(UnknownName, match="unknown setting of react 'pair'; did you mean pairs"):
        react(tiny_model, answered, pair=3)
    with pytest.raises(InvalidData, match="no error was found, so there is nothing to react to"):
        react(tiny_model, answered, methods="gaussian:deviation=1e-06,iterations=1", **SHORT)
    with pytest.raises(InvalidSetting, match=r"^threshold must be a finite number, got nan$"):
        react(tiny_model, answered, threshold=float("nan"))


def test_is_a_public_function() -> None:
    assert unnerve.react is react
