"""``unnerve diagnose``."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

DIAGNOSE = ["diagnose", "zoo:lenet1", "mnist5k", "--inputs", "100"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_sound_network_is_not_accused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DIAGNOSE, "--train", "mnist5k", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["fault"] is None
    assert set(figures["p_values"]) == {"polluted", "overfitted", "underfitted"}
    assert main(DIAGNOSE) == 0
    told = capsys.readouterr().out
    assert "nothing stands out" in told
    assert told.splitlines()[-1] == "Next: unnerve hunt zoo:lenet1 mnist5k --out runs/hunt"
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--level", "2"], "level must be in (0, 1), got 2.0"),
        (["--inputs", "0"], "the number of inputs must be >= 1, got 0"),
        (["--train", "nonsense"], "nonsense"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    assert main([*DIAGNOSE[:3], *more]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_tables_without_training_data_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.py").write_text("from torch import nn\n\n\ndef build():\n    return nn.Linear(2, 3)\n")
    Path("rows.csv").write_text("a,b,label\n0.1,0.2,0\n0.3,0.4,1\n0.5,0.6,2\n")
    assert main(["diagnose", "net.py:build", "rows.csv"]) == 2
    said = capsys.readouterr().err
    assert "give --train, what the model was trained on, to look for under- and overfitting" in said
    assert said.count("\n") == 1
