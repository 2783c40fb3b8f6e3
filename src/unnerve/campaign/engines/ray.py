"""On a Ray cluster: shards as tasks that may run twice without harm, results written by the workers."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from unnerve.campaign.counts import Counts
from unnerve.campaign.plan import Shard
from unnerve.campaign.run import Job, Outcome, Pulse, SeedRecord
from unnerve.campaign.store import Store
from unnerve.campaign.work import Work, fulfilled
from unnerve.core.errors import InvalidModel, InvalidSetting, OutputRefused, UserError
from unnerve.core.model import Classifier

__all__ = ["Ray"]

_WAIT = 0.5
_RETRIES = 3


@dataclass(frozen=True)
class Ray:
    """Many processes, on this machine or on many.

    The model is put into the cluster's object store once and unpacked once per worker process. A shard is a task:
    if its worker or node is lost, it runs elsewhere. Only counts come back.

    Parameters
    ----------
    address : str or None
        Of a running cluster (``auto``, ``HOST:PORT``, ``ray://...``); None starts one on this machine, and ends it.
    workers : int or None
        Most shards at the same time; as many as the cluster has processors if None.
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InvalidSetting(f"workers must be >= 1, got {self.workers}")

    def run(self, work: Work, pending: Sequence[Shard], pulse: Pulse) -> Iterator[Counts]:
        """Keep the cluster busy with a few shards more than it has workers, so that memory stays flat."""
        ray = _imported()
        ours = not ray.is_initialized()
        if ours:
            _joined(ray, self.address, self.workers)
        waiting, running = iter(pending), dict[Any, Shard]()
        try:
            model = _shipped(ray, work.model)
            task = ray.remote(_task).options(num_cpus=1, max_retries=_RETRIES, retry_exceptions=False)
            while True:
                room = 2 * (self.workers or int(ray.cluster_resources().get("CPU", 1))) - len(running)
                for shard in (shard for shard, _ in zip(waiting, range(max(0, room)), strict=False)):
                    running[task.remote(work.job(shard), [model], work.store.address)] = shard
                if not running:
                    return
                done, _ = ray.wait(list(running), timeout=_WAIT)
                for one in done:
                    yield _result(ray, one, running.pop(one), work)
                pulse(Counts())
        finally:
            for one in running:
                with suppress(Exception):
                    ray.cancel(one, force=True)
            if ours:
                ray.shutdown()


def _task(job: Job, model: list[Any], address: str) -> Counts | UserError:
    """Run one shard in a worker; a user's mistake is returned, because Ray would wrap what is raised."""
    torch.set_num_threads(1)
    try:
        return fulfilled(job, _unpacked(model[0]), Store(address))
    except UserError as problem:
        return problem


@lru_cache(maxsize=1)
def _unpacked(model: Any) -> Classifier:
    unpacked: Classifier = _imported().get(model)
    return unpacked


def _result(ray: Any, one: Any, shard: Shard, work: Work) -> Counts:
    """Return what a task found; a shard whose workers die again and again is recorded as failed."""
    try:
        counts = ray.get(one)
    except ray.exceptions.RayError as problem:
        reason = f"its worker died {_RETRIES + 1} times: {str(problem).splitlines()[0]}"
        seeds = work.seeds.ids(range(shard.start, shard.stop))
        outcome = Outcome((), tuple(SeedRecord(name, 0, 0, 0, reason) for name in seeds))
        work.store.write(shard, work.plan.labels[shard.method], outcome)
        return outcome.counts()
    if isinstance(counts, UserError):
        raise counts
    if not work.store.finished([shard]):
        raise OutputRefused(
            f"a worker wrote to {work.store.address}, but nothing arrived here; --out must be a folder that all "
            "machines share, or an address such as s3://bucket/run"
        )
    found: Counts = counts
    return found


def _imported() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of what will be the default
    try:
        import ray  # noqa: PLC0415 - optional, and slow to import
    except ImportError as problem:
        raise InvalidSetting("--engine ray needs Ray: pip install 'unnerve[ray]'") from problem
    return ray


def _joined(ray: Any, address: str | None, workers: int | None) -> None:
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
        else:
            ray.init(address=address, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as problem:
        raise InvalidSetting(f"there is no Ray cluster at '{address}': {str(problem).splitlines()[0]}") from problem


def _shipped(ray: Any, model: Classifier) -> Any:
    """Put the model into the cluster's store; what a user's own file defines travels with it."""
    from unnerve.subjects.callables import file_modules  # noqa: PLC0415

    for module in file_modules():
        ray.cloudpickle.register_pickle_by_value(module)
    try:
        return ray.put(model)
    except Exception as problem:
        raise InvalidModel(
            f"{model.name} cannot be sent to other processes ({type(problem).__name__}: {problem}); use --engine local"
        ) from problem
