"""``unnerve report``."""

import json
from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.cli.main import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_one_campaign(capsys: pytest.CaptureFixture[str]) -> None:
    Hunted().campaign(Path("runs") / "a")
    assert main(["report", "runs/a"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Within +-0.1 per pixel")
    report, following = said.out.splitlines()[-2:]
    assert report == "Report: runs/a/report.html"
    assert following.startswith("Next: unnerve hunt zoo:tiny made-up --region linf:0.025 ")
    assert said.err == ""
    assert Path("runs/a/report.html").read_text().startswith("<!doctype html>")


def test_several_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    Hunted().campaign(Path("a"))
    Hunted(methods=("pgd:steps=3",)).campaign(Path("b"))
    assert main(["report", "a", "b", "a", "--out", "both.html", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["report"] == "both.html"
    assert [(row["method"], row["out"]) for row in figures["rows"]] == [("pgd", "a"), ("random", "a"), ("pgd", "b")]
    assert Path("both.html").stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: there is no campaign (campaign.json is missing)"),
        (["a", "--out", "missing/x.html"], "cannot write missing/x.html: there is no folder missing"),
        ([], "Missing argument 'CAMPAIGN"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Hunted(each=0).campaign(Path("a"))
    assert main(["report", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"unnerve: {message}")
    assert said.err.count("\n") == 1
    assert not Path("a/report.html").exists()


def test_several_end_with_their_page_and_one_step(capsys: pytest.CaptureFixture[str]) -> None:
    Hunted().campaign(Path("a"))
    Hunted(region="linf:0.3").campaign(Path("b"))
    assert main(["report", "a", "b", "--out", "both.html"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines].count("Next") == 1
    assert lines[-2] == "Report: both.html"
    assert lines[-1].startswith("Next: unnerve ")
