"""Campaigns that are killed, locked out, and run out of disk: real processes on real folders."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaign.hunters import Nursery, shards, wait_for


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], float]:
    """Return the shards of a campaign that nobody disturbed, and how long it took."""
    folder = tmp_path_factory.mktemp("crash") / "whole"
    start = time.monotonic()
    nursery.hunt(folder, resume=False).done()
    took = time.monotonic() - start
    assert len(shards(folder)) == 12
    return shards(folder), took


def test_two_processes_do_not_share_a_folder(
    nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    first = nursery.hunt(folder)
    wait_for((folder / "campaign.json").exists, first)
    os.kill(first.pid, signal.SIGSTOP)  # or it might be done before the second begins
    second = nursery.hunt(folder)
    words = second.done(2)
    os.kill(first.pid, signal.SIGCONT)
    assert words.startswith(f"{folder} is in use by process {first.pid} on ")
    assert words.endswith("; wait for it, or choose another `out`")
    first.done()
    assert shards(folder) == whole[0]


def test_the_lock_of_a_killed_process_is_free(
    nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    first = nursery.hunt(folder)
    wait_for((folder / "campaign.json").exists, first)
    first.kill()
    assert (folder / "campaign.lock").read_text().startswith(f"process {first.pid} on ")
    nursery.hunt(folder).done()
    assert shards(folder) == whole[0]


@pytest.mark.parametrize("begun", [False, True])
def test_files_that_may_not_grow(
    begun: bool, nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    """The system refuses to let a file grow beyond a limit; no file of ours may be left cut off."""
    folder = tmp_path / "a"
    if begun:
        first = nursery.hunt(folder)
        wait_for((folder / "campaign.json").exists, first)
        first.kill()
    words = nursery.hunt(folder, limit=12_000).done(2)
    assert words.startswith(f"cannot write {folder}/{'shards/' if begun else 'seeds.parquet'}")
    assert words.endswith(": File too large")
    assert len(words.splitlines()) == 1
    kept = shards(folder)
    assert kept.items() <= whole[0].items()
    assert bool(kept) == begun
    nursery.hunt(folder).done()
    assert shards(folder) == whole[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a file system with room for 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here: that needs root and a system that lets it")
    yield place
    subprocess.run(["umount", str(place)], check=True)  # noqa: S607


def test_a_disk_that_fills_up(nursery: Nursery, whole: tuple[dict[str, bytes], float], small_disk: Path) -> None:
    folder, ballast = small_disk / "a", small_disk / "ballast"
    ballast.write_bytes(bytes(100 * 1024))
    words = nursery.hunt(folder).done(2)
    assert words.startswith(f"cannot write {folder}/")
    assert words.endswith(": No space left on device")
    kept = shards(folder)
    assert 0 < len(kept) < 12
    assert kept.items() <= whole[0].items(), "what was finished is whole"
    assert nursery.hunt(folder).done(2).endswith(": No space left on device"), "still full, still clear"
    assert shards(folder) == kept
    ballast.unlink()
    nursery.hunt(folder).done()
    assert shards(folder) == whole[0]


@pytest.mark.parametrize("damage", ["cut", "empty"])
def test_an_unreadable_shard_is_set_aside_and_made_again(
    damage: str, nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    nursery.hunt(folder).done()
    file = sorted((folder / "shards").glob("*"))[7]
    data = file.read_bytes()
    file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "noise": os.urandom(len(data))}[damage])
    damaged = file.read_bytes()
    nursery.hunt(folder).done()
    assert shards(folder) == whole[0]
    (aside,) = (folder / "damaged").iterdir()
    assert aside.read_bytes() == damaged, "kept, for whoever wants to know"
