"""Models that exit, raise, fork, lie, print or are killed: hunted, ranked and inspected, as real processes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HOSTILE = Path(__file__).with_name("hostile.txt")
NAMES = [
    line.split("(")[0].removeprefix("def ")
    for line in HOSTILE.read_text().splitlines()
    if line.startswith("def ") and not line.startswith(("def said", "def recursion_within"))
]
FEW = ["nans"]
LINES = {
    "hunt": "data.npz --inputs 4 --method fgsm --region linf:1 --proofs 2 --seconds 60 --step-seconds 60",
    "rank": "data.npz",
    "inspect": "--shape 1,4,4",
}
DONE = {"hunt": "inputs", "rank": "count", "inspect": "classes"}
"""What the JSON of a verb must have at least one of: who says that it is done has done something."""


def ran(verb: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "net.py").write_text(HOSTILE.read_text())
    inputs = np.random.default_rng(3).random((8, 1, 4, 4), dtype=np.float32)
    np.savez(folder / "data.npz", x=inputs)
    command = [sys.executable, "-m", "unnerve", verb, f"net.py:{name}", *LINES[verb].split(), "--json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)


def check(verb: str, name: str, folder: Path) -> None:
    done = ran(verb, name, folder)
    assert done.returncode in (0, 2, 130), f"{done.returncode}: {done.stderr[-600:]}"
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert json.loads(done.stdout)[DONE[verb]] >= 1
    else:
        assert done.stdout == ""
        assert any(line.startswith("unnerve: ") for line in done.stderr.splitlines()), done.stderr[-600:]


@pytest.mark.tried("hostile models")
@pytest.mark.parametrize("name", FEW)
def test_a_few_hostile_models(name: str, tmp_path: Path) -> None:
    check("hunt", name, tmp_path)


@pytest.mark.soak
@pytest.mark.tried("hostile models")
@pytest.mark.parametrize("verb", LINES)
@pytest.mark.parametrize("name", NAMES)
def test_hostile_models(name: str, verb: str, tmp_path: Path) -> None:
    check(verb, name, tmp_path)


def test_there_are_thirty() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 30
    assert set(FEW) <= set(NAMES)
