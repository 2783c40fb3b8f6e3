"""Every verb with labels shows the accuracy, and is loud where it looks wrong: without weights or normalisation."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

FEW = ["--method", "random", "--inputs", "5", "--queries", "5"]
RUNS = {
    "rank": ["rank", "MODEL", "mnist5k", "--limit", "200"],
    "hunt": ["hunt", "MODEL", "mnist5k", "--limit", "200", *FEW, "--out", "runs/hunt"],
    "arena": ["arena", "MODEL", "mnist5k", "--limit", "200", "--methods", "random,gaussian", *FEW[2:]],
    "cover": ["cover", "MODEL", "mnist5k", "--limit", "200", "--criteria", "nc"],
    "map": ["map", "MODEL", "mnist5k", "--limit", "200", "--attacks", "random", *FEW[2:], "--dropout", "0.2"],
    "inspect": ["inspect", "MODEL", "mnist5k", "--limit", "200"],
    "diagnose": ["diagnose", "MODEL", "mnist5k", "--limit", "200"],
    "react": [
        "react",
        "MODEL",
        "mnist5k",
        "--limit",
        "200",
        "--methods",
        "fgsm",
        "--inputs",
        "20",
        "--region",
        "linf:0.3",
    ],
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("verb", RUNS)
def test_accuracy_is_shown(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [word.replace("MODEL", "zoo:lenet5") for word in RUNS[verb]]
    assert main([*arguments, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["accuracy"] > 0.95
    low, high = figures["accuracy_ci95"]
    assert low < figures["accuracy"] <= high
    assert figures["warnings"] == []


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("verb", RUNS)
def test_a_network_without_its_weights_is_loud(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [word.replace("MODEL", "zoo:lenet5?random") for word in RUNS[verb]]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    for text in (shown.out, *(() if verb == "inspect" else (shown.err,))):
        assert "WARNING: " in text
        assert "near chance" in text
        assert "--weights" in text
    assert "ccuracy" in shown.out
    later = verb in ("cover", "inspect")
    assert shown.out.startswith("WARNING: ") or later, "what makes the rest doubtful comes first"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("model", "loud"), [("zoo:lenet5", False), ("zoo:lenet5?random", True)])
def test_defences_of_a_network_say_how_good_it_is(model: str, loud: bool, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["defend", model, "mnist5k", "--limit", "200", "--defences", "bit_depth:4", "--inputs", "10"]
    assert main([*words, "--report", "defences.html"]) == 0
    shown = capsys.readouterr()
    assert ("WARNING: " in shown.out, "WARNING: " in shown.err) == (loud, loud)
    page = Path("defences.html").read_text()
    assert ("near chance" in page) == loud
    assert "Accuracy" in page
    assert main([*words, "--json"]) == 0
    assert (json.loads(capsys.readouterr().out)["accuracy"] < 0.5) == loud


def test_a_report_is_loud_too() -> None:
    assert main([word.replace("MODEL", "zoo:lenet5?random") for word in RUNS["hunt"]]) == 0
    assert main(["report", "runs/hunt"]) == 0
    assert "near chance" in Path("runs/hunt/report.html").read_text()
