"""What a shard costs on Ray beside its hunt: ``python benchmarks/shards.py``; see docs/explanation/campaigns.md."""

import pickle
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from unnerve.campaign.engines.ray import Ray
from unnerve.campaign.plan import HuntPlan, Plan, Source, shards
from unnerve.campaign.run import ShardJob
from unnerve.core.data.examples import Batch
from unnerve.core.naming.catalogue import build
from unnerve.studies.hunt.hunt import hunt

_SEEDS = 2000


def main() -> None:
    """Print sizes and times; they are for the docs, not promises."""
    for shape in ((1, 28, 28), (3, 32, 32), (3, 224, 224)):
        print(f"a shard of 50 seeds {shape} as it is sent: {len(pickle.dumps(_job(shape))) / 1e6:.2f} MB")
    ray: Any = import_module("ray")
    start = time.perf_counter()
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=40)
    print(f"cluster of one machine started: {time.perf_counter() - start:.1f} s")
    with tempfile.TemporaryDirectory(prefix="unnerve") as folder:
        wall, _ = _timed(folder, "first", 2, 1)
        print(f"first campaign, two workers import torch and unnerve: {wall:.1f} s")
        for size in (1, 10):
            wall, driver = _timed(folder, f"trivial{size}", _SEEDS, size)
            count = _SEEDS // size
            print(
                f"{count} shards of {size} with one try each: {wall / count * 2e3:.1f} ms per shard and worker, "
                f"{driver / count * 1e3:.2f} ms of the driver's processor"
            )
    ray.shutdown()


def _timed(folder: str, name: str, inputs: int, size: int) -> tuple[float, float]:
    """Return wall and processor seconds of the driver, from the first progress on."""
    begun: list[tuple[float, float]] = []

    def progress(_: object) -> None:
        if not begun:
            begun.append((time.perf_counter(), time.process_time()))

    hunt(
        "zoo:lenet5",
        "mnist5k",
        "random:iterations=1",
        f"{folder}/{name}",
        inputs=inputs,
        shard=size,
        engine=Ray(),
        progress=progress,
    )
    wall, processor = begun[0]
    return time.perf_counter() - wall, time.process_time() - processor


def _job(shape: tuple[int, ...]) -> ShardJob:
    plan: HuntPlan = Plan(
        model=Source("zoo:lenet5", ""),
        data=Source("mnist5k", ""),
        methods=(build("hunter", "pgd"),),
        region=build("region", "linf:0.1"),
        oracle=build("oracle", "misclassified"),
        seeds=50,
        shard=50,
    )
    batch = Batch(torch.zeros(50, *shape), torch.zeros(50, dtype=torch.int64), tuple(map(str, range(50))))
    return ShardJob(plan, shards(plan)[0], batch)


if __name__ == "__main__":
    main()
