"""The lock of a folder is a plain file of its own: nothing else is ever written to."""

import os
from pathlib import Path

import pytest

from unnerve.campaign._lock import locked
from unnerve.core.errors import OutputRefused


def test_the_lock_names_its_owner_and_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "campaign.lock"
    with locked(str(path), "runs/a"):
        assert path.read_text().startswith(f"process {os.getpid()} on ")
        words = rf"^runs/a is in use by process {os.getpid()} on .*; wait for it, or choose another `out`$"
        with pytest.raises(OutputRefused, match=words), locked(str(path), "runs/a"):
            pass
    with locked(str(path), "runs/a"):
        pass


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_not_followed(there: bool, tmp_path: Path) -> None:
    precious, path = tmp_path / "precious", tmp_path / "campaign.lock"
    if there:
        precious.write_text("precious")
    path.symlink_to(precious)
    words = r"campaign\.lock is a link, and must not be one; remove it$"
    with pytest.raises(OutputRefused, match=words), locked(str(path), "runs/a"):
        pass
    assert precious.exists() == there
    assert not there or precious.read_text() == "precious"


def test_other_names_of_a_file_and_pipes_are_refused(tmp_path: Path) -> None:
    precious, path = tmp_path / "precious", tmp_path / "campaign.lock"
    precious.write_text("precious")
    os.link(precious, path)
    with pytest.raises(OutputRefused, match="must be a plain file with one name"), locked(str(path), "runs/a"):
        pass
    assert precious.read_text() == "precious"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OutputRefused, match="must be a plain file with one name"), locked(str(path), "runs/a"):
        pass
