"""What holds for a whole run: how much is said, defaults of the working folder, completion."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from unnerve.cli.main import main

RANK = ["rank", "zoo:lenet1", "mnist5k"]
WARNING = """
import warnings, torch
warnings.warn("old weights\\nin many lines", UserWarning)

class Net(torch.nn.Module):
    def forward(self, x):
        warnings.warn("a slow pass", UserWarning, stacklevel=1)
        return x.flatten(1)[:, :10]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_steps_are_said_when_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RANK, "--limit", "20"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["--verbose", *RANK, "--limit", "20", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["count"] == 20
    steps = [line.partition(" s: ")[2] for line in shown.err.splitlines()]
    assert steps == [
        "opened the model zoo:lenet1",
        "opened the data mnist5k: 20 inputs of shape (1, 28, 28)",
        "wrote ranking.csv",
    ]
    assert main([*RANK, "--limit", "20"]) == 0
    assert capsys.readouterr().err == "", "the next run is not verbose"


def test_loud_and_silent_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RANK, "--verbose", "--quiet"]) == 2
    assert capsys.readouterr().err == "unnerve: --verbose and --quiet exclude each other\n"


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line_without_a_path_and_told_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.py").write_text(WARNING)
    words = ["rank", "net.py:Net", "mnist5k", "--outputs", "logits", "--limit", "3000"]
    assert main(words) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[:2] == ["unnerve: note: old weights in many lines", "unnerve: note: a slow pass"]
    assert all(line.startswith("unnerve: WARNING: net.py:Net: ") for line in told[2:])
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("file", "head"), [("unnerve.toml", "defaults"), ("pyproject.toml", "tool.unnerve.defaults")])
def test_a_folder_has_defaults_of_its_own(
    file: str, head: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / file).write_text(f'[{head}]\nlimit = 30\njson = true\nregion = "l2:1"\n[{head}.rank]\nscore = "gini"\n')
    assert main(RANK) == 0
    shown = capsys.readouterr()
    assert (json.loads(shown.out)["count"], json.loads(shown.out)["score"]) == (30, "gini")
    assert shown.err == f"unnerve: from {file}: --limit 30 --json --score gini\n"
    assert main([*RANK, "--limit=20", "--score", "pv", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert (json.loads(shown.out)["count"], json.loads(shown.out)["score"]) == (20, "pv")
    assert shown.err == ""
    assert main([*RANK, "--limit", "10", "--no-defaults"]) == 0
    assert "10 inputs by pd, most suspect first: ranking.csv" in capsys.readouterr().out.splitlines()


def test_the_command_of_a_report_has_the_defaults_in_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[defaults.hunt]\nregion = "linf:0.3"\ninputs = 3\nmethod = ["random", "fgsm"]\n'
    (folder / "unnerve.toml").write_text(text)
    assert main(["hunt", "zoo:lenet1", "mnist5k", "--out", "runs/a"]) == 0
    assert main(["report", "runs/a", "--quiet"]) == 0
    page = (folder / "runs/a/report.html").read_text()
    assert "--method random,fgsm" in page
    # Options stand in elements of their own, so that lines break between them.
    assert "--region linf:0.3 --inputs 3" in re.sub("</?span>", "", page)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[defaults", "unnerve.toml cannot be read: Expected ']'"),
        ("defaults = 3", "unnerve.toml: defaults must be a table"),
        ("[defaults]\nlimt = 3", "unknown option in the defaults of unnerve.toml 'limt'; did you mean limit"),
        ("[defaults.rnk]\nlimit = 3", "unknown verb in the defaults of unnerve.toml 'rnk'; did you mean rank"),
        ("[defaults.rank]\nregion = 3", "unknown option of rank in the defaults of unnerve.toml 'region'"),
        ("[defaults]\nlimit = true", "unnerve.toml: limit must be a text or a number, got True"),
        ("[defaults]\njson = 1", "unnerve.toml: json must be true or false, got 1"),
        ("[defaults]\nlimit = [[1]]", "unnerve.toml: limit must be a text, a number or a list of them, got [[1]]"),
        ("[defaults]\ntrust = true", "--trust must be typed, and cannot be a default"),
    ],
)
def test_wrong_defaults_are_one_line(text: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "unnerve.toml").write_text(text)
    assert main(RANK) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"unnerve: {message}")
    assert shown.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["unnerve.toml"]
    assert main(["rank", "--help"]) == 0, "help is there all the same"


@pytest.mark.parametrize(("typed", "offered"), [("unnerve ra", ["rank"]), ("unnerve rank --sc", ["--score"])])
def test_shells_complete_words_without_torch(typed: str, offered: list[str]) -> None:
    place = {"_UNNERVE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    check = (
        "import sys; from unnerve.cli.main import main; code = main(); print('torch' in sys.modules); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, env={**os.environ, **place}
    )
    assert done.stdout.split() == [*offered, "False"]
    assert done.stderr == ""


def test_completion_can_be_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for option in ("--install-completion", "--show-completion", "--verbose", "--quiet", "--no-defaults", "--debug"):
        assert option in shown
