"""Campaigns on a real Ray cluster of two nodes, in a process of their own: ``ray_story.py FOLDER [STEP...]``.

The steps share the cluster and its workers, whose start costs more than everything else. What each step saw is
written to ``FOLDER/story.json``; what it means is for the tests to say. ``ray_story.py FOLDER driver ADDRESS`` is a
driver that is there to be killed.
"""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.campaign import nursery
from unnerve.campaign.engines import ray as engine
from unnerve.campaign.engines.local import Local
from unnerve.campaign.engines.ray import Ray
from unnerve.core.errors import UserError
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import Progress, hunt
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model as as_model

ray: Any = import_module("ray")
cluster_utils: Any = import_module("ray.cluster_utils")

METHOD = "guided:search=pso(particles=10,iterations=8)"
MARK = 0.123
USERS_FILE = f"""
import os
import time
import torch
from pathlib import Path
from torch import nn

class Touchy(nn.Module):
    def __init__(self, nap, trap=None):
        super().__init__()
        self.home, self.nap, self.trap = os.getpid(), nap, trap
        torch.manual_seed(8)
        dense = nn.Linear(96, 5)
        self.net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), dense)
        dense.weight.data.mul_(12)

    def forward(self, x):
        if os.getpid() != self.home:
            if self.trap:
                self.wait()
            time.sleep(self.nap)
            if bool((x[:, 0, 0, 0] == {MARK}).any()):
                os._exit(7)
        return self.net(x)

    def wait(self):
        if "DOOMED" in os.environ:
            self.trap.touch()
            time.sleep(300)
        until = time.monotonic() + 60
        while not self.trap.exists() and time.monotonic() < until:
            time.sleep(0.02)

def build():
    return Touchy(0.0).eval()

def sleepy():
    return Touchy(0.03).eval()

def trapped():
    return Touchy(0.03, Path(__file__).with_name("trap")).eval()
"""


class Story:
    """What the steps share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "users.py").write_text(USERS_FILE)
        self.model = nursery.subject()
        self.data = nursery.pictures(self.model)
        self.cluster = cluster_utils.Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        self.second = self.cluster.add_node(num_cpus=1, env_vars={"DOOMED": "yes"})
        ray.init(self.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        self.sent = 0
        usual = engine._TaskPool._send

        def counted(pool: Any, task: Any) -> None:
            self.sent += 1
            usual(pool, task)

        vars(engine)["_TaskPool"]._send = counted

    def hunt(self, name: str, on: Any = None, **more: Any) -> Campaign:
        """Hunt in a folder of that name, on the cluster unless another engine is given."""
        given = {"region": "linf:0.2", "inputs": 60, "shard": 5, "engine": on or Ray(), **more}
        model, data = given.pop("model", self.model), given.pop("data", self.data)
        out = given.pop("out", str(self.folder / name))
        return hunt(model, data, given.pop("method", METHOD), out, **given)

    def users(self, name: str) -> Any:
        """Return a model from a user's file: the same network, but touchy, and perhaps sleepy or trapped."""
        return as_model(f"{self.folder}/users.py:{name}", outputs="logits")

    def refused(self, name: str, **more: Any) -> dict[str, Any]:
        """Return what is said to who hunts so."""
        try:
            self.hunt(name, **more)
        except UserError as problem:
            return {"kind": type(problem).__name__, "said": str(problem)}
        return {"kind": "", "said": "nothing"}

    def in_process(self) -> dict[str, Any]:
        return {"rows": self.hunt("local", Local()).rows()}

    def two_workers(self) -> dict[str, Any]:
        self.sent = 0
        campaign = self.hunt("two")
        return {"sent": self.sent, "rows": campaign.rows()}

    def one_worker(self) -> dict[str, Any]:
        return {"rows": self.hunt("one", Ray(workers=1)).rows()}

    def users_file(self) -> dict[str, Any]:
        return {"rows": self.hunt("users", model=self.users("build")).rows()}

    def unseen_place(self) -> dict[str, Any]:
        engine._ARRIVAL = 0.3
        return self.refused("unseen", out="memory://story/unseen")

    def unsendable(self) -> dict[str, Any]:
        net = nursery.subject().module
        vars(net)["lock"] = threading.Lock()
        return self.refused("unsendable", model=TorchModule(net, "locked", "logits"))

    def unpackable(self) -> dict[str, Any]:
        """A model of a class that only this process knows."""
        hidden = ModuleType("known_here_only")
        exec(USERS_FILE, vars(hidden))  # noqa: S102 - our own text
        sys.modules["known_here_only"] = hidden
        return self.refused("unpackable", model=TorchModule(hidden.build(), "hidden", "logits"))

    def killing_seed(self) -> dict[str, Any]:
        model = self.users("build")
        images = self.data.batch(range(10)).inputs.clone()
        images[6, 0, 0, 0] = MARK
        data = tensors(images, model.observe(images).predicted, name="marked")
        self.sent = 0
        more: dict[str, Any] = {"model": model, "data": data, "inputs": 10}
        found = self.hunt("killing", **more)
        (tally,) = found.tallies.values()
        return {
            "sent": self.sent,
            "failed": {seed.id: seed.failed for seed in tally.seeds if seed.failed},
            "alone": self._without(self.hunt("killing-local", Local(), **more), "6") == self._without(found, "6"),
            "errors": found.summary()["errors"],
        }

    def _without(self, campaign: Campaign, seed: str) -> Any:
        (tally,) = campaign.tallies.values()
        rows = [row for row in campaign.findings.to_pylist() if row["seed_id"] != seed]
        return rows, [one for one in tally.seeds if one.id != seed]

    def interrupted(self) -> dict[str, Any]:
        def stop(progress: Progress) -> None:
            if progress.seeds >= 10:
                raise KeyboardInterrupt

        try:
            self.hunt("interrupted", model=self.users("sleepy"), progress=stop)
        except KeyboardInterrupt:
            kept = len(list((self.folder / "interrupted" / "shards").glob("*.parquet")))
        idle = self._idle()
        return {
            "kept": kept,
            "idle": idle,
            "rows": self.hunt("interrupted", model=self.users("sleepy"), resume=True).rows(),
        }

    def _idle(self, patience: float = 60) -> bool:
        """Wait until no worker has anything to do."""
        until = time.monotonic() + patience
        while ray.available_resources().get("CPU") != ray.cluster_resources().get("CPU"):
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def _warm(self) -> None:
        """Have a worker on each node that has imported everything."""
        strategies: Any = import_module("ray.util.scheduling_strategies")
        task = ray.remote(lambda: import_module("unnerve.campaign.engines.ray").__name__)
        nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        there = [strategies.NodeAffinitySchedulingStrategy(node, soft=False) for node in nodes]
        ray.get([task.options(num_cpus=1, scheduling_strategy=one).remote() for one in there])

    def driver_killed(self, address: str = "") -> dict[str, Any]:
        """Kill a driver, which started a cluster of its own or joined ours, and go on with its campaign."""
        name = "joined" if address else "killed"
        command = [sys.executable, __file__, str(self.folder), "driver", address]
        # Ray's agents look for their cluster for a minute before they end; here they shall be quicker.
        more = {"UNNERVE_DRIVER": name, "RAY_gcs_rpc_server_reconnect_timeout_s": "5"}
        driver = subprocess.Popen(command, env={**os.environ, **more}, stdout=subprocess.DEVNULL)
        place = self.folder / name / "shards"
        while len(list(place.glob("*.parquet"))) < 2 and driver.poll() is None:
            time.sleep(0.02)
        company = len(_driven(name))
        driver.kill()
        code = driver.wait()
        kept = len(list(place.glob("*.parquet")))
        until = time.monotonic() + 30
        while _workers(name) and time.monotonic() < until:
            time.sleep(0.1)
        workers = _workers(name)
        campaign = self.hunt(name, model=self.users("sleepy"), resume=True)
        return {"code": code, "company": company, "kept": kept, "workers": workers, "rows": campaign.rows()}

    def orphans(self) -> dict[str, Any]:
        """Wait for the end of all processes of killed drivers: Ray's agents need a while to notice."""
        until = time.monotonic() + 120
        while (left := _driven("killed") + _driven("joined")) and time.monotonic() < until:
            time.sleep(0.2)
        return {"left": left}

    def joined_driver_killed(self) -> dict[str, Any]:
        return self.driver_killed(self.cluster.address)

    def node_removed(self) -> dict[str, Any]:
        """Pull out a node in the middle of its first shard, while the other is at work."""
        removed: list[int] = []

        def remove(progress: Progress) -> None:
            if (self.folder / "trap").exists() and not removed:
                removed.append(progress.seeds)
                _lose(self.second)
                self.cluster.remove_node(self.second, allow_graceful=False)

        self._warm()
        self.sent = 0
        campaign = self.hunt("removed", model=self.users("trapped"), progress=remove)
        return {"removed": removed, "sent": self.sent, "rows": campaign.rows(), "nodes": _alive()}

    def tell(self, steps: list[str]) -> dict[str, Any]:
        """Go through the steps."""
        seen: dict[str, Any] = {}
        for step in steps:
            start = time.monotonic()
            try:
                seen[step] = getattr(self, step)()
            except BaseException:
                seen[step] = {"crashed": traceback.format_exc()}
            seen[step]["seconds"] = round(time.monotonic() - start, 1)
        return seen


