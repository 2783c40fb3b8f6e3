"""Turns under one budget, hunters that break, pulses: what one chunk of seeds goes through."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.campaign import run as running
from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Shard
from unnerve.campaign.run import ShardJob, Unfinished, rehearse, run
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.oracles.becomes import Becomes
from unnerve.subjects.adapters.torch_module import TorchModule

Planned = Callable[..., HuntPlan]
Found = Callable[[HuntPlan, Classifier, Examples], Outcome]
PGD, NOISE = "pgd:steps=3", "gaussian:deviation=0.2,iterations=4"
SWARM = "guided:search=pso(particles=5,iterations=3)"
COSTS = [(PGD, 2), (SWARM, 5), (NOISE, 1)]


@dataclass(frozen=True)
class Fake:
    """A hunter that a test makes up: what it spends first, how many steps a seed has, what breaks it."""

    start: int = 0
    steps: Callable[[str], int] = lambda _: 3
    price: int = 1
    draws: bool = True
    breaks: Callable[[str], Exception | None] = lambda _: None
    seen: Any = None
    needs = Capability.ANSWERS
    width = 1
    regions = None

    @property
    def start_cost(self) -> int:
        return self.start

    def step_cost(self, classes: int) -> int:
        return 1

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        ids, rows = seeds.batch.ids, torch.arange(len(seeds))
        if self.seen is not None:
            self.seen.append((ids, seeds.target, streams.turn))
        for _ in range(self.start):
            subject.model.charge(rows, 1)
        centre, step = seeds.batch.inputs, 0
        while True:
            rows = rows[torch.tensor([self.steps(ids[row]) > step for row in rows.tolist()], dtype=torch.bool)]
            if len(rows) == 0:
                return
            problem = next((error for row in rows.tolist() if (error := self.breaks(ids[row])) is not None), None)
            if problem is not None:
                raise problem
            if self.price:
                subject.model.charge(rows, self.price)
            noise = streams[rows.tolist()].normal(step, 0, (1, 8, 8)) if self.draws else torch.zeros(len(rows), 1, 8, 8)
            wanted = yield Candidates(space.project(centre[rows] + 0.2 * noise, centre[rows]), rows, step)
            rows, step = rows[wanted[rows]], step + 1


@pytest.fixture
def made_up() -> list[Any]:
    """Return the hunters that a test made up so far."""
    return []


@pytest.fixture
def use(made_up: list[Any]) -> Callable[[Any], None]:
    """Return use(hunter): from now on plans hold this hunter, whatever method they are asked for."""
    return made_up.append


@pytest.fixture
def planned(planned: Planned, made_up: list[Any]) -> Planned:
    """Return planned as for all tests of campaigns, with the hunter that the test made up last."""

    def with_it(*arguments: Any, **more: Any) -> HuntPlan:
        plan = planned(*arguments, **more)
        return replace(plan, methods=tuple(made_up[-1:])) if made_up else plan

    return with_it


@pytest.mark.parametrize(("method", "cost"), COSTS)
@pytest.mark.parametrize("queries", [1, 2, 7, 30, 31, 32])
def test_turns_use_up_the_budget(
    method: str,
    cost: int,
    queries: int,
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    found = outcome(planned(method, queries=queries, again=True), tiny_model, pictures)
    affordable = (queries - 1) // cost
    assert {(record.queries, record.picks) for record in found.seeds} == {(1 + affordable * cost, affordable)}
    assert all(price == 1 + cost * (finding.step + 1) for finding, price in found.findings), "steps go on counting"


@pytest.mark.parametrize(("method", "cost"), COSTS)
def test_every_turn_is_the_hunt_with_other_numbers(
    method: str,
    cost: int,
    planned: Planned,
    outcome: Found,
    proposals: Callable[..., list[Candidates]],
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    batch = pictures.batch(range(20))
    expected: dict[str, dict[bytes, int]] = {name: {} for name in batch.ids}
    first = 0
    for turn in range(3):
        model = Metered(tiny_model, Meter(20))
        seeds = Seeds(batch, model.of(torch.arange(20)).observe(batch.inputs))
        scene = Subject(model), seeds, Streams(0, batch.ids, turn)
        proposed = proposals(build("hunter", method), scene, build("region", "linf:0.1"))
        for candidates in proposed:
            margins = -tiny_model.observe(candidates.inputs).lead(seeds.expected[candidates.seed_index])
            for row, x, margin in zip(candidates.seed_index.tolist(), candidates.inputs, margins, strict=True):
                if float(margin) >= 1e-4:
                    expected[batch.ids[row]].setdefault(x.numpy().tobytes(), first + candidates.step)
        first += len(proposed)
    found = outcome(planned(method, queries=1 + first * cost, again=True), tiny_model, pictures)
    steps: dict[str, dict[bytes, int]] = {name: {} for name in batch.ids}
    for finding, _ in found.findings:
        steps[finding.seed_id][finding.input] = finding.step
    assert steps == expected
    assert len(found.findings) == sum(map(len, expected.values())) > 0
    once = outcome(planned(method), tiny_model, pictures)
    assert once.findings == tuple(one for one in found.findings if one[0].step < first // 3)


@pytest.mark.parametrize(("method", "cost"), COSTS)
@pytest.mark.parametrize("keep_going", [True, False])
def test_turns_do_not_depend_on_the_company(
    method: str,
    cost: int,
    keep_going: bool,
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    plan = planned(method, queries=8 * cost, again=True, keep_going=keep_going)
    whole = outcome(plan, tiny_model, pictures)
    assert whole.findings
    for size in (1, 7):
        assert outcome(replace(plan, shard=size), tiny_model, pictures) == whole
    backwards = outcome(plan, tiny_model, pictures.take(range(19, -1, -1)))
    assert backwards.seeds == whole.seeds[::-1]
    if not keep_going:
        assert len({record.queries for record in whole.seeds}) > 1, "some stop, others go on"
        assert all(record.failing <= 1 for record in whole.seeds)


@pytest.mark.parametrize("method", ["fgsm", "bim:steps=3", "pgd:steps=3,random_start=no"])
def test_who_draws_nothing_is_not_run_again(
    method: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    once = outcome(planned(method), tiny_model, pictures)
    assert outcome(planned(method, queries=500, again=True), tiny_model, pictures) == once


def test_a_turn_that_spends_nothing_is_the_last(
    use: Callable[[Any], None], planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    turns: list[Any] = []
    use(Fake(price=0, seen=turns))
    found = outcome(planned("random", queries=50, again=True), tiny_model, pictures)
    assert len(turns) == 1
    assert {(record.queries, record.picks) for record in found.seeds} == {(1, 3)}


@pytest.mark.parametrize("start", [0, 1, 4, 9])
@pytest.mark.parametrize("queries", [5, 14, 23, 40])
def test_turns_with_a_price_to_begin_do_not_depend_on_the_company(
    start: int,
    queries: int,
    use: Callable[[Any], None],
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    use(Fake(start=start, steps=lambda name: 1 + int(name) % 4))
    plan = planned("random", queries=queries, again=True)
    whole = outcome(plan, tiny_model, pictures)
    assert all(record.queries <= queries for record in whole.seeds)
    alone = outcome(replace(plan, shard=1), tiny_model, pictures)
    assert whole == alone
    for record in whole.seeds:
        length, left, picks = 1 + int(record.id) % 4, queries - 1, 0
        while left >= max(start, 1) and left > 0:
            took = min(length, left - start)
            picks, left = picks + max(0, took), left - start - max(0, took)
        assert record.picks == picks


def test_who_did_not_take_part_in_a_turn_never_does_again(
    use: Callable[[Any], None], planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    turns: list[tuple[tuple[str, ...], Any, int]] = []
    use(Fake(steps=lambda name: 2 if int(name) % 2 else 5, seen=turns))
    outcome(planned("random", queries=11, again=True), tiny_model, pictures)
    assert [turn for _, _, turn in turns] == [0, 1, 2, 3, 4]
    assert [len(ids) for ids, _, _ in turns] == [20, 20, 10, 10, 10]


BREAKS = {
    "RuntimeError: [enforce fail] DefaultCPUAllocator: can't allocate memory": RuntimeError(
        "[enforce fail] DefaultCPUAllocator: can't allocate memory"
    ),
    "ValueError: no square root": ValueError("no square root"),
    "MemoryError": MemoryError(),
    "the model raised": InvalidModel("the model raised"),
}


@pytest.mark.parametrize("reason", BREAKS)
@pytest.mark.parametrize("shard", [1, 6, 20])
@pytest.mark.parametrize("poison", [["4"], ["0", "1"], ["0", "7", "19"]])
def test_a_hunter_that_breaks_on_some_seeds_loses_those_alone(
    reason: str,
    shard: int,
    poison: list[str],
    use: Callable[[Any], None],
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    use(Fake())
    sound = outcome(planned("random", "linf:0.3", shard=shard), tiny_model, pictures)
    assert sound.findings
    use(Fake(breaks=lambda name: BREAKS[reason] if name in poison else None))
    found = outcome(planned("random", "linf:0.3", shard=shard), tiny_model, pictures)
    assert [record for record in found.seeds if record.failed is not None] == [
        SeedRecord(name, 0, 0, 0, reason) for name in poison
    ]
    assert [record for record in found.seeds if record.failed is None] == [
        record for record in sound.seeds if record.id not in poison
    ]
    assert found.findings == tuple(one for one in sound.findings if one[0].seed_id not in poison)
    assert found.counts().failed == len(poison)


@pytest.mark.parametrize("problem", [InvalidSetting("steps must be >= 1"), InvalidData("no labels")])
def test_settings_that_do_not_fit_are_not_blamed_on_a_seed(
    problem: Exception,
    use: Callable[[Any], None],
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    use(Fake(breaks=lambda name: problem if name == "3" else None))
    with pytest.raises(type(problem), match=str(problem)):
        outcome(planned("random"), tiny_model, pictures)


def test_a_target_reaches_the_hunters(
    use: Callable[[Any], None], planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    seen: list[Any] = []
    use(Fake(seen=seen, steps=lambda name: 1 + int(name) % 2))
    outcome(planned("random"), tiny_model, pictures)
    assert seen[0][1] is None
    seen.clear()
    plan = replace(planned("random", queries=4, again=True), oracle=Becomes(2))
    found = outcome(plan, tiny_model, pictures)
    assert [target.tolist() for _, target, _ in seen] == [[2] * len(ids) for ids, _, _ in seen]
    assert {len(ids) for ids, _, _ in seen} == {20, 10}, "also when only some take part"
    assert {finding.after for finding, _ in found.findings} <= {2}


def shard(plan: HuntPlan, seeds: Examples) -> ShardJob:
    return ShardJob(plan, Shard(0, 0, len(seeds)), seeds.batch(range(len(seeds))))


@pytest.mark.parametrize(("method", "cost"), COSTS)
def test_pulses_count_what_was_found_so_far(
    method: str, cost: int, planned: Planned, tiny_model: TorchModule, pictures: Examples, monkeypatch: Any
) -> None:
    monkeypatch.setattr(running, "_ROWS", 40)
    monkeypatch.setattr("unnerve.campaign._chunk_run._JUDGED_AT_ONCE", 1)
    told: list[Counts] = []
    found = run(shard(planned(method), pictures), Subject(tiny_model), told.append)
    assert replace(told[-1], inputs=20) == found.counts()
    for name in ("errors", "error_categories", "seeds_broken", "errors_as_in_paper", "queries"):
        numbers = [getattr(one, name) for one in told]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("after", [1, 2, 5])
@pytest.mark.parametrize("problem", [Unfinished(), StopIteration(), ValueError("display"), InvalidModel("display")])
def test_what_a_pulse_raises_ends_the_shard(
    after: int, problem: Exception, planned: Planned, tiny_model: TorchModule, pictures: Examples, monkeypatch: Any
) -> None:
    monkeypatch.setattr(running, "_ROWS", 7)
    pulses = []

    def on_progress(now: Counts) -> None:
        pulses.append(now)
        if len(pulses) == after:
            raise problem

    with pytest.raises(type(problem)) as error:
        run(shard(planned(PGD), pictures), Subject(tiny_model), on_progress)
    assert error.value is problem
    assert len(pulses) == after


def test_a_rehearsal_tries_every_method(planned: Planned, tiny_model: TorchModule, pictures: Examples) -> None:
    with pytest.raises(InvalidSetting, match=r"^pgd works in linf or l2, got l0$"):
        rehearse(planned("random pgd", "l0:0.1"), Subject(tiny_model), pictures)
    rehearse(planned("random pgd"), Subject(tiny_model), pictures)


def test_a_rehearsal_asks_the_oracle_too(planned: Planned, tiny_model: TorchModule, pictures: Examples) -> None:
    unlabelled = replace(pictures, labels=None)
    with pytest.raises(InvalidData, match="needs labels"):
        rehearse(planned("random"), Subject(tiny_model), unlabelled)
    plan = replace(planned("random"), oracle=Becomes(4))
    with pytest.raises(InvalidSetting, match=r"^target must be in \[0, 3\], got 4$"):
        rehearse(plan, Subject(tiny_model), pictures)


@pytest.mark.parametrize("problem", list(BREAKS.values()))
def test_a_rehearsal_with_a_poisoned_seed_is_no_reason_to_stop(
    problem: Exception, use: Callable[[Any], None], planned: Planned, tiny_model: TorchModule, pictures: Examples
) -> None:
    use(Fake(breaks=lambda _: problem))
    rehearse(planned("random"), Subject(tiny_model), pictures)


def test_a_rehearsal_takes_one_step(
    use: Callable[[Any], None], planned: Planned, tiny_model: TorchModule, pictures: Examples
) -> None:
    asked: list[str] = []
    use(Fake(steps=lambda name: asked.append(name) or 1000))  # type: ignore[func-returns-value]
    rehearse(planned("random", queries=5, again=True), Subject(tiny_model), pictures)
    assert len(asked) == 1
