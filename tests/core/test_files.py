from pathlib import Path

import pytest

from unnerve.core.errors import OutputRefused
from unnerve.core.files import check_writable, whole_file


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
