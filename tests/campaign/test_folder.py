"""Files of a campaign that are no files, or without end: refused before they are read."""

import os
from pathlib import Path

import pytest

from unnerve.campaign._folder import Folder
from unnerve.campaign.store import Store
from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import TEXT, UNPACKED


def sparse(file: Path, size: int) -> None:
    with file.open("wb") as opened:
        opened.truncate(size)


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "campaign.json")
    folder = Folder(str(tmp_path))
    for read in (folder.content, folder.opened):
        with pytest.raises(InvalidData, match=r"campaign\.json must be a file$"):
            read("campaign.json")
    with pytest.raises(InvalidData, match=r"campaign\.json must be a file$"):
        Store(str(tmp_path)).header()


@pytest.mark.parametrize(("name", "most"), [("campaign.json", TEXT), ("stability.json", TEXT), ("shard", UNPACKED)])
def test_files_without_end_are_not_read(name: str, most: int, tmp_path: Path) -> None:
    sparse(tmp_path / name, most + 1)
    with pytest.raises(InvalidData, match=rf"{name} must have <= {most:,} bytes, got {most + 1:,}$"):
        Folder(str(tmp_path)).content(name, most)


def test_a_header_without_end_is_one_line(tmp_path: Path) -> None:
    sparse(tmp_path / "campaign.json", 2**40)
    with pytest.raises(InvalidData, match=r"campaign\.json must have <= 67,108,864 bytes, got 1,099,511,627,776$"):
        Store(str(tmp_path)).header()
