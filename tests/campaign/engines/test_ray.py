"""The Ray engine's decisions, on a make-believe cluster; test_ray_cluster.py has a real one."""

import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines import ray as engine
from unnerve.campaign.engines.local import Local
from unnerve.campaign.engines.ray import Ray
from unnerve.campaign.plan import HuntPlan, Shard, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.run import Unfinished
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting, OutputRefused, UnknownName, UserError
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule

METHODS = "pgd:steps=3 gaussian:iterations=4"


class RayError(Exception):
    """The root of Ray's own errors."""


class WorkerCrashedError(RayError):
    pass


class OutOfMemoryError(RayError):
    pass


class NodeDiedError(RayError):
    pass


class ObjectLostError(RayError):
    pass


class RayTaskError(RayError):
    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass
class Cluster:
    """A make-believe Ray: tasks run in this process when they are waited for, unless fate says otherwise."""

    fate: Callable[[Any, int], Exception | None] = lambda job, tries: None
    cpus: float = 2
    sendable: bool = True
    most: int = 0
    put_in: int = 0
    sent: list[Any] = field(default_factory=list)
    waiting: dict[int, Callable[[], Any]] = field(default_factory=dict)
    cancelled: list[Any] = field(default_factory=list)
    options_seen: dict[str, Any] = field(default_factory=dict)
    tries: dict[Any, int] = field(default_factory=dict)
    exceptions: Any = field(
        default_factory=lambda: SimpleNamespace(
            RayError=RayError,
            WorkerCrashedError=WorkerCrashedError,
            OutOfMemoryError=OutOfMemoryError,
            NodeDiedError=NodeDiedError,
            ObjectLostError=ObjectLostError,
            RayTaskError=RayTaskError,
        )
    )
    cloudpickle: Any = field(default_factory=lambda: SimpleNamespace(register_pickle_by_value=lambda _: None))

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cpus}

    def put(self, value: Any) -> Any:
        if not self.sendable:
            raise TypeError("a long inspection") from TypeError("cannot pickle 'lock' object")
        self.model, self.put_in = value, self.put_in + 1
        return "model"

    def remote(self, task: Callable[..., Any]) -> Any:
        def send(job: Any, *more: Any) -> int:
            number = len(self.sent)
            self.sent.append((job.shard, job.seeds.ids))
            self.waiting[number] = lambda: self._fulfilled(task, job, more)
            self.most = max(self.most, len(self.waiting))
            return number

        def options(**given: Any) -> Any:
            self.options_seen = given
            return SimpleNamespace(remote=send)

        return SimpleNamespace(options=options)

    def _fulfilled(self, task: Callable[..., Any], job: Any, more: Any) -> Any:
        key = job.shard, job.seeds.ids
        self.tries[key] = self.tries.get(key, 0) + 1
        problem = self.fate(job, self.tries[key])
        if problem is not None:
            raise problem
        return pickle.loads(pickle.dumps(task(job, *more)))  # noqa: S301 - as it would come over the wire

    def wait(self, tasks: list[int], num_returns: int = 1, timeout: float = 0) -> tuple[list[int], list[int]]:
        done = tasks[-min(num_returns, 2) :]  # out of order, two at a time
        return done, [task for task in tasks if task not in done]

    def get(self, task: Any) -> Any:
        return self.model if task == "model" else self.waiting.pop(task)()

    def cancel(self, task: int, force: bool) -> None:
        assert force
        self.cancelled.append(task)

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "node")


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Cluster], Cluster]]:
    """Return on(cluster): from now on this is Ray."""

    def used(cluster: Cluster) -> Cluster:
        monkeypatch.setattr(engine, "imported", lambda: cluster)
        engine._unpacked.cache_clear()
        return cluster

    yield used
    engine._unpacked.cache_clear()


@pytest.fixture
def begun(
    planned: Callable[..., HuntPlan], tiny_model: TorchModule, pictures: Examples, tmp_path: Path
) -> Callable[..., CampaignRun]:
    """Return begun(name) -> a campaign of two methods and ten shards that has begun."""

    def made(name: str, methods: str = METHODS) -> CampaignRun:
        store, plan = Store(str(tmp_path / name)), planned(methods, shard=4, queries=30 if "fuzz" in methods else None)
        store.begin(recorded(plan, pictures.shape), {}, pictures, resume=False)
        return CampaignRun(plan, Subject(tiny_model), pictures, store)

    return made


def silent(_: Counts) -> None:
    """Pulse to nobody."""


def files(work: CampaignRun) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(work.store.path, "shards").glob("*.parquet")}


def ran(work: CampaignRun, ray: Ray | None = None, on_progress: Callable[[Counts], None] = silent) -> Counts:
    return Counts.total((ray or Ray()).run(work, shards(work.plan), on_progress))


