"""Campaigns: a swarm against the bare forward pass, what the store adds, two Ray workers against two threads."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from benchmarks.pairs import bare_forward, ratio
from unnerve.campaign.plan import Plan, shards
from unnerve.campaign.run import Job, run
from unnerve.campaign.store import Store
from unnerve.core.catalogue import build, describe
from unnerve.studies.hunt import hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

_TWO_WORKERS = """
import sys, time
import ray, torch
from unnerve.campaign.engines.local import Local
from unnerve.campaign.engines.ray import Ray
from unnerve.studies.hunt import hunt

torch.set_num_threads(2)
ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=40)

def took(name, engine, inputs):
    begun = []
    def progress(headway):
        begun or begun.append(time.perf_counter())
    hunt("zoo:lenet5", "mnist5k", "guided", f"{sys.argv[1]}/{name}", inputs=inputs, shard=10, engine=engine,
        progress=progress)
    return time.perf_counter() - begun[0]

took("warm", Ray(), 20)  # two workers that have imported everything
best = [float("inf"), float("inf")]
for turn in range(3):
    best[0] = min(best[0], took(f"ray{turn}", Ray(), 80))
    best[1] = min(best[1], took(f"local{turn}", Local(), 80))
ray.shutdown()
print(*best)
"""


def swarm_ratio() -> float:
    """Candidate evaluations per CPU second of PSO with the margin, judged and metered, relative to the bare loop."""
    lenet = _lenet()
    job, _ = _job(lenet, "guided", 20)
    evaluations = run(job, lenet).counts().queries - 20
    digits = examples("mnist5k").batch(range(5000)).inputs
    with _one_thread():
        bare, loops = bare_forward(lenet.module.eval(), digits, time.process_time), evaluations // 5000
        assert loops * 5000 == evaluations
        return ratio(lambda: run(job, lenet), _repeated(bare, loops), rounds=7, clock=time.process_time)


def store_share() -> float:
    """Time to store a shard relative to the time to hunt it: PGD, whose picks cost least, default settings."""
    lenet = _lenet()
    job, plan = _job(lenet, "pgd", 50)
    seeds, _ = hunted_seeds(lenet, examples("mnist5k"), 50)
    outcome = run(job, lenet)
    with tempfile.TemporaryDirectory() as folder, _one_thread():
        store = Store(folder)
        store.begin(plan, {}, seeds, resume=False)
        return 1 / ratio(
            lambda: store.write(job.shard, plan.labels[0], outcome, seconds=1.0), lambda: run(job, lenet), rounds=15
        )


def ray_ratio() -> float:
    """Throughput of two Ray workers relative to two threads in process; shards of a second or more, after the start."""
    with tempfile.TemporaryDirectory(prefix="unnerve") as folder:
        quiet = {"HOME": folder, "RAY_TMPDIR": folder, "OMP_WAIT_POLICY": "PASSIVE"}
        done = subprocess.run(
            [sys.executable, "-c", _TWO_WORKERS, folder],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **quiet},
            cwd=Path(folder),
        )
    on_ray, in_process = (float(seconds) for seconds in done.stdout.split())
    return in_process / on_ray


def _lenet() -> TorchModule:
    lenet = model("zoo:lenet5")
    assert isinstance(lenet, TorchModule)
    return lenet


def _job(lenet: TorchModule, method: str, count: int) -> tuple[Job, Plan]:
    seeds, _ = hunted_seeds(lenet, examples("mnist5k"), count)
    plan = Plan(
        model={"name": "zoo:lenet5"},
        data={"name": "mnist5k"},
        methods=(describe(build("hunter", method)),),
        region=describe(build("region", "linf:0.1")),
        oracle=describe(build("oracle", "misclassified")),
        seeds=count,
        shard=count,
    )
    return Job(plan, shards(plan)[0], seeds.batch(range(count))), plan


def _repeated(work: Callable[[], object], times: int) -> Callable[[], object]:
    def again() -> None:
        for _ in range(times):
            work()

    return again


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
