"""Models that exit, fork, are killed or print: the command as a real process."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unnerve.cli._run import full_words
from unnerve.cli._supervisor import Shared, hint, runs_foreign_code, stated_seconds
from unnerve.cli.main import _await_first_answer
from unnerve.core.progress import watched_by
from unnerve.subjects.forms._choice import _words

HOSTILE = """
import os, signal, subprocess, sys, threading, time
from pathlib import Path
import torch
from torch import nn

class Odd(BaseException):
    pass

class Net(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        torch.manual_seed(0)
        self.net, self.act = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)), act

    def forward(self, x):
        if self.act is not None:
            self.act()
        return self.net(x)

def odd():
    raise Odd("as they come")

def slow():
    Path("running").touch()
    time.sleep(0.02)

def chatty():
    print("a line of the model")
    os.write(1, b"a line of a C library\\n")
    subprocess.run(["echo", "a line of a process"], check=True)

def exits(): sys.exit(0)
def raises(): odd()
def leaves(): os._exit(0)
def killed(): os.kill(os.getpid(), signal.SIGKILL)
def forks(): return os.fork() and Net()
def prints(): return chatty() or Net(chatty)
def lingers(): return threading.Thread(target=time.sleep, args=(600,)).start() or Net()

def exits_when_asked(): return Net(lambda: sys.exit(0))
def raises_when_asked(): return Net(odd)
def leaves_when_asked(): return Net(lambda: os._exit(0))
def forks_when_asked(): return Net(os.fork)
def takes_its_time(): return Net(slow)
"""

# A shell that starts a job in the background lets it ignore Ctrl-C; a user at a terminal does not.
START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from unnerve.cli.main import main
sys.exit(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hostile.py").write_text(HOSTILE)
    return tmp_path


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unnerve", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("exits", "hostile.py:exits raised SystemExit: 0"),
        ("raises", "hostile.py:raises raised Odd: as they come"),
        ("leaves", "the code under test ended the process, with exit code 0\n"),
        ("killed", "the process that ran the code under test was killed (SIGKILL), perhaps"),
        ("forks", "hostile.py:forks raised InvalidModel: the code under test called os.fork; its copy would"),
        ("exits_when_asked", "hostile.py:exits_when_asked raised SystemExit on inputs of shape (2, 1, 28, 28): 0"),
        ("raises_when_asked", "hostile.py:raises_when_asked raised Odd on inputs of shape"),
        ("leaves_when_asked", "the code under test ended the process, with exit code 0"),
        ("forks_when_asked", "the code under test called os.fork; its copy would run the command a second time"),
    ],
)
def test_code_that_ends_the_process_is_told_in_one_line(name: str, words: str, folder: Path) -> None:
    done = ran(folder, "inspect", f"hostile.py:{name}", "--shape", "1,28,28", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"unnerve: {words}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["m.JOBLIB", "joblib:m.bin", "pkl:m.bin"])
def test_files_that_end_the_process_are_told_under_any_name(name: str, folder: Path) -> None:
    # What pickle does for an object whose __reduce__ returns (os._exit, (0,)).
    (folder / name.partition(":")[2] if ":" in name else folder / name).write_bytes(b"cposix\n_exit\n(I0\ntR.")
    done = ran(folder, "inspect", name, "--shape", "4", "--trust")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "unnerve: the code under test ended the process, with exit code 0\n"


def test_what_a_model_prints_goes_to_stderr(folder: Path) -> None:
    done = ran(folder, "inspect", "hostile.py:prints", "--shape", "1,28,28", "--json")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["classes"] == 10
    for kind in ("the model", "a C library", "a process"):
        assert f"a line of {kind}\n" in done.stderr


def test_a_thread_that_a_model_leaves_running_does_not_keep_the_command(folder: Path) -> None:
    done = ran(folder, "inspect", "hostile.py:lingers", "--shape", "1,28,28", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["classes"] == 10


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_signals_reach_both_processes(number: signal.Signals, code: int, folder: Path) -> None:
    command = [sys.executable, "-c", START, "rank", "hostile.py:takes_its_time", "mnist5k", "--outputs", "logits"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        limit = time.monotonic() + 120
        while not (folder / "running").exists() and time.monotonic() < limit:
            time.sleep(0.1)
        process.send_signal(number)
        _, shown = process.communicate(timeout=60)  # ends when the process that runs the model is gone, too
    assert process.returncode == code
    assert shown == ("unnerve: stopped\n" if code == 130 else "")
    assert not (folder / "ranking.csv").exists()


def test_where_somebodys_code_is_run() -> None:
    assert runs_foreign_code(["rank", "net.py:build", "mnist5k"])
    assert runs_foreign_code(["rank", "package.module:build", "mnist5k"])
    assert runs_foreign_code(["rank", "net.pt2|jpeg:75", "mnist5k"])
    # Networks of the zoo are ours, and servers run elsewhere.
    for word in _words().keys() - {"zoo", "http", "https"}:
        for text in (f"{word}:net.bin", f"net.{word}" if word not in ("hf", "python") else "hf:folder"):
            for spelled in (text, text.upper(), f"{text}|jpeg:75", f"--other={text}"):
                assert runs_foreign_code(["rank", spelled, "mnist5k"]), spelled
    assert runs_foreign_code(["rank", "hf:folder|jpeg:75", "mnist5k"])
    assert runs_foreign_code(["diff", "zoo:lenet5", "mnist5k", "--other=hf:folder"])
    assert runs_foreign_code(["hunt", "zoo:lenet5", "mnist5k", "--method=mine.py:Search:steps=3"])
    assert not runs_foreign_code(["hunt", "zoo:lenet5|jpeg:75", "mnist5k", "--method", "pgd:steps=3", "--out", "a"])


def test_what_two_processes_share() -> None:
    shared = Shared()
    assert shared.told() == (float("inf"), "", None)
    shared.tell(12.5, "no step ended in 2 s")
    assert shared.told() == (12.5, "no step ended in 2 s", None)
    shared.done(130)
    assert shared.told()[2] == 130


HANGING = """
import time
from pathlib import Path
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, patience, after="runs/hunt/campaign.json"):
        super().__init__()
        self.net, self.patience, self.passes = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)), patience, 0
        self.after = Path(after)
        with torch.no_grad():
            for one in self.net.parameters():
                one.copy_(torch.linspace(-1, 1, one.numel()).sin().view_as(one))

    def forward(self, x):
        # Not before the campaign has begun: how fast it starts must not decide what is said.
        self.passes += self.after.exists()
        if self.passes > self.patience:
            time.sleep(600)
        return self.net(x)

