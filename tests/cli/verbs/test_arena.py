"""Coverage after a campaign, from the command line."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

ARENA = ["arena", "zoo:lenet1", "mnist5k", "--methods", "pgd:steps=3,random:iterations=1", "--queries", "6"]
SMALL = ["--inputs", "6", "--region", "linf:0.3", "--out", "runs/a"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_coverage_is_measured_kept_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--coverage", "nc,kmnc,tknp", "--profile", "mnist5k"]
    assert main([*ARENA, *SMALL, *asked, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["coverage"]
    assert list(figures["criteria"]) == ["nc", "kmnc", "tknp"]
    assert figures["criteria"]["kmnc"]["gain"]["pgd"] > 0
    stored = json.loads(Path("runs/a/coverage.json").read_text())
    assert figures == {key: value for key, value in stored.items() if key != "seal"}
    assert main(["report", "runs/a"]) == 0
    assert "+ pgd" in capsys.readouterr().out
    assert "What the findings add to the coverage of the seeds" in Path("runs/a/report.html").read_text()
    assert main(["report", "runs/a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"] == [figures]


def test_a_finished_campaign_is_measured_later(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARENA, *SMALL, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["coverage"] is None
    assert main([*ARENA, *SMALL, "--resume", "--coverage", "tknc", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["rows"] == first["rows"]
    assert set(again["coverage"]["criteria"]) == {"tknc"}


def test_a_hunt_is_measured_too(capsys: pytest.CaptureFixture[str]) -> None:
    hunt = ["hunt", "zoo:lenet1", "mnist5k", "--method", "pgd:steps=2", *SMALL]
    assert main([*hunt, "--coverage", "nc", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["findings"]["pgd"] > 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--coverage", "all"], "--coverage kmnc needs training data: --profile DATA"),
        (["--coverage", "nonsense"], "unknown coverage 'nonsense'"),
        (["--profile", "mnist5k"], "--profile needs --coverage CRITERIA"),
        (["--coverage", "nbc", "--profile", "no.safetensors"], "no such profile: no.safetensors"),
    ],
)
def test_what_is_wrong_shows_before_the_hunt(capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    assert main([*ARENA, *SMALL, *more]) == 2
    assert message in capsys.readouterr().err
    assert not Path("runs").exists()
