"""Parts of dead processes are removed, and nobody else's."""

import os
import signal
from pathlib import Path

import pytest

from unnerve.core.storage.files import whole_file
from unnerve.core.storage.parts import part_of, remove_dead_parts


def killed(target: Path) -> Path:
    """Return what a process that is killed while it writes leaves."""
    before, child = set(target.parent.iterdir()), os.fork()
    if child == 0:
        with part_of(target) as part:
            part.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (left,) = set(target.parent.iterdir()) - before
    return left


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_dead_ones_part_is_removed_by_the_next_who_writes_the_same(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    left, other = killed(target), killed(tmp_path / "other.csv")
    assert left.name.startswith(".out.csv.")
    with whole_file(target) as part:
        part.write_text("new")
    assert not left.exists()
    assert other.exists(), "of another file"
    assert target.read_text() == "new"


def test_a_living_ones_part_stays(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with part_of(target) as first:
        first.write_text("first")
        with whole_file(target) as second:
            second.write_text("second")
        remove_dead_parts(tmp_path)
        assert first.read_text() == "first"
    assert target.read_text() == "second"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_is_not_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (".notes.part", "out.csv.0123abcd.part", ".out.csv.0123abcd", ".out.csv.0123xyzw.part")
    theirs = [tmp_path / name for name in names]
    for path in theirs:
        path.touch()
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (tmp_path / ".out.csv.01234567.part").symlink_to(precious)
    os.link(precious, tmp_path / ".out.csv.76543210.part")
    os.mkfifo(tmp_path / ".out.csv.00000000.part")
    (tmp_path / ".out.csv.11111111.part").mkdir()
    before = set(tmp_path.iterdir())
    remove_dead_parts(tmp_path)
    assert set(tmp_path.iterdir()) == before
    left = killed(tmp_path / "out.csv")
    monkeypatch.setattr("os.getuid", lambda: 4242)
    remove_dead_parts(tmp_path)
    assert left.exists(), "of another user"
    monkeypatch.undo()
    remove_dead_parts(tmp_path)
    assert set(tmp_path.iterdir()) == before
