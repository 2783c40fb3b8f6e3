"""``unnerve react``."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

REACT = ["react", "zoo:lenet1", "mnist5k", "--limit", "200"]
SHORT = ["--methods", "pgd:steps=5,random:iterations=1", "--queries", "12", "--inputs", "4", "--region", "linf:0.3"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_short_hunt_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*REACT, *SHORT, "--json", "--top", "5"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["neurons"] == 52
    assert figures["campaign"] == "a short hunt"
    assert figures["methods"]["pgd"]["pairs"] > 0
    assert len(figures["methods"]["pgd"]["top"]) == 5
    assert set(figures["methods"]) | set(figures["nothing_found"]) == {"pgd", "random"}
    assert figures["report"] == "reactions.html"
    assert [path.name for path in Path().iterdir()] == ["reactions.html"]


def test_a_campaign_is_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    arena = ["arena", "zoo:lenet1", "mnist5k", "--limit", "200", *SHORT]
    assert main([*arena, "--out", "runs/a", "--json"]) == 0
    capsys.readouterr()
    assert main([*REACT, "--campaign", "runs/a", "--reaction", "path:2", "--pairs", "2", "--out", "b.html"]) == 0
    text = capsys.readouterr().out
    assert "path (points=2) above 0.02 nats: 32 neurons" in text
    assert text.splitlines()[-2] == "Report: b.html"
    assert text.splitlines()[-1].startswith("Next: unnerve harden zoo:lenet1")
    assert "runs/a" in Path("b.html").read_text()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--campaign", "nowhere"], "nowhere: there is no campaign"),
        (["--campaign", "nowhere", "--methods", "pgd"], "--methods and --region are for a short hunt"),
        (["--out", "no/such.html"], "cannot write no/such.html"),
        ([*SHORT, "--reaction", "nonsense"], "unknown reaction 'nonsense'"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    assert main([*REACT, *more]) == 2
    assert message in capsys.readouterr().err
    assert list(Path().iterdir()) == []
