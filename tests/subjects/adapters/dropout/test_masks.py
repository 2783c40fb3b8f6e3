import math
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._masks import Drop, Keys, factors

CPU = torch.device("cpu")
ROWS = BatchAxis(0)


def dropped(
    masks: Masks, shape: tuple[int, ...], rate: float, batch: BatchAxis = ROWS, call: int = 0, draw: int = 0
) -> Tensor:
    """Return which units of a tensor are dropped."""
    keys = Keys(masks, len(masks), CPU).of(call, slice(draw, draw + 1))
    return factors(torch.empty(shape), Drop(rate), keys, batch)[0] == 0


def many(count: int, draws: int = 1, seed: int = 0) -> Masks:
    return Masks(seed, tuple(map(str, range(count))), draws)


# Masks are values


def test_a_mask_is_the_same_for_ever() -> None:
    # A stored result must be found again by a later version.
    first = dropped(Masks(7, ("seed",)), (1, 24), 0.5, call=1)
    assert "".join(str(int(unit)) for unit in first[0]) == "110111100001000011100101"


def test_a_mask_belongs_to_its_input_alone() -> None:
    alone = [dropped(Masks(0, (str(row),)), (1, 5, 6), 0.3) for row in range(40)]
    together = dropped(many(40), (40, 5, 6), 0.3)
    assert torch.equal(torch.cat(alone), together)
    assert torch.equal(dropped(many(40)[[3, 3, 7]], (3, 5, 6), 0.3), together[[3, 3, 7]])


@pytest.mark.parametrize("batch", [BatchAxis(0), BatchAxis(1), BatchAxis(0, together=False), BatchAxis(None)])
def test_a_part_of_a_tensor(batch: BatchAxis) -> None:
    x, keys = torch.empty(12, 6, 5), Keys(many(6), 6, CPU).of(0, slice(2))
    whole, part = factors(x, Drop(0.5), keys, batch), factors(x, Drop(0.5), keys, batch, slice(4, 9))
    assert torch.equal(part.expand(2, 5, 6, 5), whole.expand(2, 12, 6, 5)[:, 4:9])


def test_several_draws_at_once() -> None:
    x, keys = torch.empty(4, 30), Keys(many(4, 6), 4, CPU)
    together = factors(x, Drop(0.5), keys.of(1, slice(2, 5)), ROWS)
    for draw in (2, 3, 4):
        assert torch.equal(together[draw - 2] == 0, dropped(many(4, 6), (4, 30), 0.5, call=1, draw=draw))


def test_seed_call_and_draw_make_other_masks() -> None:
    first = dropped(many(4, 3), (4, 64), 0.5)
    others = [
        dropped(many(4, 3, seed=1), (4, 64), 0.5),
        dropped(many(4, 3), (4, 64), 0.5, call=1),
        dropped(many(4, 3), (4, 64), 0.5, draw=1),
    ]
    for other in others:
        assert 0.35 < (other != first).float().mean() < 0.65


def test_later_draws_continue_earlier_ones() -> None:
    whole, rest = Masks(0, ("a",), 10), Masks(0, ("a",), 4, start=6)
    assert torch.equal(dropped(whole, (1, 99), 0.5, draw=7), dropped(rest, (1, 99), 0.5, draw=1))


def test_rows_beyond_the_masks_have_those_of_the_last_input() -> None:
    units = factors(torch.empty(5, 50), Drop(0.5), Keys(many(2), 5, CPU).of(0, slice(1)), ROWS)[0]
    assert torch.equal(units[1:], units[1:2].expand(4, 50))
    assert not torch.equal(units[0], units[1])


@pytest.mark.parametrize("rate", [1e-6, 0.001, 0.3, 0.999, 1 - 1e-12])
def test_factors_are_nothing_or_the_scale(rate: float) -> None:
    keys = Keys(many(50), 50, CPU).of(0, slice(1))
    found = factors(torch.empty(50, 400), Drop(rate), keys, ROWS).unique().tolist()
    assert set(found) <= {0.0, float(torch.tensor(1 / (1 - rate)))}


