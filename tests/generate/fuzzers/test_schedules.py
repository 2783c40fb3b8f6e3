"""Which entries of a queue come next."""

from collections import Counter

import pytest
import torch

from unnerve.core.streams import Streams
from unnerve.generate.fuzzers._schedules import SCHEDULES, chance


def draws(step: int, count: int = 1) -> torch.Tensor:
    return Streams(0, ["pool"]).uniform(step, 0, (count, 64))[0]


def test_the_chance_of_an_entry_falls_to_a_fifth() -> None:
    assert [chance(times) for times in range(6)] == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.2, 0.2])


def test_prob_goes_round_and_takes_by_chance() -> None:
    # Of a fresh entry and one that was taken often, the first to be asked is taken at 0.8 or 0.2; after a refusal it is
    # the other's turn: 0.8 + 0.2 * 0.8 * 0.8 + ... = 0.8 / (1 - 0.2 * 0.8).
    living, times = torch.tensor([3, 7]), torch.tensor([0, 0, 0, 0, 0, 0, 0, 9])
    chosen = Counter(SCHEDULES["prob"](living, times, 0, draws(step))[0][0] for step in range(4000))
    assert chosen[3] / 4000 == pytest.approx(0.8 / 0.84, abs=0.02)
    assert set(chosen) == {3, 7}


def test_prob_remembers_where_it_was_and_what_it_took() -> None:
    always = torch.zeros((5, 64))
    chosen, cursor = SCHEDULES["prob"](torch.tensor([0, 2, 5]), torch.zeros(6), 1, always)
    assert (chosen, cursor) == ([2, 5, 0, 2, 5], 6)
    never = torch.full((1, 64), 0.999)
    assert SCHEDULES["prob"](torch.tensor([4]), torch.zeros(6), 0, never)[0] == [4]
    # Taken twice within one choice, an entry is asked with the chance of its third time.
    half = torch.full((3, 64), 0.5)
    assert SCHEDULES["prob"](torch.tensor([0, 1]), torch.tensor([0, 1]), 0, half)[0] == [0, 1, 0]


def test_uniform_and_recent() -> None:
    living, times = torch.arange(10), torch.zeros(10)
    uniform = Counter(SCHEDULES["uniform"](living, times, 0, draws(step))[0][0] for step in range(5000))
    assert all(uniform[entry] / 5000 == pytest.approx(0.1, abs=0.02) for entry in range(10))
    recent = Counter(SCHEDULES["recent"](living, times, 0, draws(step))[0][0] for step in range(5000))
    # One of six places: each of the five newest has 1/6 and a tenth of the last sixth.
    assert recent[9] / 5000 == pytest.approx(1 / 6 + 1 / 60, abs=0.025)
    assert recent[0] / 5000 == pytest.approx(1 / 60, abs=0.01)