class Mute(nn.Module):
    def forward(self, x):
        time.sleep(600)

def hangs_when_asked(): return Mute()
def hangs(): return Net(0)
def hangs_later(): return Net(6)

calls = 0
def hangs_before_steps(images):
    # A black box that answers once, and never again.
    global calls
    calls += 1
    if calls > 1:
        print("answered before")
        time.sleep(600)
    return torch.full((len(images), 10), 0.1).numpy()

def hangs_after_steps(): return Net(0, after="runs/hunt/stability.json")
def hangs_at_once(): time.sleep(600)
"""


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("hangs_later", ("--seconds", "600", "--step-seconds", "1"), "a step took longer than --step-seconds 1, so"),
        (
            "hangs_later",
            ("--seconds", "8"),
            "--seconds 8 are over and the model does not answer; the process was ended",
        ),
        ("hangs", ("--seconds", "1"), "the model gave no answer for 31 seconds before the first step; the process was"),
    ],
)
def test_deadlines_hold_although_a_model_hangs(name: str, words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HANGING)
    given = ("hunt", f"net.py:{name}", "mnist5k", "--inputs", "20", "--shard", "4", "--method", "pgd:steps=40", *words)
    done = ran(tmp_path, *given, "--limit", "400")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr.splitlines()[-1]
    assert "--resume goes on" in done.stderr.splitlines()[-1]


def test_what_seconds_say_is_read_from_the_words() -> None:
    assert stated_seconds(["hunt", "--seconds", "3"]) == 3
    assert stated_seconds(["hunt", "--seconds=0.5", "x"]) == 0.5
    assert [stated_seconds(["--seconds", one]) for one in ("nan", "inf", "-1", "0", "soon")] == [None] * 5
    assert stated_seconds(["hunt", "--step-seconds", "3"]) is None
    assert stated_seconds(["hunt", "--step-seconds", "3"], "--step-seconds") == 3


@pytest.mark.soak
@pytest.mark.parametrize("name", ["hangs_at_once", "hangs_when_asked"])
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--seconds", "nothing was begun within --seconds 1"),
        ("--step-seconds", "the model gave no answer within --step-seconds 1, and 30 for opening it"),
    ],
)
def test_a_model_that_hangs_while_it_is_opened_is_ended(option: str, words: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HANGING)
    done = ran(tmp_path, "hunt", f"net.py:{name}", "mnist5k", option, "1")
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hangs_before_steps", "the model gave no answer for 136 seconds before the first step"),
        ("hangs_after_steps", "the model gave no answer for 136 seconds after the last step"),
    ],
)
def test_a_model_that_hangs_before_or_after_the_steps_is_ended(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HANGING)
    method = ("--method", "random") if name == "hangs_before_steps" else ("--coverage", "nc")
    given = ("hunt", f"net.py:{name}", "mnist5k", "--inputs", "4", "--limit", "400", *method)
    done = ran(tmp_path, *given, "--step-seconds", "1")
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert ("answered before" in done.stderr) == (name == "hangs_before_steps")


def test_only_what_keeps_its_work_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    more, words = "; --resume goes on with what had begun", ["hunt", "net.py:f", "mnist5k"]
    assert hint(words) == hint([*words, "--out=a"]) == hint([*words, "--out", "runs/b"]) == "", "nothing was begun"
    for folder in ("runs/hunt", "a"):
        Path(folder).mkdir(parents=True)
    assert hint(words) == hint([*words, "--out=a"]) == hint([*words, "--out", "s3://a/b"]) == more
    assert hint([*words, "--out", "runs/b"]) == ""
    Path("runs/rank").mkdir()
    assert hint(["rank", "net.py:f", "mnist5k"]) == ""


@pytest.mark.parametrize(
    ("words", "defaults", "left", "why"),
    [
        ("--seconds 3600 --step-seconds 1", "", 31, "the model gave no answer within --step-seconds 1, and 30 for"),
        ("--seconds 5 --step-seconds 60", "", 35, "nothing was begun within --seconds 5"),
        ("", "seconds = 1", 31, "nothing was begun within --seconds 1"),
        ("", "[defaults.hunt]\nstep-seconds = 1", 31, "the model gave no answer within --step-seconds 1, and 30 for"),
        ("--seconds 7", "seconds = 1", 37, "nothing was begun within --seconds 7"),
        ("--no-defaults", "seconds = 1", None, ""),
        ("", "[defaults.map]\nseconds = 1", None, ""),
        ("", "seconds = [", None, ""),
    ],
)
def test_the_nearer_deadline_holds_also_one_that_the_folder_sets(
    words: str, defaults: str, left: int | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unnerve.toml").write_text(f"[defaults]\n{defaults}\n")
    told: list[tuple[float, str]] = []
    with watched_by(lambda until, said: told.append((until - time.monotonic(), said))):
        _await_first_answer(full_words(["hunt", "net.py:f", "mnist5k", *words.split()]))
    if left is None:
        assert told == []
        return
    ((seconds, said),) = told
    assert left - 5 < seconds <= left
    assert said.startswith(why)


def test_a_default_of_verbs_that_have_it_is_none_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unnerve.toml").write_text("[defaults]\nseconds = 1\n")
    assert full_words(["rank", "net.py:f", "mnist5k"]) == ["rank", "net.py:f", "mnist5k"]
