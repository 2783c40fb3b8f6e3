"""Campaigns: a swarm against the bare pass, what the store adds, memory, two Ray workers against two threads."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from benchmarks.memory import measured
from benchmarks.pairs import bare_forward, one_thread, ratio, repeated
from benchmarks.scene import job, network, subject
from unnerve.campaign.records import recorded
from unnerve.campaign.run import run
from unnerve.campaign.store import Store
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.subjects.data import examples

_TWO_WORKERS = """
import sys, time
import ray, torch
from unnerve.campaign.engines.local import Local
from unnerve.campaign.engines.ray import Ray
from unnerve.studies.hunt.hunt import hunt

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

_MANY_SEEDS = """
import sys
import unnerve

unnerve.hunt("zoo:lenet5", f"npz:{sys.argv[1]}", "fgsm", sys.argv[2], region="linf:0.1", inputs=100_000, shard=1000)
"""


def swarm_ratio() -> float:
    """Candidate evaluations per CPU second of PSO with the margin, judged and metered, relative to the bare loop."""
    lenet = network()
    work = job(lenet, "guided", 20)
    evaluations = run(work, subject(lenet)).counts().queries - 20
    digits = examples("mnist5k").batch(range(5000)).inputs
    with one_thread():
        bare, loops = bare_forward(lenet.module.eval(), digits, time.process_time), evaluations // 5000
        assert loops * 5000 == evaluations
        return ratio(lambda: run(work, subject(lenet)), repeated(bare, loops), rounds=7, clock=time.process_time)


def store_share() -> float:
    """Time to store a shard relative to the time to hunt it: PGD, whose picks cost least, default settings."""
    lenet = network()
    work = job(lenet, "pgd", 50)
    seeds = hunted_seeds(lenet, examples("mnist5k"), 50).seeds
    outcome = run(work, subject(lenet))
    with tempfile.TemporaryDirectory() as folder, one_thread():
        store = Store(folder)
        store.begin(recorded(work.plan, seeds.shape), {}, seeds, resume=False)
        return 1 / ratio(
            lambda: store.write(work.shard, work.plan.labels[0], outcome, seconds=1.0),
            lambda: run(work, subject(lenet)),
            rounds=15,
        )


def many_gigabytes() -> float:
    """Peak memory, in GiB, of FGSM from 100,000 inputs of 1x28x28 on disk, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.npz"
        digits = examples("mnist5k").batch(range(1000))
        assert digits.labels is not None
        images = digits.inputs.mul(255).to(torch.uint8).numpy()
        # A few more, for the network gets some of them wrong.
        np.savez(path, x=np.tile(images, (102, 1, 1, 1)), y=np.tile(digits.labels.numpy(), 102))
        return measured(_MANY_SEEDS, folder, str(path), str(Path(folder) / "hunt"))[-1]


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
