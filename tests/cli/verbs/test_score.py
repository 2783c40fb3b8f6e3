"""``unnerve score``."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

SCORE = ["score", "zoo:lenet1", "mnist5k", "--inputs", "2"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_scores_are_printed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCORE, "--measure", "clever:batches=10,samples=4", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"measure", "mean", "ci95", "per_example", "report"} <= figures.keys()
    assert len(figures["per_example"]) == 2
    assert main([*SCORE, "--measure", "attack_success", "--attacks", "fgsm", "--out", "a.html"]) == 0
    assert "attack fgsm: " in capsys.readouterr().out
    assert sorted(path.name for path in Path().iterdir()) == ["a.html", "score.html"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--measure", "nonsense"], "unknown measure 'nonsense'"),
        (["--queries", "3"], "--queries is for --measure attack_success"),
        (["--out", "no/such.html"], "cannot write no/such.html"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    assert main([*SCORE, *more]) == 2
    assert message in capsys.readouterr().err
    assert list(Path().iterdir()) == []
