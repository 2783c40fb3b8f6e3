"""Processes that hunt, export, report or map, and can be killed: see nursery.py."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PATIENCE = 1800.0
"""Seconds after which something is taken to hang: on a busy machine a hunter of a second may take minutes."""


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


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("*"))}


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
