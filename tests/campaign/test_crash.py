"""Campaigns that are killed, locked out, and run out of disk: real processes on real folders."""

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
PATIENCE = 120.0


class Hunter:
    """A process that hunts."""

    def __init__(self, pid: int) -> None:
        self.pid, self.code, self.said, self.ended = pid, 0, "", threading.Event()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        assert self.ended.wait(PATIENCE)
        assert self.code == -signal.SIGKILL

    def done(self, code: int = 0) -> str:
        assert self.ended.wait(PATIENCE), "it does not end"
        assert self.code == code, self.said
        return self.said


class Nursery:
    """Starts hunters quickly: see nursery.py."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "nursery.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline()) == {"ready": True}
        self.hunters: dict[int, Hunter] = {}
        self.born = threading.Semaphore(0)
        self.newest: Hunter | None = None
        self.reader = threading.Thread(target=self._listen, daemon=True)
        self.reader.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            news = json.loads(line)
            hunter = self.hunters.setdefault(news["pid"], Hunter(news["pid"]))
            hunter.said += news.get("said", "")
            if "code" in news:
                hunter.code = news["code"]
                hunter.ended.set()
            elif "said" not in news:
                self.newest = hunter
                self.born.release()

    def hunt(self, out: Path, resume: bool = True, **more: Any) -> Hunter:
        """Start a hunter, in a process of its own."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"out": str(out), "resume": resume, **more}) + "\n")
        self.process.stdin.flush()
        assert self.born.acquire(timeout=PATIENCE)
        assert self.newest is not None
        return self.newest

    def close(self) -> None:
        """End all hunters and the nursery."""
        for hunter in self.hunters.values():
            if not hunter.ended.is_set():
                os.kill(hunter.pid, signal.SIGKILL)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("*"))}


@pytest.fixture(scope="module")
def whole(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], float]:
    """Return the shards of a campaign that nobody disturbed, and how long it took."""
    folder = tmp_path_factory.mktemp("crash") / "whole"
    start = time.monotonic()
    nursery.hunt(folder, resume=False).done()
    took = time.monotonic() - start
    assert len(shards(folder)) == 12
    return shards(folder), took


def wait_for(condition: Callable[[], bool], hunter: Hunter) -> None:
    """Wait, closely, until something is so or the hunter has ended."""
    while not condition() and not hunter.ended.is_set():
        time.sleep(0.0002)


def half_written(folder: Path) -> bool:
    """Say whether a shard is being written now."""
    try:
        return any(name.endswith(".part") for name in os.listdir(folder / "shards"))  # noqa: PTH208 - quick
    except FileNotFoundError:
        return False


def killed_and_resumed(
    kills: int, nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> tuple[int, int]:
    """Kill hunters at random moments until that has been done so often; check every campaign at its end."""
    seed = secrets.randbits(32)
    chance = random.Random(seed)  # noqa: S311 - no secret
    expected, took = whole
    done = partial = place = 0
    while done < kills:
        folder = tmp_path / f"campaign{place}"
        place += 1
        while True:
            last = done >= kills
            hunter = nursery.hunt(folder)
            if not last:
                if done % 2:
                    time.sleep(chance.uniform(0, took / 3))
                else:
                    time.sleep(chance.uniform(0, took / 6))
                    wait_for(lambda folder=folder: half_written(folder), hunter)  # type: ignore[misc]
                try:
                    hunter.kill()
                except (ProcessLookupError, AssertionError):
                    assert hunter.ended.wait(PATIENCE)
            else:
                assert hunter.ended.wait(PATIENCE)
            if hunter.code == 0:
                break
            assert hunter.code == -signal.SIGKILL, f"{hunter.said} (random seed {seed})"
            done += 1
            partial += half_written(folder)
            left = shards(folder)
            visible = {name: data for name, data in left.items() if not name.endswith(".part")}
            assert visible.items() <= expected.items(), f"a shard differs (random seed {seed})"
        assert shards(folder) == expected, f"the end differs (random seed {seed})"
    return done, partial


def test_killed_at_random_moments(nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path) -> None:
    done, partial = killed_and_resumed(8, nursery, whole, tmp_path)
    assert done == 8
    assert partial > 0, "at least one was killed while it wrote"


@pytest.mark.soak
def test_killed_at_very_many_moments(nursery: Nursery, whole: tuple[dict[str, bytes], float], tmp_path: Path) -> None:
    done, partial = killed_and_resumed(50, nursery, whole, tmp_path)
    assert done == 50
    assert partial > 5


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
