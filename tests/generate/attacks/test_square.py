from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.attacks._squares import hills, inside, placed, tiles
from unnerve.generate.attacks.square import Square, _squared
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.black_box import BlackBox

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]


def grey(model: BlackBox, count: int = 40, size: int = 16) -> Scene:
    """Return images of 0.5 in three channels, of class 0."""
    batch = Batch(
        torch.full((count, 3, size, size), 0.5), torch.zeros(count, dtype=torch.int64), tuple(map(str, range(count)))
    )
    metered = Metered(model, Meter(count))
    seeds = Seeds(batch, metered.of(torch.arange(count)).observe(batch.inputs))
    return Subject(metered), seeds, Streams(0, batch.ids)


@pytest.fixture
def dark() -> BlackBox:
    """Return a model for which an image is the nearer to class 1 the darker it is."""
    return BlackBox(lambda x: np.stack([x.mean(axis=(1, 2, 3)), x[:, 0, 0, 0] * 0 + 0.1], axis=1), "dark", "logits")


def test_starts_with_stripes(proposals: Proposals, dark: BlackBox) -> None:
    made = grey(dark)
    change = proposals(Square(1), made, Linf(0.25))[0].inputs - made[1].batch.inputs
    assert torch.equal(change.abs(), torch.full_like(change, 0.25))
    assert torch.equal(change, change[:, :, :1].expand_as(change)), "a column has one value"
    assert float((change > 0).float().mean()) == pytest.approx(0.5, abs=0.05)
    assert len({one.numpy().tobytes() for one in change}) == 40, "each seed has its own"


def test_squares_go_to_the_ends_and_only_where_it_helps(proposals: Proposals, dark: BlackBox) -> None:
    made = grey(dark, count=8)
    found = proposals(Square(60), made, Linf(0.25))
    assert [one.step for one in found] == list(range(60))
    latest = found[0].inputs.clone()
    for one in found[1:]:
        for x, row in zip(one.inputs, one.seed_index.tolist(), strict=True):
            moved = (x != latest[row]).any(dim=0).nonzero()
            side = Square(60)._side(one.step, torch.Size((8, 3, 16, 16)), Linf(0.25))
            assert int((moved.amax(dim=0) - moved.amin(dim=0)).amax()) < side, "one square at a time"
            assert torch.equal((x - 0.5).abs(), torch.full_like(x, 0.25))
            assert float(x.mean()) < float(latest[row].mean()), "darker each time"
            latest[row] = x
    assert float(latest.mean()) < 0.45


def test_sides_shrink_as_in_the_paper() -> None:
    # Of 10,000 tries on 32x32 pixels with a share of 0.8: the root of 0.8, 0.4, 0.2 ... of 1024 pixels.
    shape = torch.Size((1, 3, 32, 32))
    steps = (1, 10, 11, 50, 51, 201, 501, 1001, 2001, 4001, 6001, 8001)
    sides = [Square(10_000)._side(step, shape, Linf(0.1)) for step in steps]
    assert sides == [29, 29, 20, 20, 14, 10, 7, 5, 4, 3, 2, 1]
    assert [Square(5000)._side(step, shape, Linf(0.1)) for step in (5, 6, 4001)] == [29, 20, 1]
    odd = [Square(10_000)._side(step, shape, L2(1)) for step in steps]
    assert odd == [29, 29, 21, 21, 15, 11, 7, 5, 5, 3, 3, 3]


def test_a_hill_by_hand() -> None:
    # 5 x 5: a hill of 2 x 5 whose peak is at (1, 2), above a valley of 3 x 5 around (1, 2). Rings weigh 1, 1/4, 1/9,
    # added up inwards: 1/9 everywhere, 1/4 more next to the peak, 1 more on it; each of the two is as long.
    high, middle, low = 1 + 1 / 4 + 1 / 9, 1 / 4 + 1 / 9, 1 / 9
    hill = torch.tensor([[low, middle, middle, middle, low], [low, middle, high, middle, low]])
    valley = torch.tensor(
        [[low, middle, middle, middle, low], [low, middle, high, middle, low], [low, middle, middle, middle, low]]
    )
    wanted = torch.cat([hill / hill.norm(), -valley / valley.norm()]) / 2**0.5
    assert torch.allclose(hills(5), wanted, atol=1e-6)
    assert float(hills(9).norm()) == pytest.approx(1)


def test_squares_lie_anywhere_inside() -> None:
    corner = torch.tensor([[0.0, 0.0], [0.999, 0.999], [0.5, 0.2]])
    masks = inside(corner, 3, torch.Size((3, 2, 6, 8)))
    assert masks.shape == (3, 1, 6, 8)
    assert masks.flatten(1).sum(dim=1).tolist() == [9, 9, 9]
    assert [mask[0].nonzero().amin(dim=0).tolist() for mask in masks] == [[0, 0], [3, 5], [2, 1]]


def test_patterns_are_laid_where_they_belong() -> None:
    pattern = torch.arange(9.0).view(3, 3)
    laid = placed(pattern, torch.tensor([[0.5, 0.2]] * 2), torch.tensor([False, True]), torch.Size((2, 1, 6, 8)))
    assert torch.equal(laid[0, 0, 2:5, 1:4], pattern)
    assert torch.equal(laid[1, 0, 2:5, 1:4], pattern.T)
    assert laid.flatten(1).sum(dim=1).tolist() == [36, 36]


