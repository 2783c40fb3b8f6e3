import hashlib

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams

IDS = [f"image {number}" for number in range(12)]
LARGE = 2**64 - 1


def words(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def generator(seed: int, name: str, step: int, draw: int) -> np.random.Generator:
    key = np.array([seed, words(name)], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=np.array([0, draw, step, 0], dtype=np.uint64)))


@pytest.mark.parametrize("seed", [0, 7, 2**63, LARGE])
def test_is_numpys_philox(seed: int) -> None:
    assert {words(name) >= 2**63 for name in IDS} == {True, False}, "keys of both halves are needed here"
    streams = Streams(seed, IDS)
    for row, name in enumerate(IDS):
        expected = generator(seed, name, 5, 2).random((3, 2), dtype=np.float32)
        assert np.array_equal(streams.uniform(5, 2, (3, 2))[row].numpy(), expected)
        expected = generator(seed, name, 5, 2).standard_normal((3, 2), dtype=np.float32)
        assert np.array_equal(streams.normal(5, 2, (3, 2))[row].numpy(), expected)
        order = generator(seed, name, 5, 2).permutation(9)
        assert np.array_equal(streams.permutations(5, 2, 9)[row].numpy(), order)


@pytest.mark.parametrize("count", [1, 3, 4, 10])
def test_coarse_numbers_are_quarters_of_philoxs_words(count: int) -> None:
    streams = Streams(7, IDS)
    for row, name in enumerate(IDS):
        raw = generator(7, name, 5, 2).bit_generator.random_raw(3)
        expected = [int(word) >> shift & 0xFFFF for word in raw for shift in (0, 16, 32, 48)][:count]
        drawn = streams.coarse(5, 2, (count,))[row]
        assert (drawn * 2**16).tolist() == expected


def test_coarse_numbers_have_shape_range_and_moments() -> None:
    values = Streams(0, IDS).coarse(0, 0, (100, 100))
    assert values.shape == (12, 100, 100)
    assert values.dtype == torch.float32
    assert 0 <= float(values.min()) < 1e-3
    assert 1 - 1e-3 < float(values.max()) <= 1 - 2**-16
    assert values.mean(dim=(1, 2)).tolist() == pytest.approx([0.5] * 12, abs=0.015)
    assert values.var(dim=(1, 2)).tolist() == pytest.approx([1 / 12] * 12, abs=0.005)


def test_coarse_draws_do_not_depend_on_company() -> None:
    streams = Streams(3, IDS)
    assert torch.equal(streams[[4, 1]].coarse(1, 0, (5,)), streams.coarse(1, 0, (5,))[[4, 1]])
    assert not torch.equal(streams.coarse(1, 0, (5,)), streams.coarse(0, 1, (5,)))


def test_draws_do_not_depend_on_company_or_order() -> None:
    everyone = Streams(3, IDS).uniform(1, 0, (4,))
    for row, name in enumerate(IDS):
        assert torch.equal(Streams(3, [name]).uniform(1, 0, (4,))[0], everyone[row])
    assert torch.equal(Streams(3, IDS[::-1]).uniform(1, 0, (4,)), everyone.flip(0))


def test_draws_do_not_depend_on_earlier_draws() -> None:
    streams = Streams(3, IDS)
    first = streams.uniform(1, 0, (4,))
    streams.normal(9, 9, (100,))
    assert torch.equal(streams.uniform(1, 0, (4,)), first)


def test_a_choice_of_rows_keeps_their_streams() -> None:
    streams = Streams(3, IDS)
    assert len(streams[[4, 1]]) == 2
    assert torch.equal(streams[[4, 1]].normal(0, 0, (5,)), streams.normal(0, 0, (5,))[[4, 1]])
    assert streams[[4, 1]].seed == 3


def test_equal_ids_have_equal_streams() -> None:
    twice = Streams(0, ["a", "a"]).uniform(0, 0, (8,))
    assert torch.equal(twice[0], twice[1])


