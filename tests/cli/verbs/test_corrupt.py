"""``unnerve corrupt``."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

CORRUPT = ["corrupt", "zoo:lenet1", "mnist5k", "--inputs", "20", "--changes", "rotation,fog"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_figures_are_printed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CORRUPT, "--json", "--out", "changed.npz"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["inputs"] == 20
    assert set(figures["changes"]) == {"rotation", "fog"}
    assert set(figures["changes"]["fog"]["accuracy"]) == {"1", "2", "3", "4", "5"}
    assert main([*CORRUPT, "--severities", "5", "--report", "r.html"]) == 0
    assert "mean corruption error" in capsys.readouterr().out
    assert sorted(path.name for path in Path().iterdir()) == ["changed.npz", "corruption.html", "r.html"]
    assert "--report r.html" in Path("r.html").read_text()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--changes", "snow"], "changes must be all or some of"),
        (["--severities", "6"], "severities must be some of 1,2,3,4,5, each once, got '6'"),
        (["--out", "changed.zip"], "a changed set is written as .npz, got 'changed.zip'"),
        (["--report", "no/such.html"], "cannot write no/such.html"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    assert main([*CORRUPT[:5], *more]) == 2
    assert message in capsys.readouterr().err
    assert list(Path().iterdir()) == []
