"""``unnerve harden``."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

HUNT = "hunt zoo:lenet1 mnist5k --region linf:0.2 --method pgd:steps=3 --inputs 12 --out runs/a"
HARDEN = "harden zoo:lenet1 mnist5k --limit 80 --from runs/a --attacks fgsm --inputs 4 --clever-inputs 0"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_network_is_hardened_and_the_page_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(HUNT.split()) == 0
    capsys.readouterr()
    words = [*HARDEN.split(), "--repair", "retrain:epochs=1", "--out", "runs/m", "--json"]
    assert main(words) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"accuracy", "attack_success", "replayed", "weights", "report"} <= figures.keys()
    assert Path(figures["weights"]).is_file()
    page = Path(figures["report"]).read_text()
    assert "unnerve harden zoo:lenet1 mnist5k --from runs/a" in page.replace("<span>", "").replace("</span>", "")
    assert "clean accuracy" in page
    assert main([*words[:-1], "--resume"]) == 0
    assert "findings still wrong, trained on" in capsys.readouterr().out
    assert main(words) == 2
    assert "--resume goes on with it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--from runs/none", "there is no campaign"),
        ("--from runs/none --repair nonsense", "there is no campaign"),
        ("--from runs/none --tolerance 2", "tolerance must be in [0, 1), got 2.0"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], more: str, message: str) -> None:
    assert main(["harden", "zoo:lenet1", "mnist5k", *more.split()]) == 2
    assert message in capsys.readouterr().err
    assert list(Path().iterdir()) == []
