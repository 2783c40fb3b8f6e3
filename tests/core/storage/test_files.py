import os
import socket
import stat
from pathlib import Path

import pytest

from unnerve.core.errors import OutputRefused
from unnerve.core.storage.files import check_writable, whole_file


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with whole_file(path) as part:
        part.write_text("half")
        assert not path.exists()
        part.write_text("whole")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def fail_halfway(part: Path) -> None:
    part.write_text("half")
    raise ZeroDivisionError


def test_an_error_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as part:
        fail_halfway(part)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with pytest.raises(OutputRefused, match=r"cannot write .*out\.csv: No space left"), whole_file(path):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_writable(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.csv")
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputRefused, match="it is a folder"):
        check_writable(tmp_path)


def test_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputRefused, match=r"there is no folder .*nowhere"):
        check_writable(tmp_path / "nowhere" / "out.csv")


def test_refuses_what_is_protected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(OutputRefused, match="permission denied"):
        check_writable(tmp_path / "out.csv")


def node(kind: str, path: Path) -> Path:
    """Make something at a path that is no regular file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    elif kind == "device":
        try:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root makes devices")
    return path


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("linked", [False, True])
def test_only_regular_files_are_replaced(kind: str, linked: bool, tmp_path: Path) -> None:
    there = node(kind, tmp_path / "x")
    before = there.lstat()
    path = tmp_path / "link" if linked else there
    if linked:
        path.symlink_to(there)
    with pytest.raises(OutputRefused, match=r"^cannot write .*: it is not a regular file$"):
        check_writable(path)
    with pytest.raises(OutputRefused, match=r": it is not a regular file$"), whole_file(path) as part:
        part.write_text("new")
    after = there.lstat()
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)


def test_what_becomes_a_device_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with pytest.raises(OutputRefused, match="it is not a regular file"), whole_file(path):
        os.mkfifo(path)
    assert stat.S_ISFIFO(path.lstat().st_mode)


def test_of_a_link_the_file_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "there" / "real.csv", tmp_path / "link.csv"
    real.parent.mkdir()
    real.write_text("old")
    link.symlink_to(real)
    with whole_file(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert list(real.parent.iterdir()) == [real]


def test_long_names_have_parts_of_lawful_length(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 125 + ".csv")
    with whole_file(path) as part:
        part.write_text("new")
    assert path.read_text() == "new"
