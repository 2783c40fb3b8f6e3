from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.run import ShardJob, run
from unnerve.campaign.store import Store
from unnerve.campaign.tally import SeedTally, Tally, tally
from unnerve.core.data.examples import Examples
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule

RECORDS = [
    SeedRecord("a", queries=40, picks=10, failing=6),
    SeedRecord("b", queries=40, picks=10, failing=0),
    SeedRecord("c", queries=30, picks=8, failing=2),
    SeedRecord("d", queries=0, picks=0, failing=0, failed="raised"),
]


def found(*rows: tuple[str, int, int]) -> pa.Table:
    """Return findings: (seed, wrong class, queries spent by then)."""
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(dict(zip(("seed_id", "after", "queries"), map(list, columns), strict=True)))


TABLE = found(("a", 3, 20), ("a", 3, 8), ("c", 1, 5), ("a", 7, 12), ("c", 2, 30), ("a", 7, 40))


def test_by_hand() -> None:
    assert tally("pgd", TABLE, RECORDS) == Tally(
        "pgd",
        (
            SeedTally("a", 40, 10, 6, errors=(8, 12, 20, 40), kinds=((3, 8), (7, 12)), failed=None),
            SeedTally("b", 40, 10, 0, errors=(), kinds=(), failed=None),
            SeedTally("c", 30, 8, 2, errors=(5, 30), kinds=((1, 5), (2, 30)), failed=None),
            SeedTally("d", 0, 0, 0, errors=(), kinds=(), failed="raised"),
        ),
    )


def test_counts_by_hand() -> None:
    assert tally("pgd", TABLE, RECORDS).counts() == Counts(
        inputs=3, errors=6, error_categories=4, seeds_broken=2, errors_as_in_paper=8, queries=110, failed=1
    )


def test_nothing_hunted_nothing_counted() -> None:
    assert Tally("pgd").counts() == Counts()
    assert set(asdict(Counts()).values()) == {0}
    assert tally("pgd", found(), []) == Tally("pgd")


def seed_tallies() -> st.SearchStrategy[SeedTally]:
    numbers = st.integers(0, 99)
    return st.builds(
        SeedTally,
        id=st.text(max_size=3),
        queries=numbers,
        picks=numbers,
        failing=numbers,
        errors=st.lists(numbers, max_size=4).map(tuple),
        kinds=st.lists(st.tuples(numbers, numbers), max_size=4).map(tuple),
        failed=st.none() | st.just("raised"),
    )


TALLIES = st.lists(seed_tallies(), max_size=4).map(lambda seeds: Tally("pgd", tuple(seeds)))


@given(one=TALLIES, two=TALLIES, three=TALLIES)
def test_tallies_add_up_in_any_grouping(one: Tally, two: Tally, three: Tally) -> None:
    assert (one + two) + three == one + (two + three)
    assert Tally("pgd") + one == one == one + Tally("pgd")
    parts = [asdict(part.counts()) for part in (one, two, three)]
    assert asdict((one + two + three).counts()) == {name: sum(part[name] for part in parts) for name in parts[0]}


@pytest.mark.parametrize("size", [1, 7, 20])
def test_shards_are_counted_as_the_whole(
    size: int,
    planned: Callable[..., HuntPlan],
    outcome: Callable[..., Outcome],
    tmp_path: Path,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    plan = planned("guided:search=pso(particles=6,iterations=5)", shard=size)
    store, total = Store(str(tmp_path / "run")), Tally("guided")
    store.begin(recorded(plan, pictures.shape), {}, pictures, resume=False)
    for shard in shards(plan):
        job = ShardJob(plan, shard, pictures.batch(range(shard.start, shard.stop)))
        store.write(shard, "guided", run(job, Subject(tiny_model)))
        total += tally("guided", *store.read(shard))
    whole = outcome(plan, tiny_model, pictures)
    counts = total.counts()
    assert counts.inputs == 20
    assert counts.errors == len(whole.findings) > 0
    assert counts.error_categories == len({(one.seed_id, one.after) for one, _ in whole.findings})
    assert counts.seeds_broken == len({one.seed_id for one, _ in whole.findings})
    assert counts.errors_as_in_paper == sum(record.failing for record in whole.seeds)
    assert counts.queries == sum(record.queries for record in whole.seeds)
    assert counts.failed == 0
    assert whole.counts() == counts
