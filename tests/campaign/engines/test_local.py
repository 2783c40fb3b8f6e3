from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines.local import Local
from unnerve.campaign.plan import HuntPlan, Shard, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.run import Unfinished
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule

METHODS = "pgd:steps=5 guided:search=pso(particles=6,iterations=4) gaussian:iterations=5"


@pytest.fixture
def begun(
    planned: Callable[..., HuntPlan], tiny_model: TorchModule, pictures: Examples, tmp_path: Path
) -> Callable[..., CampaignRun]:
    """Return begun(name, **settings) -> a campaign of three methods that has begun."""

    def made(name: str, **more: Any) -> CampaignRun:
        store, plan = Store(str(tmp_path / name)), planned(METHODS, **{"shard": 4, **more})
        store.begin(recorded(plan, pictures.shape), {}, pictures, resume=False)
        return CampaignRun(plan, Subject(tiny_model), pictures, store)

    return made


@pytest.fixture
def threads() -> Iterator[None]:
    """Give back the number of threads."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def silent(_: Counts) -> None:
    """Pulse to nobody."""


def files(work: CampaignRun) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(work.store.path, "shards").iterdir()}


def mixed(some: list[Shard]) -> list[Shard]:
    return [some[place] for place in np.random.default_rng(5).permutation(len(some))]


@pytest.mark.usefixtures("threads")
def test_order_and_threads_do_not_matter(begun: Callable[..., CampaignRun]) -> None:
    orders: list[tuple[int, Callable[[list[Shard]], list[Shard]]]] = [
        (1, list),
        (2, mixed),
        (2, lambda some: some[::-1]),
    ]
    contents: list[dict[str, bytes]] = []
    for count, order in orders:
        torch.set_num_threads(count)
        work = begun(str(len(contents)))
        found = list(Local().run(work, order(shards(work.plan)), silent))
        assert Counts.total(found).inputs == 60
        contents.append(files(work))
    assert len(contents[0]) == 15
    assert all(content == contents[0] for content in contents)


def test_a_seed_finds_the_same_alone_and_in_company(begun: Callable[..., CampaignRun]) -> None:
    rows: list[list[dict[str, Any]]] = []
    records = []
    for size in (1, 4, 20):
        work = begun(str(size), shard=size)
        total = Counts.total(Local().run(work, shards(work.plan), silent))
        stored = list(work.store.shards())
        rows.append([row for _, table, _ in stored for row in table.to_pylist()])
        records.append([record for _, _, some in stored for record in some])
        assert total.errors == len(rows[-1]) > 0
    assert rows[0] == rows[1] == rows[2]
    assert records[0] == records[1] == records[2]


def test_what_is_counted_is_what_is_stored(begun: Callable[..., CampaignRun]) -> None:
    work = begun("a")
    for shard, found in zip(shards(work.plan), Local().run(work, shards(work.plan), silent), strict=True):
        table, records = work.store.read(shard)
        assert found.errors == table.num_rows
        assert found.queries == sum(record.queries for record in records)
        assert work.store.seconds(shard) > 0
        assert set(table["method"].to_pylist()) <= {work.plan.labels[shard.method]}


@pytest.mark.parametrize("after", [0, 3, 5, 6, 20])
def test_what_is_given_up_leaves_only_whole_shards(after: int, begun: Callable[..., CampaignRun]) -> None:
    whole, cut = begun("whole"), begun("cut")
    list(Local().run(whole, shards(whole.plan), silent))
    pulses: list[Counts] = []

    def on_progress(now: Counts) -> None:
        pulses.append(now)
        if len(pulses) > after:
            raise Unfinished

    with pytest.raises(Unfinished):
        list(Local().run(cut, shards(cut.plan), on_progress))
    assert len(files(cut)) == after // 5, "five steps a shard"
    assert files(cut).items() <= files(whole).items()
    assert not list(Path(cut.store.path).rglob("*.part"))
    rest = [shard for shard in shards(cut.plan) if not cut.store.holds(shard)]
    list(Local().run(cut, rest, silent))
    assert files(cut) == files(whole)


def test_seeds_are_read_when_their_turn_comes(begun: Callable[..., CampaignRun]) -> None:
    """A campaign over data larger than memory reads no more than a shard at a time."""
    work = begun("a")
    read: list[int] = []

    class Rows:
        shape = work.seeds.source.shape

        def read(self, rows: Any) -> np.ndarray:
            read.append(len(rows))
            return work.seeds.source.read(rows)

    list(Local().run(replace(work, seeds=replace(work.seeds, source=Rows())), shards(work.plan)[:3], silent))
    assert read == [4, 4, 4]