def test_tiles_cover_the_middle() -> None:
    start = tiles(torch.ones(1, 25, 2), torch.zeros(1, 25, dtype=torch.bool), torch.Size((1, 2, 17, 17)))
    assert bool((start[:, :, 1:16, 1:16] != 0).all())
    assert float(start[:, :, :1].abs().sum() + start[:, :, 16:].abs().sum()) == 0
    assert torch.allclose(start[0, 0, 1:4, 4:7], hills(3))


def test_in_l2_every_try_uses_all_of_the_radius(proposals: Proposals, dark: BlackBox) -> None:
    made = grey(dark, count=8)
    for one in proposals(Square(40), made, L2(2.0)):
        change = (one.inputs - made[1].batch.inputs[one.seed_index]).flatten(1)
        assert torch.allclose(change.norm(dim=1), torch.full((len(one),), 2.0), atol=1e-4)
    # The straight way down is 2 / sqrt(3 * 16 * 16) for each pixel: 0.072.
    assert float(one.inputs.mean()) < 0.5


def moved_by_hand(change: Tensor, side: int, first: tuple[int, int], second: tuple[int, int], sign: Tensor) -> Tensor:
    """Move length from one window of a change (C, H, W) into another, with slices, for a radius of 1."""
    here, there = ((slice(None), slice(top, top + side), slice(left, left + side)) for top, left in (first, second))
    both = torch.zeros_like(change, dtype=torch.bool)
    both[here] = both[there] = True
    result = change.clone()
    result[there] = 0
    for channel in range(len(change)):
        window = change[here][channel]
        fresh = hills(side) * sign[channel] + window / window.norm()
        size = (
            max(0.0, 1 - float(change.norm()) ** 2) / len(change) + float(change[channel][both[channel]].norm()) ** 2
        ) ** 0.5
        result[here][channel] = fresh / fresh.norm() * size
    moved: Tensor = result / result.norm()
    return moved


def test_a_step_in_l2_by_hand() -> None:
    centre = torch.full((1, 2, 7, 9), 0.5)
    change = torch.randn(1, 2, 7, 9)
    change *= 0.8 / change.norm()
    # 5 x 7 places for a square of 3: the corners lie at (1, 3) and (2, 5), so the two overlap; the signs are - and +.
    draws = torch.tensor([[0.3, 0.5, 0.5, 0.75, 0.9, 0.7, 0.2]])
    step = _squared(centre + change, centre, L2(1.0, low=-9, high=9), 3, draws)
    wanted = moved_by_hand(change[0], 3, (1, 3), (2, 5), torch.tensor([-1.0, 1.0]))
    assert torch.allclose((step - centre)[0], wanted, atol=1e-5)


@pytest.mark.parametrize(("region", "norm"), [(Linf(0.15), "inf"), (L2(1.0), 2)], ids=["linf", "l2"])
def test_breaks_about_as_many_as_art(duel: Any, region: Linf | L2, norm: Any) -> None:
    ours = int(duel.flipped(duel.ours(Square(200), region)).sum())
    np.random.seed(0)  # noqa: NPY002 - ART draws from there
    attack = duel.art.SquareAttack(
        duel.classifier(), norm=norm, max_iter=200, eps=region.radius, p_init=0.8, batch_size=64, verbose=False
    )
    theirs = int(duel.flipped(duel.by_art(attack)).sum())
    assert ours >= theirs - 2
    assert ours > 20


def test_targets_are_approached(duel: Any) -> None:
    target = (duel.labels + 3) % 10
    aimed = duel.ours(Square(150), Linf(0.35), target)
    anyhow = duel.ours(Square(150), Linf(0.35))
    assert int(duel.flipped(aimed, target).sum()) > int(duel.flipped(anyhow, target).sum())


def test_a_query_a_try(proposals: Proposals, dark: BlackBox) -> None:
    made = grey(dark, count=3)
    proposals(Square(20), made, Linf(0.1))
    assert made[0].model.meter.spent.tolist() == [21, 21, 21]


def test_refuses_what_it_cannot_do(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match=r"^square works in linf or l2, got l0$"):
        proposals(Square(), scene([0]), L0(0.1))
    flat = BlackBox(lambda x: x[:, :2], "flat", "logits")
    batch = Batch(torch.rand(1, 9), None, ("a",))
    seeds = Seeds(batch, flat.observe(batch.inputs))
    with pytest.raises(InvalidSetting, match=r"^square needs images of shape \(C, H, W\), got \(9,\)$"):
        proposals(Square(), (Subject(Metered(flat, Meter(1))), seeds, Streams(0, ["a"])), Linf(0.1))


def test_settings() -> None:
    assert (Square().needs, Square().width, Square().step_cost(10)) == (Capability.ANSWERS, 1, 1)
    with pytest.raises(InvalidSetting, match=r"^iterations must be >= 1, got 0$"):
        Square(0)
    for wrong in (0.0, 1.0):
        with pytest.raises(InvalidSetting, match=rf"^share must be in \(0, 1\), got {wrong}$"):
            Square(share=wrong)