def test_finds_what_the_local_engine_finds(on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]) -> None:
    cluster, work, local = on(Cluster()), begun("ray"), begun("local")
    assert ran(work) == Counts.total(Local().run(local, shards(local.plan), silent))
    assert files(work) == files(local)
    assert len(cluster.sent) == 10
    assert cluster.put_in == 1, "the model is sent once, not with every shard"
    assert cluster.options_seen == {"num_cpus": 1, "max_retries": 0}


@pytest.mark.parametrize(
    ("cpus", "workers", "most"), [(2, None, 4), (1, None, 2), (0, None, 2), (8, 3, 3), (99, None, 10)]
)
def test_only_a_few_shards_are_under_way(
    cpus: int, workers: int | None, most: int, on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    cluster = on(Cluster(cpus=cpus))
    ran(begun("a"), Ray(workers=workers))
    assert cluster.most == most


@pytest.mark.parametrize("problem", [WorkerCrashedError, OutOfMemoryError, NodeDiedError, ObjectLostError])
def test_what_was_lost_once_is_done_again(
    problem: type[Exception], on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    cluster = on(
        Cluster(fate=lambda job, tries: problem("gone") if tries == 1 and job.shard.start in (4, 16) else None)
    )
    work, local = begun("ray"), begun("local")
    assert ran(work) == Counts.total(Local().run(local, shards(local.plan), silent))
    assert files(work) == files(local)
    assert len(cluster.sent) == 14


def test_nodes_that_come_and_go_are_no_seeds_fault(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    cluster = on(
        Cluster(fate=lambda job, tries: NodeDiedError("gone") if tries <= 15 and job.shard.start == 8 else None)
    )
    assert ran(begun("a")).failed == 0
    assert len(cluster.sent) == 10 + 2 * 15


def test_a_cluster_that_is_lost_for_good_is_told(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    on(Cluster(fate=lambda job, tries: NodeDiedError("the node is gone\nand more") if job.shard.start == 8 else None))
    work = begun("a")
    words = r"^the Ray cluster is lost \(the node is gone\); `resume` goes on from here$"
    with pytest.raises(InvalidSetting, match=words):
        ran(work)
    local = begun("local")
    list(Local().run(local, shards(local.plan), silent))
    assert files(work).items() < files(local).items()


@pytest.mark.parametrize("poison", [["5"], ["4", "7"], ["0", "1", "2", "3", "18"]])
def test_a_seed_that_kills_its_worker_is_lost_alone(
    poison: list[str], on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    def fate(job: Any, _: int) -> Exception | None:
        return WorkerCrashedError("dead") if set(poison) & set(job.seeds.ids) and job.shard.method == 1 else None

    cluster, work, local = on(Cluster(fate=fate)), begun("ray"), begun("local")
    counts = ran(work)
    assert counts.failed == len(poison)
    assert counts.inputs == 40 - len(poison)
    list(Local().run(local, shards(local.plan), silent))
    hit = {shard for shard in shards(work.plan) if {str(n) for n in range(shard.start, shard.stop)} & set(poison)}
    assert len(hit) == 2 * len({int(name) // 4 for name in poison})
    for shard in shards(work.plan):
        (table, records), (other, others) = work.store.read(shard), local.store.read(shard)
        lost = poison if shard.method == 1 else []
        assert [one for one in records if one.id not in lost] == [one for one in others if one.id not in lost]
        assert {one.id: one.failed for one in records if one.id in lost} == {
            one.id: "its worker process died 2 times" for one in others if one.id in lost
        }
        assert table.to_pylist() == [row for row in other.to_pylist() if row["seed_id"] not in lost]
    assert len(cluster.sent) == 10 + sum(1 + 4 for shard in hit if shard.method == 1) + len(poison)


@pytest.mark.parametrize("deaths", [0, 2])
def test_seeds_that_are_tried_again_join_the_others_of_their_shard(
    deaths: int, on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    on(Cluster(fate=lambda job, _: WorkerCrashedError("dead") if {"4", "6"} & set(job.seeds.ids) else None))
    work, local = begun("ray"), begun("local")
    ran(work)
    list(Local().run(local, shards(local.plan), silent))
    hit = [shard for shard in shards(work.plan) if shard.start == 4]
    again = replace(work, retried={shard: [4, 6] for shard in hit})
    cluster = on(Cluster(fate=lambda job, tries: WorkerCrashedError("dead") if len(job.seeds) > 1 and deaths else None))
    counts = Counts.total(Ray().run(again, hit, silent))
    assert (counts.inputs, counts.failed) == (4, 0)
    assert files(work) == files(local)
    assert {ids for _, ids in cluster.sent} == ({("4", "6")} if not deaths else {("4", "6"), ("4",), ("6",)})


@pytest.mark.parametrize("deaths", [0, 1, 2])
def test_a_pool_is_never_cut(deaths: int, on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]) -> None:
    cluster = on(Cluster(fate=lambda job, tries: WorkerCrashedError("dead") if tries <= deaths else None))
    pooled = "tensorfuzz:mutants=4"
    work, local = begun("ray", pooled), begun("local", pooled)
    counts, alone = ran(work), Counts.total(Local().run(local, shards(local.plan), silent))
    if deaths < 2:
        assert (counts, files(work)) == (alone, files(local))
    else:
        assert (counts.failed, counts.errors) == (20, 0), "seed by seed they would be other pools"
    assert len(cluster.sent) == 1 + min(deaths, 1)


def test_users_mistakes_come_back_as_they_are(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    on(Cluster())
    for problem, kind in [
        (OutputRefused("cannot write /there: No space left on device"), OutputRefused),
        (UnknownName("hunter", "pdg", ["pgd"]), InvalidSetting),
    ]:
        monkeypatch.setattr(engine, "run_and_store", _raising(problem))
        with pytest.raises(UserError) as error:
            ran(begun(kind.__name__))
        assert type(error.value) is kind
        assert str(error.value) == str(problem)


def _raising(problem: Exception) -> Callable[..., Any]:
    def raised(*_: object) -> None:
        raise problem

    return raised


def test_our_own_mistakes_are_not_hidden(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    on(Cluster())
    monkeypatch.setattr(engine, "run_and_store", _raising(ZeroDivisionError("ours")))
    with pytest.raises(ZeroDivisionError, match="ours"):
        ran(begun("a"))


def test_workers_without_our_packages(on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]) -> None:
    on(Cluster(fate=lambda job, tries: RayTaskError(ModuleNotFoundError("No module named 'unnerve'"))))
    words = r"^a worker cannot begin \(No module named 'unnerve'\): the same versions of unnerve and torch must be"
    with pytest.raises(InvalidSetting, match=words):
        ran(begun("a"))


def test_workers_with_other_versions(on: Callable[[Cluster], Cluster]) -> None:
    on(Cluster())
    with pytest.raises(
        InvalidSetting, match=r"here are \('0\.0', '1\.0'\): the same versions of unnerve and torch must"
    ):
        engine._unpacked("model", ("0.0", "1.0"))


def test_a_step_that_takes_too_long_ends_the_campaign(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    on(Cluster())
    whole, cut = begun("whole"), begun("cut")
    assert ran(whole, Ray(step_seconds=600)) == Counts.total(Local().run(cut, shards(cut.plan), silent))
    assert files(whole) == files(cut), "a deadline changes nothing of what is found"
    never = threading.Event()
    monkeypatch.setattr(engine, "run_and_store", lambda *given: never.wait())
    try:
        with pytest.raises(InvalidModel, match=r"^a step took longer than `step_seconds` 0\.05"):
            ran(begun("a"), Ray(step_seconds=0.05))
    finally:
        never.set()


def test_a_model_that_cannot_be_sent(on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]) -> None:
    on(Cluster(sendable=False))
    words = r"^tiny cannot be sent to other processes \(cannot pickle 'lock' object\); use `engine` local$"
    with pytest.raises(InvalidModel, match=words):
        ran(begun("a"))


@pytest.mark.parametrize("problem", [Unfinished(), KeyboardInterrupt()])
def test_who_stops_calls_back_what_is_under_way(
    problem: BaseException, on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    cluster, work = on(Cluster()), begun("a")
    pulses: list[Counts] = []

    def on_progress(now: Counts) -> None:
        pulses.append(now)
        if len(pulses) == 2:
            raise problem

    with pytest.raises(type(problem)):
        ran(work, on_progress=on_progress)
    assert sorted(cluster.cancelled) == sorted(cluster.waiting)
    assert len(cluster.cancelled) == 2
    assert len(files(work)) == 4


def test_a_closed_engine_calls_back_what_is_under_way(
    on: Callable[[Cluster], Cluster], begun: Callable[..., CampaignRun]
) -> None:
    cluster, work = on(Cluster()), begun("a")
    results = Ray().run(work, shards(work.plan), silent)
    next(results)
    results.close()
    assert sorted(cluster.cancelled) == sorted(cluster.waiting)
    assert len(cluster.cancelled) == 3


def test_nothing_to_do_needs_no_cluster(begun: Callable[..., CampaignRun], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "imported", _raising(AssertionError("a cluster is started")))
    assert list(Ray().run(begun("a"), [], silent)) == []


def test_without_ray_the_way_to_it_is_told(begun: Callable[..., CampaignRun], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidSetting, match=r"^`engine` ray needs Ray: pip install 'unnerve\[ray\]'$"):
        list(Ray().run(begun("a"), [Shard(0, 0, 4)], silent))


@pytest.mark.parametrize("workers", [0, -1])
def test_refuses_no_workers(workers: int) -> None:
    with pytest.raises(InvalidSetting, match=rf"^workers must be >= 1, got {workers}$"):
        Ray(workers=workers)
