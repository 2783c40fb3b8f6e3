from collections.abc import Callable
from typing import Any

import pytest
from torch.nn import functional

from unnerve.subjects.adapters.dropout._provenance import INPUT, Call
from unnerve.subjects.adapters.dropout._replay_plan import ReplayPlan, replay_plan

WEIGHTS = 99
F: Callable[..., Any] = functional.relu


def call(reads: tuple[int, ...], *returns: int, writes: tuple[int, ...] = (), **more: bool) -> Call:
    return Call(F, reads, returns, frozenset(writes), **more)


def dropout(reads: int, returns: int) -> Call:
    return call((reads,), returns, is_dropout=True)


def again(*calls: Call) -> list[bool]:
    """Return for every call whether it runs in every draw."""
    made = replay_plan(calls)
    return [*made.again, *[True] * (len(calls) - len(made.again))]


def test_what_comes_before_dropout_runs_once() -> None:
    calls = [call((INPUT, WEIGHTS), 1), call((1,), 2), dropout(2, 3), call((3, WEIGHTS), 4)]
    made = replay_plan(calls, [4])
    assert made.again == (False, False)
    assert made.kept == {1}
    assert not made.fresh


def test_a_clean_branch_runs_once_also_after_dropout() -> None:
    calls = [call((INPUT,), 1), dropout(1, 2), call((1,), 3), call((2, 3), 4)]
    assert again(*calls) == [False, True, False, True]
    assert replay_plan(calls).kept == {0, 2}


def test_the_answer_is_kept_even_if_dropout_does_not_reach_it() -> None:
    calls = [call((INPUT,), 1), dropout(1, 2), call((1,), 3)]
    assert 2 not in replay_plan(calls).kept
    assert 2 in replay_plan(calls, [3]).kept


def test_a_random_write_makes_its_memory_random() -> None:
    # 1 is clean; 2 is dropped; 2 is added to 1 in place; a view of 1 is read.
    calls = [call((INPUT,), 1), call((1,), 1), dropout(1, 2), call((1, 2), 1, writes=(1,)), call((1,), 3)]
    made = replay_plan(calls)
    assert again(*calls) == [False, False, True, True, True]
    assert made.fresh == {1}
    assert made.copied_at == {2: ((1, 0),)}
    assert made.kept == {0, 1}


def test_a_clean_write_after_a_random_read_runs_again() -> None:
    calls = [call((INPUT,), 1), dropout(1, 2), call((1,), 1, writes=(1,)), call((1,), 3), call((2, 3), 4)]
    made = replay_plan(calls)
    assert again(*calls) == [False, True, True, False, True]
    assert made.fresh == {1}
    assert made.copied_at == {1: ((1, 0),)}


def test_a_clean_write_before_every_random_read_runs_once() -> None:
    calls = [call((INPUT,), 1), call((1,), 1, writes=(1,)), dropout(1, 2)]
    assert again(*calls) == [False, False, True]
    assert not replay_plan(calls).fresh


def test_writes_that_follow_from_writes() -> None:
    # Because 1 is written after it was dropped, what that write reads, 5, must be as it was: so 5 is copied too.
    calls = [
        call((INPUT,), 1),
        call((INPUT,), 5),
        dropout(1, 2),
        call((1, 5), 1, writes=(1,)),
        call((5,), 5, writes=(5,)),
        call((2, 1, 5), 6),
    ]
    made = replay_plan(calls)
    assert again(*calls) == [False, False, True, True, True, True]
    assert made.fresh == {1, 5}
    assert made.copied_at == {2: ((1, 0),), 3: ((5, 1),)}


def test_the_input_can_need_a_copy_but_weights_never() -> None:
    calls = [dropout(INPUT, 1), call((INPUT,), INPUT, writes=(INPUT,)), call((WEIGHTS, 1), 2, writes=(WEIGHTS,))]
    assert replay_plan(calls).fresh == frozenset()  # nothing runs once, so nothing is handed out again
    calls = [call((INPUT,), 3), *calls, call((3, 1), 4)]
    made = replay_plan(calls)
    assert made.fresh == {INPUT}
    assert made.copied_at == {1: ((INPUT, 0),)}


def test_numbers_read_from_random_tensors_reach_everything() -> None:
    calls = [call((INPUT,), 1), dropout(1, 2), call((1,), 3), call((2,), returns_values=True), call((1,), 4)]
    assert again(*calls) == [False, True, False, True, True]
    calls[3] = call((1,), returns_values=True)
    assert again(*calls) == [False, True, False, False, False]


def test_tensors_made_of_nothing_may_be_made_of_numbers() -> None:
    calls = [call((), 7), call((INPUT,), 1), dropout(1, 2), call((), 3), call((3,), 4), call((7, 1), 5)]
    assert again(*calls) == [False, False, True, True, True, False]


def test_what_cannot_be_handed_out_again_runs_again() -> None:
    calls = [call((INPUT,), 1), call((1,), storable=False), call((1,), 2), dropout(2, 3)]
    assert again(*calls) == [False, True, False, True]
    assert replay_plan(calls).kept == {0, 2}


@pytest.mark.parametrize("index", [0, 3])
def test_raw_memory_ends_all_reuse(index: int) -> None:
    calls = [call((INPUT,), 1), call((1,), 2), dropout(2, 3), call((3,), 4)]
    calls[index] = call((INPUT,), 1, exposes_memory=True)
    assert replay_plan(calls) == ReplayPlan()
