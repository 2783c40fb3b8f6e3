"""Ctrl-C: one line, and the exit code of what was stopped."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLOW = """
import time
from pathlib import Path
import torch

class Slow(torch.nn.Module):
    def forward(self, x):
        Path("running").touch()
        time.sleep(0.05)
        return x.flatten(1)[:, :10]

net = Slow()
"""

# A shell that starts a job in the background lets it ignore Ctrl-C; a user at a terminal does not.
START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from unnerve.cli.main import main
sys.exit(main())
"""


def test_ctrl_c_ends_quietly_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, "-c", START, "rank", "slow.py:net", "mnist5k", "--outputs", "logits"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        try:
            limit = time.monotonic() + 120
            while not (tmp_path / "running").exists() and time.monotonic() < limit:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            _, shown = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert shown == "unnerve: stopped\n"
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"slow.py", "running"}


# Presses Ctrl-C while the first module of some name is being imported, and then lets the import fail.
EARLY = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[-1]:
            os.kill(os.getpid(), signal.SIGINT)
            raise RuntimeError("what an interrupt may become")

sys.meta_path.insert(0, Finder())
from unnerve.cli.main import main
sys.exit(main(["methods", "pgd"]))
"""


@pytest.mark.parametrize("module", ["typer", "unnerve.cli.verbs.rank", "torch", "numpy.random"])
def test_ctrl_c_while_the_command_starts(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", EARLY, module], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "unnerve: stopped\n")


def test_who_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    """A shell without job control starts what runs in the background so."""
    ignoring = EARLY.replace("signal.default_int_handler", "signal.SIG_IGN").replace("raise RuntimeError", "str")
    done = subprocess.run([sys.executable, "-c", ignoring, "torch"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