def _driven(name: str) -> list[str]:
    """Return the processes that belong to a driver: they have inherited its environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"UNNERVE_DRIVER={name}\0".encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text()[:80])
    return [words for words in found if words]


def _workers(name: str) -> list[str]:
    """Return the processes of a driver that would still do something."""
    return [words for words in _driven(name) if "Agent" not in words]


def _lose(node: Any) -> None:
    """Kill a node as a machine is lost: its workers with it, before they can tell what they have done."""
    raylet = node.all_processes["raylet"][0].process.pid
    workers = Path(f"/proc/{raylet}/task/{raylet}/children").read_text().split()
    for process in [raylet, *map(int, workers)]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _alive() -> int:
    return sum(node["Alive"] for node in ray.nodes())


def drive(folder: Path, address: str) -> None:
    """Hunt, slowly, until somebody kills us."""
    model = as_model(f"{folder}/users.py:sleepy", outputs="logits")
    out = str(folder / os.environ["UNNERVE_DRIVER"])
    data = nursery.pictures(nursery.subject())
    more: dict[str, Any] = {"region": "linf:0.2", "inputs": 60, "shard": 5, "engine": Ray(address or None, 1)}
    hunt(model, data, METHOD, out, **more)


def main() -> None:
    """Tell the story."""
    torch.set_num_threads(1)
    folder, steps = Path(sys.argv[1]), sys.argv[2:]
    if steps[0] == "driver":
        drive(folder, steps[1])
        return
    start = time.monotonic()
    story = Story(folder)
    begun = time.monotonic() - start
    try:
        seen = story.tell(steps)
    finally:
        ray.shutdown()
        story.cluster.shutdown()
    (folder / "story.json").write_text(json.dumps({**seen, "start": {"seconds": round(begun, 1)}}, indent=1))
    os._exit(0)  # nothing more to say, and nothing to wait for


if __name__ == "__main__":
    main()
