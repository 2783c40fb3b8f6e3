"""The command that repeats a campaign, and others made from it."""

import shlex
from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.core.data.provenance import Call
from unnerve.reports.campaign.command import coverage_command, wider_command
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.page import CampaignPage, campaign_page

OPTIONS = {"weights": "my w.pt", "normalise": "0.1/0.3"}


def page(*made: Hunted, folder: Path) -> CampaignPage:
    campaigns = [one.campaign(folder / str(place)) for place, one in enumerate(made)]
    return campaign_page(evidence(campaigns), None, "today")


def test_a_page_has_the_command_with_how_the_model_was_opened(tmp_path: Path) -> None:
    shown = page(Hunted(data="my data; rm", options=OPTIONS), folder=tmp_path)
    words = [
        "hunt",
        "zoo:tiny",
        "my data; rm",
        "--region",
        "linf:0.1",
        "--inputs",
        "12",
        "--out",
        f"{tmp_path}/0-again",
    ]
    assert shlex.split(shown.command) == ["unnerve", *words, "--weights", "my w.pt", "--normalise", "0.1/0.3"]
    assert "'my data; rm'" in shown.command
    assert shown.command_note == "It repeats the run into a folder of its own."


def test_what_exists_only_in_python_is_said_and_no_command_is_shown(tmp_path: Path) -> None:
    shown = page(Hunted(in_python=True), folder=tmp_path)
    assert (shown.command, shown.stronger, shown.coverage_command) == ("", "", "")
    assert shown.command_note == "No command repeats this run: its model and its data exist only in Python."
    method = page(Hunted(call=Call("hunt", {}, ("method",))), folder=tmp_path / "b")
    assert method.command_note == "No command repeats this run: its method exists only in Python."
    assert page(Hunted(call=None), folder=tmp_path / "c").command_note.startswith(
        "No command repeats this: it was made"
    )


def test_campaigns_side_by_side_have_a_line_each(tmp_path: Path) -> None:
    shown = page(Hunted(), Hunted(in_python=True), Hunted(call=Call("arena")), folder=tmp_path)
    assert [line.split()[1] for line in shown.command.splitlines()] == ["hunt", "arena"]
    assert f"{tmp_path}/1: No command repeats this run: " in shown.command_note


def test_a_wider_hunt_has_twice_the_radius_and_another_folder(tmp_path: Path) -> None:
    words = shlex.split(wider_command(Hunted(region="linf:0.6", options=OPTIONS).campaign(tmp_path / "a")))
    assert words[words.index("--region") + 1] == "linf:1"
    assert words[words.index("--out") + 1] == f"{tmp_path / 'a'}-wider"
    assert words[words.index("--weights") + 1] == "my w.pt"
    far = shlex.split(wider_command(Hunted(region="l2:0.6").campaign(tmp_path / "b")))
    assert far[far.index("--region") + 1] == "l2:1.2"


def test_coverage_is_measured_in_the_same_folder(tmp_path: Path) -> None:
    line = coverage_command(Hunted().campaign(tmp_path / "a"))
    assert line.endswith(f"--out {tmp_path / 'a'} --coverage all --profile made-up --resume")
