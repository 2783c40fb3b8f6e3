"""On a Ray cluster: shards as tasks that may run twice without harm, results written by the workers."""

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import torch

from unnerve.campaign.campaign_run import CampaignRun, run_and_store, store_outcome
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines._deadline import within
from unnerve.campaign.engines._session import imported, session
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Shard
from unnerve.campaign.run import OnProgress, ShardJob, run
from unnerve.campaign.store import Store
from unnerve.core.errors import InvalidModel, InvalidSetting, MissingExtra, OutputRefused, UnknownName, UserError
from unnerve.core.model import Classifier
from unnerve.core.naming.callables import file_modules
from unnerve.core.pools import scope
from unnerve.core.subject import Subject

__all__ = ["Ray"]

# In seconds; so often the caller is called back, and can end the run, while no task ends.
_WAIT = 0.5
_DEATHS = 2
# A lost node is nobody's fault, a worker that dies is probably the seed's: hence two counts, with other limits.
_MOVES = 20
# In seconds; a file system shared over a network shows a file that another machine wrote a little later.
_ARRIVAL = 5.0


@dataclass(frozen=True)
class Ray:
    """Many processes, on this machine or on many.

    The model is put into the cluster's object store once and unpacked once per worker process. A shard is a task:
    if its worker or node is lost, it runs elsewhere; if its worker dies again and again, its seeds are hunted one by
    one, and those that kill their worker are recorded as failed. Only counts come back.

    Parameters
    ----------
    address : str or None
        Of a running cluster (``auto``, ``HOST:PORT``, ``ray://...``); None starts one on this machine, and ends it.
    workers : int or None
        Most shards at the same time; as many as the cluster has processors if None.
    step_seconds : float or None
        Most time for one step of a method in a worker; a model that takes longer is taken to hang.
    """

    address: str | None = None
    workers: int | None = None
    step_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InvalidSetting(f"workers must be >= 1, got {self.workers}")

    def run(
        self, campaign: CampaignRun, pending: Sequence[Shard], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        """Keep the cluster busy with a few shards more than it has workers, so that memory stays flat."""
        if not pending:
            return
        ray = imported()
        with session(ray, self.address, self.workers) as started:
            pool = _TaskPool(ray, campaign, _shipped(ray, campaign.subject), self.step_seconds)
            try:
                yield from pool.counts(pending, lambda: self._room(ray, started), on_progress)
            except ray.exceptions.RayError as problem:
                line = str(problem).strip().splitlines()[0]
                raise InvalidSetting(f"the Ray cluster is lost ({line}); --resume goes on from here") from problem
            finally:
                if not started:
                    pool.dismiss()

    def _room(self, ray: Any, started: bool) -> int:
        """Return how many tasks may be with the cluster; a few wait there, unless that would be too many at work."""
        if self.workers is not None and not started:
            return self.workers
        return 2 * max(1, self.workers or int(ray.cluster_resources().get("CPU", 1)))


@dataclass
class _Task:
    """A shard, or one seed of it, on its way."""

    shard: Shard
    seed: int | None = None
    deaths: int = 0
    moves: int = 0


@dataclass
class _TaskPool:
    """The tasks of a campaign that are with the cluster."""

    ray: Any
    campaign: CampaignRun
    subject: Any
    step_seconds: float | None = None
    running: dict[Any, _Task] = field(default_factory=dict)
    returned: deque[_Task] = field(default_factory=deque)
    pieces: dict[Shard, dict[int, Outcome]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # Made once, so that a worker that has ended a task is given the next. Retries are ours to count: Ray's own
        # know no end if a worker runs out of memory.
        options = {"num_cpus": 1, "max_retries": 0}
        self.stored, self.found = (self.ray.remote(task).options(**options) for task in (_stored, _found))

    def counts(
        self, pending: Sequence[Shard], room: Callable[[], int], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        """Yield what each shard found."""
        fresh = iter(pending)
        while True:
            for _ in range(room() - len(self.running)):
                task = self.returned.popleft() if self.returned else _next(fresh)
                if task is None:
                    break
                self._send(task)
            if not self.running:
                return
            for done in self._done():
                found = self._taken(done, self.running.pop(done))
                if found is not None:
                    yield found
            on_progress(Counts())

    def dismiss(self) -> None:
        """Cancel the tasks that are under way."""
        for task in self.running:
            with suppress(Exception):
                self.ray.cancel(task, force=True)

    def _send(self, task: _Task) -> None:
        job, limits = self.campaign.job(task.shard), (_versions(), self.step_seconds)
        if task.seed is None:
            # In a list, so that Ray passes the reference on and every worker fetches the model once, not per task.
            sent = self.stored.remote(job, [self.subject], self.campaign.store.address, *limits)
        else:
            alone = replace(job, seeds=job.seeds[task.seed : task.seed + 1])
            sent = self.found.remote(alone, [self.subject], *limits)
        self.running[sent] = task

    def _done(self) -> list[Any]:
        """Wait for a task to end, and return all that have."""
        tasks = list(self.running)
        done, _ = self.ray.wait(tasks, timeout=_WAIT)
        if done:
            # The first call returns one task; the second tells the others that had ended by then.
            done, _ = self.ray.wait(tasks, num_returns=len(tasks), timeout=0)
        return list(done)

    def _taken(self, reference: Any, task: _Task) -> Counts | None:
        """Return what a shard found, if it is complete with this task."""
        errors = self.ray.exceptions
        try:
            result = self.ray.get(reference)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError):
            return self._retry(replace(task, deaths=task.deaths + 1))
        except (errors.NodeDiedError, errors.ObjectLostError):
            if task.moves >= _MOVES:
                raise
            self.returned.append(replace(task, moves=task.moves + 1))
            return None
        except errors.RayTaskError as problem:
            if isinstance(problem.cause, ImportError):
                raise InvalidSetting(f"a worker cannot begin ({problem.cause}): {_SAME}") from problem
            raise
        if isinstance(result, UserError):
            raise result
        if isinstance(result, Outcome):
            return self._joined(task, result)
        counts, node = result
        self._check_arrival(task.shard, node)
        found: Counts = counts
        return found

    def _retry(self, task: _Task) -> Counts | None:
        """Try once more; then seed by seed; a seed that kills its worker again is given up."""
        shard = task.shard
        if task.deaths < _DEATHS:
            self.returned.append(task)
        elif task.seed is None and self._is_pool(shard):
            return self._give_up(task)
        elif task.seed is None:
            self.pieces[shard] = {}
            self.returned.extend(_Task(shard, seed) for seed in range(len(self.campaign.rows(shard))))
        else:
            (name,) = self.campaign.seeds.ids([self.campaign.rows(shard)[task.seed]])
            lost = SeedRecord(name, 0, 0, 0, f"its worker process died {task.deaths} times")
            return self._joined(task, Outcome((), (lost,)))
        return None

    def _is_pool(self, shard: Shard) -> bool:
        return scope(self.campaign.plan.methods[shard.method]) == "pool"

    def _give_up(self, task: _Task) -> Counts:
        """Record all seeds of a pool as lost: seed by seed they would be other pools."""
        shard, reason = task.shard, f"its worker process died {task.deaths} times"
        names = self.campaign.seeds.ids(range(shard.start, shard.stop))
        lost = Outcome((), tuple(SeedRecord(name, 0, 0, 0, reason) for name in names))
        self.campaign.store.write(shard, self.campaign.plan.labels[shard.method], lost)
        return lost.counts()

    def _joined(self, task: _Task, outcome: Outcome) -> Counts | None:
        """Put a seed's outcome to those of its shard, and store the shard if it was the last."""
        assert task.seed is not None
        shard, pieces = task.shard, self.pieces[task.shard]
        pieces[task.seed] = outcome
        if len(pieces) < len(self.campaign.rows(shard)):
            return None
        whole = sum((piece for _, piece in sorted(self.pieces.pop(shard).items())), Outcome((), ()))
        store_outcome(self.campaign.job(shard), self.campaign.store, whole)
        return whole.counts()

    def _check_arrival(self, shard: Shard, node: str) -> None:
        """Raise if what the workers of a machine write does not arrive here; the first shard of each tells."""
        if node in self.seen:
            return
        self.seen.add(node)
        until = time.monotonic() + _ARRIVAL
        while not self.campaign.store.holds(shard):
            if time.monotonic() > until:
                raise OutputRefused(
                    f"a worker wrote to {self.campaign.store.address}, but nothing arrived here; {_SHARED}"
                )
            time.sleep(0.1)


_SHARED = "--out must be a folder that all machines share, or an address such as s3://bucket/run"
_SAME = "the same versions of unnerve and torch must be installed on every machine"


def _next(fresh: Any) -> _Task | None:
    shard = next(fresh, None)
    return None if shard is None else _Task(shard)


def _versions() -> tuple[str, str]:
    return version("unnerve"), str(torch.__version__)


def _stored(
    job: ShardJob, subject: list[Any], address: str, versions: tuple[str, str], step_seconds: float | None
) -> tuple[Counts, str] | UserError:
    """Run one shard in a worker; a user's mistake is returned, because Ray would wrap what is raised."""
    store = Store(address)
    try:
        # Before the work: a worker that does not see the campaign could not even seal what it finds.
        if not store.folder.holds("campaign.json"):
            raise OutputRefused(f"a worker does not see the campaign in {address}; {_SHARED}")
        unpacked = _unpacked(subject[0], versions)
        counts = within(step_seconds, lambda on_progress: run_and_store(job, unpacked, store, on_progress))
    except UserError as problem:
        return _sendable(problem)
    return counts, str(imported().get_runtime_context().get_node_id())


def _found(
    job: ShardJob, subject: list[Any], versions: tuple[str, str], step_seconds: float | None
) -> Outcome | UserError:
    """Run one seed in a worker, and send what was found."""
    try:
        unpacked = _unpacked(subject[0], versions)
        return within(step_seconds, lambda on_progress: run(job, unpacked, on_progress))
    except UserError as problem:
        return _sendable(problem)


def _sendable(problem: UserError) -> UserError:
    """Return an error that survives the way: exceptions are sent as their messages."""
    return InvalidSetting(str(problem)) if isinstance(problem, UnknownName | MissingExtra) else problem


@lru_cache(maxsize=1)
def _unpacked(subject: Any, versions: tuple[str, str]) -> Subject[Classifier]:
    """Fetch the subject, once per worker process and campaign."""
    if versions != _versions():
        raise InvalidSetting(f"a worker has unnerve and torch {_versions()}, here are {versions}: {_SAME}")
    # Ray counts one processor per task; torch's own threads would fight over them.
    torch.set_num_threads(1)
    try:
        unpacked: Subject[Classifier] = imported().get(subject)
    except Exception as problem:
        line = str(problem).strip().splitlines()[-1]
        raise InvalidModel(f"the model cannot be unpacked by a worker ({line}); use --engine local") from problem
    return unpacked


def _shipped(ray: Any, subject: Subject[Classifier]) -> Any:
    """Put the subject into the cluster's store; what a user's own file defines travels with it."""
    for module in file_modules():
        ray.cloudpickle.register_pickle_by_value(module)
    try:
        return ray.put(subject)
    except Exception as problem:
        cause = problem.__cause__ or problem  # Ray puts a long inspection in front
        line = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
        raise InvalidModel(
            f"{subject.model.name} cannot be sent to other processes ({line}); use --engine local"
        ) from problem