@pytest.mark.parametrize("other", [(1, 0, 0, "a"), (0, 1, 0, "a"), (0, 0, 1, "a"), (0, 0, 0, "b"), (LARGE, 0, 0, "a")])
def test_seed_step_draw_and_id_all_matter(other: tuple[int, int, int, str]) -> None:
    seed, step, draw, name = other
    mine = Streams(0, ["a"]).uniform(0, 0, (32,))
    theirs = Streams(seed, [name]).uniform(step, draw, (32,))
    assert not (mine == theirs).any()


def test_neighbouring_large_seeds_differ() -> None:
    assert not torch.equal(Streams(LARGE, ["a"]).uniform(0, 0, (8,)), Streams(LARGE - 1, ["a"]).uniform(0, 0, (8,)))


def test_step_and_draw_cannot_be_confused() -> None:
    streams = Streams(0, ["a"])
    assert not torch.equal(streams.uniform(1, 2, (8,)), streams.uniform(2, 1, (8,)))


def test_uniform_range_and_moments() -> None:
    values = Streams(0, IDS).uniform(0, 0, (10_000,))
    assert values.dtype == torch.float32
    assert values.shape == (12, 10_000)
    assert 0 <= float(values.min()) < 1e-3
    assert 1 - 1e-3 < float(values.max()) < 1
    assert values.mean(dim=1).tolist() == pytest.approx([0.5] * 12, abs=0.015)
    assert values.var(dim=1).tolist() == pytest.approx([1 / 12] * 12, abs=0.005)


def test_streams_are_uncorrelated() -> None:
    values = Streams(0, IDS).uniform(0, 0, (10_000,)).numpy()
    together = np.corrcoef(values) - np.eye(12)
    assert np.abs(together).max() < 0.05


def test_normal_moments() -> None:
    values = Streams(0, IDS).normal(0, 0, (10_000,))
    assert values.mean(dim=1).tolist() == pytest.approx([0] * 12, abs=0.05)
    assert values.var(dim=1).tolist() == pytest.approx([1] * 12, abs=0.06)


def test_a_number_each() -> None:
    assert Streams(0, IDS).uniform(0, 0, ()).shape == (12,)
    assert Streams(0, IDS).coarse(0, 0, ()).shape == (12,)


def test_permutations() -> None:
    orders = Streams(0, IDS).permutations(0, 0, 20)
    assert orders.dtype == torch.int64
    assert torch.equal(orders.sort(dim=1).values, torch.arange(20).expand(12, 20))
    assert len({tuple(order) for order in orders.tolist()}) == 12


def test_no_inputs() -> None:
    nobody = Streams(0, [])
    assert nobody.uniform(0, 0, (3,)).shape == (0, 3)
    assert nobody.coarse(0, 0, (3,)).shape == (0, 3)
    assert nobody.permutations(0, 0, 3).shape == (0, 3)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_refuses_seeds_out_of_range(seed: int) -> None:
    with pytest.raises(InvalidSetting, match=rf"seed must be in \[0, 2\*\*64\), got {seed}"):
        Streams(seed, [])


@pytest.mark.usefixtures("random_state_stays")
def test_leaves_the_global_random_state() -> None:
    streams = Streams(0, IDS)
    streams.uniform(0, 0, (3,))
    streams.normal(0, 0, (3,))
    streams.coarse(0, 0, (3,))
    streams.permutations(0, 0, 3)


def test_knows_who_has_drawn() -> None:
    streams = Streams(0, "abcd")
    assert streams.drawn == [False] * 4
    some = streams[[2, 0]]
    some[[0]].uniform(0, 0, (1,))
    assert streams.drawn == [False, False, True, False]
    assert some.drawn == [True, False]
    assert Streams(0, "abcd").drawn == [False] * 4
    for draw in (streams.coarse, streams.normal):
        draw(0, 0, (1,))
    assert all(streams.drawn)
