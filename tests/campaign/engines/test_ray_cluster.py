"""The Ray engine on a real cluster of two nodes: what ray_story.py saw there."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

STEPS = (
    "in_process driver_killed two_workers one_worker users_file unseen_place unsendable unpackable killing_seed "
    "interrupted node_removed orphans"
)


def told(steps: str, place: Path) -> dict[str, Any]:
    """Have the story told once, by whoever comes first, in a process of its own with a home of its own."""
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "story.json").exists():
            script = Path(__file__).with_name("ray_story.py")
            home = tempfile.mkdtemp(prefix="unnerve")  # short, because the paths of sockets are
            done = subprocess.run(
                [sys.executable, "-W", "error", str(script), str(place), *steps.split()],
                env={**os.environ, "HOME": home, "RAY_TMPDIR": home, "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            shutil.rmtree(home, ignore_errors=True)
            if done.returncode:
                (place / "story.json").write_text(json.dumps({"failed": done.stderr[-4000:]}))
    seen: dict[str, Any] = {"place": str(place), **json.loads((place / "story.json").read_text())}
    assert "failed" not in seen, seen["failed"]
    return seen


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what happened on a real cluster, step by step."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'unnerve[ray]'")
    base = tmp_path_factory.getbasetemp()
    # The processes that run this suite together share one story.
    return told(STEPS, (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ray")


def step(story: dict[str, Any], name: str) -> dict[str, Any]:
    seen: dict[str, Any] = story[name]
    assert "crashed" not in seen, seen["crashed"]
    return seen


def stored(story: dict[str, Any], name: str) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in Path(story["place"], name, "shards").glob("*.parquet")}
    assert len(found) == 12
    return found


def found(story: dict[str, Any], name: str) -> dict[str, list[dict[str, Any]]]:
    tables = {name: pq.read_table(BytesIO(data)) for name, data in stored(story, name).items()}
    return {name: table.to_pylist() for name, table in tables.items()}


def test_one_worker_or_two_find_the_same_bytes(story: dict[str, Any]) -> None:
    assert step(story, "two_workers")["sent"] == 12
    step(story, "one_worker")
    assert stored(story, "two") == stored(story, "one") == stored(story, "local")


def test_a_model_from_a_users_file_works_on_workers(story: dict[str, Any]) -> None:
    assert step(story, "users_file")["rows"][0]["failed"] == 0
    # Another model by its plan, so that seals differ: what was found is the same.
    assert found(story, "users") == found(story, "local")


def test_a_place_that_only_workers_see_is_refused(story: dict[str, Any]) -> None:
    seen = step(story, "unseen_place")
    assert seen["kind"] == "OutputRefused"
    assert seen["said"] == (
        "a worker does not see the campaign in memory://story/unseen; `out` must be a folder that all machines share, "
        "or an address such as s3://bucket/run"
    )


def test_a_model_that_cannot_be_sent_or_unpacked(story: dict[str, Any]) -> None:
    seen = step(story, "unsendable")
    assert seen["kind"] == "InvalidModel"
    assert seen["said"].startswith("locked cannot be sent to other processes (cannot pickle '_thread.lock' object)")
    seen = step(story, "unpackable")
    assert seen["kind"] == "InvalidModel"
    assert "No module named 'known_here_only'" in seen["said"]
    assert len(seen["said"].splitlines()) == 1


def test_a_seed_that_kills_its_worker_is_lost_alone(story: dict[str, Any]) -> None:
    seen = step(story, "killing_seed")
    assert seen["failed"] == {"6": "its worker process died 2 times"}
    assert seen["alone"], "all other seeds found what they find in process"
    assert seen["errors"] > 0
    assert seen["sent"] == 2 + 1 + 5 + 1


def test_an_interrupted_driver_calls_its_tasks_back(story: dict[str, Any]) -> None:
    seen = step(story, "interrupted")
    assert 2 <= seen["kept"] < 12
    assert seen["idle"]
    assert found(story, "interrupted") == found(story, "local")


def test_a_killed_driver_leaves_no_orphans_and_can_be_resumed(story: dict[str, Any]) -> None:
    seen = step(story, "driver_killed")
    assert seen["code"] == -9
    assert seen["company"] > 3, "it had started processes"
    assert seen["workers"] == [], "nobody goes on without it"
    assert step(story, "orphans")["left"] == []
    assert 2 <= seen["kept"] < 12
    assert found(story, "killed") == found(story, "local")


def test_a_node_that_is_lost_costs_nothing(story: dict[str, Any]) -> None:
    seen = step(story, "node_removed")
    assert seen["removed"]
    assert seen["removed"][0] < 60
    assert seen["sent"] > 12, "something had to be done again"
    assert seen["rows"][0]["failed"] == 0
    assert found(story, "removed") == found(story, "local")


@pytest.mark.soak
def test_a_killed_driver_of_somebody_elses_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'unnerve[ray]'")
    story = told("in_process joined_driver_killed orphans", tmp_path / "ray")
    seen = step(story, "joined_driver_killed")
    assert (seen["code"], seen["workers"], step(story, "orphans")["left"]) == (-9, [], [])
    assert found(story, "joined") == found(story, "local")
