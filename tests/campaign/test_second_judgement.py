"""Which findings are judged a second time: each seed's first of a wrong class, and one in twenty of the rest."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.campaign.test_tables import FINDING
from unnerve.campaign._second_judgement import _chosen, doubtful
from unnerve.core.findings import Finding, finding_id

PLAN: Any = SimpleNamespace(proofs=4, oracle=None, region=None, minimum_margin=0)

Judging = Callable[[Callable[[str, int], bool]], "list[tuple[list[str], list[float]]]"]


def findings(count: int) -> dict[str, Finding]:
    """Return findings of one seed and one wrong class."""
    ids = [finding_id("a", bytes([row])) for row in range(count)]
    return {name: FINDING._replace(id=name, seed_id="a", after=1) for name in ids}


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch) -> Judging:
    """Return judging(fails) -> what was judged each time, in which order, and what a model would draw then."""

    def begun(fails: Callable[[str, int], bool]) -> list[tuple[list[str], list[float]]]:
        runs: list[tuple[list[str], list[float]]] = []

        def judged(_subject: Any, _seeds: Any, some: Sequence[Finding], *_: Any) -> dict[str, tuple[int, int]]:
            runs.append(([one.id for one in some], torch.rand(3).tolist()))
            return {one.id: (0, one.after) for one in some if fails(one.id, len(runs))}

        monkeypatch.setattr("unnerve.campaign._second_judgement.judged_again", judged)
        return runs

    return begun


def test_a_steady_model_is_asked_once_about_some(judging: Judging) -> None:
    found = findings(60)
    runs = judging(lambda *_: True)
    assert doubtful(PLAN, None, None, found) == set()  # type: ignore[arg-type]
    assert [set(names) for names, _ in runs] == [set(_chosen(found))]
    assert len(runs[0][0]) < 20


def test_once_one_disagrees_all_must_fail_as_often_as_the_plan_says(judging: Judging) -> None:
    found = findings(60)
    chosen = _chosen(found)
    others = [name for name in found if name not in chosen]
    # One that was chosen disagrees at once, and one that was not chosen in the last run of all.
    runs = judging(lambda name, run: not (name == chosen[0] or (name == others[7] and run == 4)))
    assert doubtful(PLAN, None, None, found) == {chosen[0], others[7]}  # type: ignore[arg-type]
    assert [len(names) for names, _ in runs] == [len(chosen), 59, 59, 59]


def test_every_run_has_an_order_and_random_numbers_of_its_own(judging: Judging) -> None:
    found = findings(60)
    runs = judging(lambda *_: True)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    assert doubtful(PLAN, None, None, found, wary=True) == set()  # type: ignore[arg-type]
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    drawn = [torch.rand(3).tolist(), *(numbers for _, numbers in runs)]
    orders = [list(found), *(names for names, _ in runs)]
    assert len(runs) == 3
    assert len({tuple(one) for one in drawn}) == len({tuple(one) for one in orders}) == 4
    assert all(set(one) == set(found) for one in orders)


def test_the_first_of_each_kind_and_one_in_twenty_are_judged_again() -> None:
    found = {}
    for row in range(2000):
        seed, after, data = str(row % 2), row // 2 % 3, row.to_bytes(16, "little")
        one = FINDING._replace(id=finding_id(seed, data), seed_id=seed, after=after, input=data)
        found[one.id] = one
    chosen = _chosen(found)
    first = list(found)[:6]
    assert set(first) <= set(chosen), "two seeds, three wrong classes"
    assert 60 < len(chosen) - 6 < 140, "about a hundred of the others"
    assert chosen == _chosen(found), "the same ones each time"
