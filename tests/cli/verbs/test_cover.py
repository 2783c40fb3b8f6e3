import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

COVER = ["cover", "zoo:lenet1", "mnist5k", "--limit", "60"]
TRAINED = ["--profile", "mnist5k", "--profile-limit", "200"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_criteria_with_the_stable_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COVER, *TRAINED, "--json", "--out", "cover.json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"nc", "kmnc", "nbc", "snac", "tknc", "bknc", "tknp", "neurons"} <= set(figures)
    assert all(0 < figures[name] <= 1 for name in ("nc", "kmnc", "tknc", "bknc"))
    assert figures["neurons"] == 52
    assert figures["inputs"] == 60
    assert figures["profile_inputs"] == 200
    assert {key: value for key, value in json.loads(Path("cover.json").read_text()).items() if key != "seconds"} == {
        key: value for key, value in figures.items() if key != "seconds"
    }


def test_a_saved_profile_gives_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COVER, *TRAINED, "--save-profile", "p.safetensors", "--criteria", "kmnc:100,nbc", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*COVER, "--profile", "p.safetensors", "--criteria", "kmnc:100,nbc", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert {**first, "seconds": 0, "command": ""} == {**again, "seconds": 0, "command": ""}
    assert set(first["criteria"]) == {"kmnc", "nbc"}


def test_some_neurons_and_what_further_inputs_add(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COVER, "--inputs", "5", "--neurons", "pool*", "--criteria", "tknc,tknp", "--also", "mnist5k"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "zoo:lenet1 on mnist5k: 5 inputs, 16 neurons (pool*)"
    assert "with 5,000 inputs of mnist5k" in lines


def test_what_a_campaign_adds(capsys: pytest.CaptureFixture[str]) -> None:
    methods = [
        "--methods",
        "pgd:steps=3,random:iterations=1",
        "--queries",
        "6",
        "--inputs",
        "6",
        "--region",
        "linf:0.3",
    ]
    assert main(["arena", "zoo:lenet1", "mnist5k", *methods, "--out", "runs/a", "--json"]) == 0
    capsys.readouterr()
    assert main([*COVER, "--inputs", "6", *TRAINED, "--also", "runs/a", "--json"]) == 0
    pgd, noise = json.loads(capsys.readouterr().out)["also"]
    assert (pgd["data"], noise["data"]) == ("pgd", "random")
    assert pgd["inputs"] > 0
    assert pgd["gain"]["kmnc"] > 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--criteria", "kmnc"], "kmnc needs the ranges of the neurons on training data: give a profile (--profile"),
        (["--profile", "p.safetensors"], "no such profile: p.safetensors"),
        (["--criteria", "kmc"], "unknown coverage 'kmc'; did you mean kmnc or tknc or bknc?"),
        (["--criteria", "kmnc:sections=0"], "sections must be >= 1, got 0"),
        (["--criteria", "nc", "--neurons", "fc*"], "no layer matches 'fc*'"),
        (["--criteria", "nc", "--save-profile", "p.safetensors"], "--save-profile needs training data: --profile DATA"),
        ([*TRAINED, "--save-profile", "p.npz"], "a profile is written as .safetensors, got 'p.npz'"),
        ([*TRAINED, "--out", "cover.csv"], "figures are written as .json, got 'cover.csv'"),
        ([*TRAINED, "--out", "nowhere/cover.json"], "cannot write nowhere/cover.json: there is no folder nowhere"),
    ],
)
def test_mistakes_are_one_line(more: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COVER, *more]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"unnerve: {message}")
    assert said.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_refuses_the_profile_of_another_model_or_other_neurons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COVER, *TRAINED, "--save-profile", "p.safetensors", "--criteria", "nbc"]) == 0
    capsys.readouterr()
    assert main(["cover", "zoo:lenet4", "mnist5k", "--limit", "9", "--profile", "p.safetensors"]) == 2
    assert capsys.readouterr().err.startswith("unnerve: the profile is of another model: its hash is ")
    assert main([*COVER, "--profile", "p.safetensors", "--neurons", "conv_dense"]) == 2
    assert capsys.readouterr().err.startswith("unnerve: the profile is of other neurons: 52 chosen by ")


def test_a_black_box_has_no_neurons(capsys: pytest.CaptureFixture[str]) -> None:
    Path("box_without_neurons.py").write_text(
        "import numpy as np\ndef ask(x):\n    return np.full((len(x), 10), 0.1, dtype=np.float32)\n"
    )
    assert main(["cover", "box_without_neurons.py:ask", "mnist5k", "--limit", "9", "--criteria", "nc"]) == 2
    assert "coverage needs neurons, which box_without_neurons.py:ask does not offer" in capsys.readouterr().err
