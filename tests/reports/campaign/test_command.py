"""The command of a plan."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.command import campaign_command, wider_command


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": ("pgd:steps=7",), "queries": None}, "unnerve hunt zoo:tiny made-up --method pgd:steps=7"),
        ({}, "unnerve arena zoo:tiny made-up --methods pgd,random"),
        ({}, "--region linf:0.1 --inputs 12 --queries 20 --seed 3 --shard 5 --out"),
        ({"oracle": "becomes:2"}, "--target 2"),
        ({"oracle": "changed"}, "--oracle changed"),
        ({"quantised": True}, "--quantised"),
        ({"keep_going": False}, "--stop-at-first"),
        ({"reference": "other"}, "--reference other"),
        ({"data": "my data; rm"}, "'my data; rm'"),
    ],
)
def test_commands(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    assert words in campaign_command(Hunted().but(**changes).campaign(tmp_path / "a"))


def test_what_is_usual_is_not_named(tmp_path: Path) -> None:
    usual = campaign_command(Hunted(reference="made-up").campaign(tmp_path / "a"))
    assert not any(option in usual for option in ("--oracle", "--reference", "--stop-at-first", "--quantised"))
    unlabelled = Hunted(labels=False, oracle="changed")
    assert "--oracle" not in campaign_command(unlabelled.campaign(tmp_path / "b"))


def test_a_wider_hunt_has_twice_the_radius_and_another_folder(tmp_path: Path) -> None:
    words = shlex.split(wider_command(Hunted(region="linf:0.6").campaign(tmp_path / "a")))
    assert words[words.index("--region") + 1] == "linf:1"
    assert words[-1] == f"{tmp_path / 'a'}-wider"
    far = shlex.split(wider_command(Hunted(region="l2:0.6").campaign(tmp_path / "b")))
    assert far[far.index("--region") + 1] == "l2:1.2"
