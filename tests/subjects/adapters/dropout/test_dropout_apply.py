import pytest
import torch
from torch import Tensor
from torch.nn import functional

from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._dropout_apply import MaskedDropout
from unnerve.subjects.adapters.dropout._masks import Drop, Keys, factors

CPU = torch.device("cpu")
ROWS = BatchAxis(0)


def many(count: int, draws: int = 1) -> Masks:
    return Masks(0, tuple(map(str, range(count))), draws)


def dropped(x: Tensor, drop: Drop, rows: int | None = None, draw: int = 0) -> Tensor:
    return MaskedDropout(many(rows or len(x), draw + 1), rows or len(x), CPU)(x, drop, ROWS, 0, draw)


def test_what_is_kept_is_scaled_up() -> None:
    x = torch.randn(8, 30)
    result = dropped(x, Drop(0.2))
    expected = factors(x, Drop(0.2), Keys(many(8), 8, CPU).of(0, slice(1)), ROWS)[0] > 0
    assert torch.equal(result != 0, expected)
    assert 0.6 < expected.float().mean() < 0.95
    assert torch.allclose(result[expected], x[expected] / 0.8)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_other_precisions_have_the_same_masks(dtype: torch.dtype) -> None:
    x = torch.ones(8, 30)
    result = dropped(x.to(dtype), Drop(0.5))
    assert result.dtype == dtype
    assert torch.equal(result.float(), dropped(x, Drop(0.5)))


def test_in_place_or_not() -> None:
    x = torch.randn(8, 30)
    before = x.clone()
    result = dropped(x, Drop(0.2))
    assert torch.equal(x, before)
    assert dropped(x, Drop(0.2, inplace=True)) is x
    assert torch.equal(x, result)


def test_large_and_small_tensors_are_dropped_alike() -> None:
    large = torch.ones(300, 3, 20, 20)
    whole, drop = dropped(large, Drop(0.3), draw=1), Drop(0.3)
    for count in (300, 1):
        rows = slice(300 - count, 300)
        dropout = MaskedDropout(many(300, 2)[rows], count, CPU)
        assert torch.equal(dropout(large[rows], drop, ROWS, 0, 1), whole[rows])


@pytest.mark.parametrize("shape", [(7,), (3, 4, 5), (16, 32, 32)])
@pytest.mark.parametrize("drop", [Drop(0.3), Drop(0.3, channels=True), Drop(0.3, alpha=True), Drop(0.3, inplace=True)])
def test_rows_that_share_masks_are_dropped_as_each_alone(shape: tuple[int, ...], drop: Drop) -> None:
    x = torch.randn(50, *shape)
    if len(shape) == 3:
        x = x.contiguous(memory_format=torch.channels_last)
    # Two runs of the same input with another between them, and padding that has the last one's.
    masks = Masks(0, ("a",) * 20 + ("b",) * 10 + ("a",) * 15, 3)
    together = MaskedDropout(masks, 50, CPU)
    for draw in (0, 2, 1):
        found = together(x.clone(), drop, ROWS, 1, draw)
        alone = [
            MaskedDropout(masks[[min(row, 44)]], 1, CPU)(x[row : row + 1].clone(), drop, ROWS, 1, draw)
            for row in range(50)
        ]
        assert torch.equal(found, torch.cat(alone))


def test_draws_can_be_asked_for_in_any_order() -> None:
    dropout, x = MaskedDropout(many(4, 9), 4, CPU), torch.ones(4, 3000)
    first = [dropout(x, Drop(0.5), ROWS, 0, draw) for draw in range(9)]
    assert len({tuple(draw.flatten().tolist()) for draw in first}) == 9
    for draw in (8, 0, 3, 3, 7):
        assert torch.equal(dropout(x, Drop(0.5), ROWS, 0, draw), first[draw])
        assert torch.equal(MaskedDropout(many(4, 9), 4, CPU)(x, Drop(0.5), ROWS, 0, draw), first[draw])


def test_a_dropout_call_may_meet_other_shapes_and_rates() -> None:
    dropout = MaskedDropout(many(4, 2), 4, CPU)
    for x, rate in ((torch.ones(4, 30), 0.5), (torch.ones(4, 10), 0.5), (torch.ones(4, 10), 0.2)):
        for draw in (0, 1):
            result = dropout(x, Drop(rate), ROWS, 0, draw)
            assert torch.equal(result, MaskedDropout(many(4, 2), 4, CPU)(x, Drop(rate), ROWS, 0, draw))
            assert result.amax() == pytest.approx(1 / (1 - rate))


def test_memory_format_is_kept() -> None:
    x = torch.randn(6, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert dropped(x, Drop(0.5)).is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(dropped(x, Drop(0.5)), dropped(x.contiguous(), Drop(0.5)))


def test_whole_channels() -> None:
    result = dropped(torch.ones(20, 8, 3, 3), Drop(0.5, channels=True)).flatten(2)
    assert bool((result == result[..., :1]).all())
    assert set(result.unique().tolist()) == {0, 2}
    assert 0.3 < (result == 0).float().mean() < 0.7


def test_everything_can_be_dropped_and_nothing_can_be_there() -> None:
    assert not bool(dropped(torch.ones(3, 4), Drop(1.0)).any())
    assert dropped(torch.ones(3, 0), Drop(0.5)).shape == (3, 0)


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_alpha_dropout_has_the_values_of_torchs(rate: float) -> None:
    x = torch.ones(1, 4000)
    ours, theirs = dropped(x, Drop(rate, alpha=True)), functional.alpha_dropout(x, rate, training=True)
    assert ours.unique().tolist() == pytest.approx(theirs.unique().tolist(), abs=1e-5)
    assert ours.mean().item() == pytest.approx(theirs.mean().item(), abs=0.1)