def test_masks_are_nested_across_rates() -> None:
    rates = [0.01, 0.2, 0.5, 0.9, 0.999]
    masks = [dropped(many(50), (50, 200), rate) for rate in rates]
    for weaker, stronger in pairwise(masks):
        assert not bool((weaker & ~stronger).any())
        assert weaker.sum() < stronger.sum()


def test_memory_format_does_not_matter() -> None:
    keys, x = Keys(many(6), 6, CPU).of(0, slice(1)), torch.empty(6, 3, 4, 5)
    plain = factors(x, Drop(0.5), keys, ROWS)[0]
    last = factors(x.contiguous(memory_format=torch.channels_last), Drop(0.5), keys, ROWS)[0]
    turned = factors(x.transpose(1, 3).contiguous().transpose(1, 3), Drop(0.5), keys, ROWS)[0]
    assert torch.equal(plain, last)
    assert torch.equal(plain, turned)
    assert last.is_contiguous(memory_format=torch.channels_last)


# Where the inputs are


def test_inputs_on_another_axis_have_masks_of_their_own() -> None:
    alone = dropped(Masks(0, ("4",)), (7, 1, 3), 0.5, BatchAxis(1))
    assert torch.equal(dropped(many(9), (7, 9, 3), 0.5, BatchAxis(1))[:, 4:5], alone)
    assert torch.equal(alone[:, 0], dropped(Masks(0, ("4",)), (1, 7, 3), 0.5)[0])


@pytest.mark.parametrize("together", [True, False])
def test_parts_of_an_input_folded_into_the_batch(together: bool) -> None:
    shape = (5, 4, 3) if together else (4, 5, 3)  # 5 inputs of 4 parts
    folded = dropped(many(5), (20, 3), 0.5, BatchAxis(0, together)).view(shape)
    own = dropped(Masks(0, ("2",)), (4, 3), 0.5, BatchAxis(0, together))
    assert torch.equal(folded[2] if together else folded[:, 2], own)


def test_what_belongs_to_no_input_is_dropped_for_all_alike() -> None:
    nobody = BatchAxis(None)
    assert torch.equal(dropped(many(3), (8, 8), 0.5, nobody), dropped(many(11), (8, 8), 0.5, nobody))
    assert not torch.equal(dropped(many(3, seed=1), (8, 8), 0.5, nobody), dropped(many(3), (8, 8), 0.5, nobody))


# As random as torch's


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.9])
def test_shares_vary_as_they_should(rate: float) -> None:
    count, units = 4000, 300
    lost = dropped(many(count), (count, units), rate).double()
    deviation = math.sqrt(rate * (1 - rate))
    assert abs(lost.mean().item() - rate) < 5 * deviation / math.sqrt(lost.numel())
    # Dropped units of an input are binomial, and so are those of a unit over all inputs.
    assert lost.sum(dim=1).var().item() / (units * deviation**2) == pytest.approx(1, abs=5 * math.sqrt(2 / count))
    assert lost.sum(dim=0).var().item() / (count * deviation**2) == pytest.approx(1, abs=5 * math.sqrt(2 / units))


@pytest.mark.parametrize("rate", [0.02, 0.5])
def test_neighbours_do_not_know_each_other(rate: float) -> None:
    count, units = 3000, 400
    centred = (dropped(many(count), (count, units), rate).double() - rate) / math.sqrt(rate * (1 - rate))
    other_draw = (dropped(many(count, 2), (count, units), rate, draw=1).double() - rate) / math.sqrt(rate * (1 - rate))
    pairs = [centred[:, lag:] * centred[:, :-lag] for lag in (1, 2, 3, 4, 7, 8, 14, 16, 28, 32, 64, 128)]
    pairs += [centred[lag:] * centred[:-lag] for lag in (1, 2, 16)]
    pairs.append(centred * other_draw)
    for pair in pairs:
        assert abs(pair.mean().item()) * math.sqrt(pair.numel()) < 5
