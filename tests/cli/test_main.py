import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unnerve
from unnerve.cli.main import main


def test_no_arguments_and_help_show_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for verb in ("demo", "rank", "train", "download", "inspect", "reproduce", "methods"):
        assert f"  {verb} " in shown


@pytest.mark.parametrize("verb", ["demo", "rank", "train", "download", "inspect", "reproduce", "methods"])
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert f"unnerve {verb}" in capsys.readouterr().out.replace("Usage: unnerve", "Usage:")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"unnerve {unnerve.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnk"], "unnerve: No such command 'rnk'."),
        (["rank"], "unnerve: Missing argument 'MODEL'."),
        (["rank", "zoo:lenet5", "mnist5k", "--seed", "x"], "unnerve: Invalid value for '--seed'"),
        (["rank", "zoo:lenet6", "mnist5k"], "unnerve: unknown zoo model 'lenet6'; did you mean lenet5"),
        (["rank", "zoo:lenet5", "mnist5"], "unnerve: unknown data set 'mnist5'; did you mean mnist5k"),
        (["rank", "zoo:lenet5", "mnist5k", "--score", "pdd"], "unnerve: unknown score 'pdd'; did you mean pd?"),
        (["rank", "zoo:lenet5", "mnist5k", "--score", ","], "unnerve: --score must name a score"),
        (["rank", "zoo:lenet5", "mnist5k", "--workers", "0"], "unnerve: workers must be >= 1, got 0"),
        (["rank", "zoo:lenet5", "mnist5k", "--normalise", "1"], "unnerve: --normalise must be MEAN/STD, got '1'"),
        (["rank", "zoo:lenet5", "mnist5k", "--out", "r.txt"], "unnerve: a ranking is written as .csv or .parquet"),
        (
            ["rank", "zoo:lenet5", "mnist5k", "--out", "no/r.csv"],
            "unnerve: cannot write no/r.csv: there is no folder no",
        ),
        (["rank", "zoo:lenet5", "mnist5k", "--inputs", "0"], "unnerve: inputs must be >= 1, got 0"),
        (["rank", "zoo:lenet5", "npz:no.npz"], "unnerve: npz: the file must exist"),
        (["inspect", "zoo:lenet5", "--shape", "a"], "unnerve: --shape must be whole numbers with commas, got 'a'"),
        (
            ["inspect", "zoo:lenet1", "--neurons", "dense*"],
            "unnerve: no layer matches 'dense*'; layers are: conv1, relu1, pool1, conv2, relu2, pool2, flatten, logits",
        ),
        (["methods", "pgdd"], "unnerve: unknown method 'pgdd'"),
        (["reproduce", "kukk", "--data", "."], "unnerve: unknown paper 'kukk'"),
        (["train", "lenet5", "digits"], "unnerve: zoo:lenet5 raised RuntimeError on inputs of shape"),
    ],
)
def test_mistakes_get_one_line_exit_code_2_and_leave_nothing(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(message)
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_our_own_fault_is_exit_code_3(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.main.get_command", lambda app: 1 / 0)
    assert main([]) == 3
    assert "internal error, ZeroDivisionError" in capsys.readouterr().err


def command(words: str) -> list[str]:
    return [sys.executable, "-m", "unnerve", *words.split()]


@pytest.mark.parametrize("words", ["methods", "methods --json", "--help", "inspect --help", "--version"])
def test_output_that_cannot_be_written_is_one_line(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command(words), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "unnerve: cannot write to stdout: No space left on device\n")


@pytest.fixture(scope="module")
def small_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "run"
    data = unnerve.examples("mnist5k")
    unnerve.hunt("zoo:lenet5", data, "fgsm", str(folder), region="linf:0.1", inputs=2)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "rank zoo:lenet5 mnist5k --limit 5 --out ranked.csv",
        "hunt zoo:lenet5 mnist5k --limit 5 --inputs 2 --method fgsm --region linf:0.1 --out hunted --json",
        "verify RUN",
    ],
)
def test_results_that_cannot_be_written_are_one_line(words: str, small_campaign: Path, tmp_path: Path) -> None:
    typed = command(words.replace("RUN", str(small_campaign)))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(typed, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "unnerve: cannot write to stdout: No space left on device\n")


@pytest.mark.parametrize("words", ["methods", "methods --json", "--help", "inspect --help", "--version"])
def test_a_reader_that_has_seen_enough_is_no_gate_that_failed(words: str) -> None:
    with subprocess.Popen(command(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.close()  # as head does
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_names_that_a_terminal_cannot_show_are_shown_otherwise(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\nnet = torch.nn.Flatten()\nnet.__class__.__name__ = 'x'\n")
    words = [*command("inspect"), f"{tmp_path}/net.py:\u00e9\x1b[31m"]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 2
    assert done.stderr.startswith("unnerve: a model must be")
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_limit_is_judged_although_nobody_reads_on(small_campaign: Path, tmp_path: Path) -> None:
    shutil.copytree(small_campaign, tmp_path / "run")
    next((tmp_path / "run" / "shards").glob("*.parquet")).write_bytes(b"PAR1")
    with subprocess.Popen(command(f"verify {tmp_path}/run"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 1
