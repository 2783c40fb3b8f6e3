"""A pool is run as a whole: one shard, one purse, one stream, stored between steps."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.campaign.pools import Queue
from unnerve.campaign import _ledger, _pool_run
from unnerve.campaign import run as running
from unnerve.campaign.campaign_run import CampaignRun, run_and_store
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines.local import Local
from unnerve.campaign.outcome import Outcome
from unnerve.campaign.plan import HuntPlan, Shard, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.run import ShardJob, Unfinished, run
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.model import Capability, Classifier, Observation, Want
from unnerve.core.pools import Pool, PoolState, scope
from unnerve.core.subject import Context, Subject
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.regions.lineage import Lineage
from unnerve.subjects.adapters.torch_module import TorchModule

Planned = Callable[..., HuntPlan]
Found = Callable[[HuntPlan, Classifier, Examples], Outcome]


@pytest.fixture
def pooled(planned: Planned) -> Planned:
    """Return pooled(**settings) -> a plan for the 20 pictures whose only method is the queue."""

    def made(hunter: Any = None, region: str = "linf:0.3", **more: Any) -> HuntPlan:
        return replace(planned("random", region, **{"queries": 15, **more}), methods=(hunter or Queue(),))

    return made


@dataclass(frozen=True)
class Idle(Queue):
    """Proposes its seeds again and again, and never asks the model."""

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        return Candidates(pool.seeds.batch.inputs[:1], torch.zeros(1, dtype=torch.int64), pool.step)


def test_a_hunter_that_never_asks_the_model_is_refused(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ledger, "_MOST_IDLE", 50)
    with pytest.raises(InvalidSetting, match=r"^Idle must query the model as it goes, got 50 steps without a query$"):
        outcome(pooled(Idle()), tiny_model, pictures)


def test_a_pool_is_one_shard_whatever_the_size_of_shards(pooled: Planned) -> None:
    assert scope(Queue()) == "pool"
    for size in (1, 7, 50):
        assert shards(pooled(shard=size)) == [Shard(0, 0, 20)]
    assert shards(pooled(pools=3)) == [Shard(0, 0, 6), Shard(0, 6, 13), Shard(0, 13, 20)]


@pytest.mark.parametrize("keep_going", [True, False])
def test_findings_do_not_depend_on_shards_or_chunks(
    keep_going: bool,
    pooled: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = outcome(pooled(keep_going=keep_going), tiny_model, pictures)
    assert whole.findings
    monkeypatch.setattr(running, "_ROWS", 3)
    monkeypatch.setattr(_pool_run, "_JUDGED_AT_ONCE", 2)
    assert outcome(pooled(keep_going=keep_going, shard=2), tiny_model, pictures) == whole


def test_the_budget_is_one_purse(pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples) -> None:
    found = outcome(pooled(queries=15), tiny_model, pictures)
    spent = [record.queries for record in found.seeds]
    assert sum(spent) == 20 + 70 * 4, "300 queries: a clean pass of 20, and 70 steps of 4 mutants"
    assert max(price for _, price in found.findings) <= 15, "findings say how far the pool was into its budget"


def test_what_a_broken_seed_does_not_need_goes_to_the_rest(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(pooled(queries=15, keep_going=False), tiny_model, pictures)
    broken = {one.seed_id for one, _ in found.findings}
    assert broken
    by_id = {record.id: record for record in found.seeds}
    assert all(by_id[name].failing == 1 for name in broken)
    rest = [record.queries for record in found.seeds if record.id not in broken]
    assert not rest or max(rest) > 15


def test_findings_belong_to_the_root_of_their_lineage(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(pooled(), tiny_model, pictures)
    seeds = {name: row for row, name in zip(pictures.batch(range(20)).inputs, pictures.ids(), strict=True)}
    for one, _ in found.findings:
        assert float((one.tensor() - seeds[one.seed_id]).abs().amax()) <= 0.3 + 1e-6


def test_several_pools_find_what_each_finds_alone(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    both = outcome(pooled(pools=2), tiny_model, pictures)
    halves = [outcome(pooled(seeds=10), tiny_model, pictures.take(rows)) for rows in (range(10), range(10, 20))]
    assert both.findings == halves[0].findings + halves[1].findings


def test_a_pool_that_has_ended_starts_again_with_other_numbers(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    short = outcome(pooled(Queue(steps=5)), tiny_model, pictures)
    again = outcome(pooled(Queue(steps=5), again=True), tiny_model, pictures)
    assert sum(record.picks for record in short.seeds) == 5
    assert sum(record.picks for record in again.seeds) == 70
    ids = [one.id for one, _ in again.findings]
    assert len(set(ids)) == len(ids)


class Stop(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("keep_going", [True, False])
def test_a_killed_pool_goes_on_as_if_nothing_had_happened(
    keep_going: bool,
    pooled: Planned,
    tiny_model: TorchModule,
    pictures: Examples,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_pool_run, "_SECONDS", 0.0)
    plan = pooled(Queue(steps=9), again=True, keep_going=keep_going)
    runs = [begun(plan, tiny_model, pictures, tmp_path / name) for name in ("whole", "killed")]
    (shard,) = shards(plan)
    run_and_store(runs[0].job(shard), runs[0].subject, runs[0].store)
    deaths = 0
    for life in range(100):
        told: list[Counts] = []

        def dies(counts: Counts, told: list[Counts] = told, most: int = 1 + life % 4) -> None:
            told.append(counts)
            if len(told) >= most:
                raise Stop

        try:
            run_and_store(runs[1].job(shard), runs[1].subject, runs[1].store, dies)
            break
        except Stop:
            deaths += 1
            assert not runs[1].store.holds(shard)
            assert runs[1].store.keeper(shard).load() is not None
    assert deaths > 5
    whole, killed = (Path(one.store.path, "shards", f"{shard.name}.parquet").read_bytes() for one in runs)
    assert killed == whole
    # How near the others came is kept with the pool, too: without that they would begin anew.
    seeds = runs[1].store.outcome(shard).seeds
    assert any(one.nearest is not None for one in seeds)
    assert all(one.nearest is None for one in seeds if one.failing)
    assert runs[1].store.keeper(shard).load() is None, "what is finished needs no checkpoint"


def test_seconds_leave_a_pool_that_can_be_resumed(
    pooled: Planned, tiny_model: TorchModule, pictures: Examples, tmp_path: Path
) -> None:
    plan = pooled()
    campaign = begun(plan, tiny_model, pictures, tmp_path / "a")

    def late(counts: Counts) -> None:
        if counts.queries > 60:
            raise Unfinished

    with pytest.raises(Unfinished):
        list(Local().run(campaign, shards(plan), late))
    assert campaign.store.keeper(shards(plan)[0]).load() is not None
    (counts,) = Local().run(campaign, shards(plan), lambda counts: None)
    assert counts.queries == 300


def test_a_pool_with_a_damaged_checkpoint_is_begun_again(
    pooled: Planned, tiny_model: TorchModule, pictures: Examples, tmp_path: Path
) -> None:
    runs = [begun(pooled(), tiny_model, pictures, tmp_path / name) for name in ("whole", "damaged")]
    (shard,) = shards(runs[0].plan)
    run_and_store(runs[0].job(shard), runs[0].subject, runs[0].store)

    def late(counts: Counts) -> None:
        if counts.queries > 60:
            raise Unfinished

    with pytest.raises(Unfinished):
        run_and_store(runs[1].job(shard), runs[1].subject, runs[1].store, late)
    (file,) = Path(runs[1].store.path, "checkpoints").iterdir()
    data = bytearray(file.read_bytes())
    data[-2000] ^= 4  # in the queue, where any number is as good as another
    file.write_bytes(data)
    with pytest.warns(UserWarning, match="damaged or foreign"):
        run_and_store(runs[1].job(shard), runs[1].subject, runs[1].store)
    whole, again = (Path(one.store.path, "shards", f"{shard.name}.parquet").read_bytes() for one in runs)
    assert again == whole


def test_a_checkpoint_of_another_version_is_one_clear_line(
    pooled: Planned, tiny_model: TorchModule, pictures: Examples, tmp_path: Path
) -> None:
    campaign = begun(pooled(), tiny_model, pictures, tmp_path / "a")
    (shard,) = shards(campaign.plan)
    for data in (b"", b"no checkpoint", b"\0" * 64):
        campaign.store.keeper(shard).save(data)
        with pytest.raises(InvalidData, match=r"^the checkpoint of a pool cannot be read; delete checkpoints/"):
            run_and_store(campaign.job(shard), campaign.subject, campaign.store)


def test_a_pool_that_breaks_is_lost_as_a_whole(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(pooled(Queue(fail_at=3)), tiny_model, pictures)
    assert not found.findings
    assert {record.failed for record in found.seeds} == {"ValueError: the queue broke"}
    assert found.counts().failed == 20


def test_a_model_that_raises_is_named(pooled: Planned, outcome: Found, pictures: Examples) -> None:
    class Raising:
        name, offers = "raising", Capability.ANSWERS

        def identity(self, shape: tuple[int, ...]) -> str:
            return "raising"

        def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
            raise InvalidModel("raising raised")

    found = outcome(pooled(), Raising(), pictures)
    assert {record.failed for record in found.seeds} == {"raising raised"}


@dataclass(frozen=True)
class Turned:
    """Propose each seed, turned; optionally lie about the parameters."""

    parameters: tuple[float, ...] = (0.9, 0.5, 0.5, 0.5, 0.5)
    said: tuple[float, ...] | None = None
    needs = Capability.ANSWERS
    regions = None

    def begin(self, pool: Pool) -> PoolState:
        return PoolState({}, {"done": False})

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        if state.values["done"]:
            return None
        state.values["done"] = True
        count = len(pool.seeds)
        turn, said = (torch.tensor([one] * count) for one in (self.parameters, self.said or self.parameters))
        x = Lineage(Affine()).origins(pool.seeds.batch.inputs, turn)
        return Candidates(x, torch.arange(count), 0, said)


def test_a_region_of_lineages_measures_from_the_transformed_seed(
    pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    lineage = replace(pooled(Turned()), region=Lineage(Affine(), few=0, little=0.01))
    found = outcome(lineage, tiny_model, pictures)
    assert found.findings
    assert all(one.parameters == pytest.approx((0.9, 0.5, 0.5, 0.5, 0.5)) for one, _ in found.findings)
    around_the_seed = replace(lineage, region=pooled(region="linf:0.01").region)
    assert not outcome(around_the_seed, tiny_model, pictures).findings, "other regions measure from the seed"


@pytest.mark.parametrize("said", [(0.5, 0.5, 0.5, 0.5, 0.5), (0.9, 0.5, 0.5, 0.5, 1.01), (0.9, -0.1, 0.5, 0.5, 0.5)])
def test_the_judge_makes_the_transformed_seed_again_and_checks_the_bounds(
    said: tuple[float, ...], pooled: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    lying = replace(pooled(Turned(said=said)), region=Lineage(Affine(), few=0, little=0.01))
    assert not outcome(lying, tiny_model, pictures).findings


def test_passes_of_peers_are_charged(pooled: Planned, tiny_model: TorchModule, pictures: Examples) -> None:
    @dataclass(frozen=True)
    class Asks:
        needs = Capability.ANSWERS
        regions = None

        def begin(self, pool: Pool) -> PoolState:
            return PoolState({}, {})

        def step(self, pool: Pool, state: PoolState) -> Candidates | None:
            (peer,) = pool.subject.context.peers
            rows = torch.arange(len(pool.seeds))
            peer.of(rows).observe(pool.seeds.batch.inputs)  # type: ignore[attr-defined]
            return None

    plan = pooled(Asks())
    job = ShardJob(plan, shards(plan)[0], pictures.batch(range(20)))
    found = run(job, Subject(tiny_model, Context(peers=(tiny_model,))))
    assert [record.queries for record in found.seeds] == [2] * 20


def begun(plan: HuntPlan, model: Classifier, seeds: Examples, folder: Path) -> CampaignRun:
    store = Store(str(folder))
    store.begin(recorded(plan, seeds.shape), {}, seeds, resume=False)
    return CampaignRun(plan, Subject(model), seeds, store)
