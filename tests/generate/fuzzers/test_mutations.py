"""Operators that change values in their places."""

import torch

from unnerve.core.streams import Streams
from unnerve.generate.fuzzers._mutations import lit_or_blurred, pixel_mutants

POOL = Streams(0, ["pool"])


def grey(count: int = 1) -> torch.Tensor:
    return torch.full((count, 1, 28, 28), 0.5)


def test_up_to_nine_pixels_change() -> None:
    draws = torch.tensor([[0.1, 0.0], [0.1, 0.5], [0.49, 0.999]])
    changed = (pixel_mutants(grey(3), draws, (0.0, 1.0), POOL, 0) != 0.5).flatten(1).sum(dim=1)
    assert changed[0] == 1
    assert 1 < changed[1] <= 5
    assert changed[2] <= 9


def test_salt_is_white_and_pepper_black() -> None:
    # 0.004 of 784 values are three of each.
    made = pixel_mutants(grey(), torch.tensor([[0.75, 0.0]]), (0.0, 1.0), POOL, 0)
    assert sorted(made[made != 0.5].tolist()) == [0, 0, 0, 1, 1, 1]


def test_noise_of_both_kinds_stays_in_the_range() -> None:
    images = torch.cat([grey(), torch.zeros(1, 1, 28, 28)])
    normal = pixel_mutants(images, torch.tensor([[0.55, 0.0]] * 2), (0.0, 1.0), POOL, 0)
    assert 0.2 < float(normal[0].std()) < 0.4
    assert float(normal.amin()) >= 0
    assert float(normal.amax()) <= 1
    product = pixel_mutants(images, torch.tensor([[0.95, 0.0]] * 2), (0.0, 1.0), POOL, 0)
    assert 0.2 < float(product[0].std()) < 0.5
    assert not product[1].any(), "a product with black is black"


def test_other_ranges_are_shares() -> None:
    draws = torch.tensor([[0.75, 0.0]])
    made = pixel_mutants(torch.full((1, 1, 28, 28), 0.0), draws, (-1.0, 1.0), POOL, 0)
    assert set(made.unique().tolist()) == {-1.0, 0.0, 1.0}
    lit = lit_or_blurred(torch.zeros(1, 1, 8, 8), torch.tensor([[0.5, 0.999]]), (-1.0, 1.0))
    assert torch.allclose(lit, torch.full_like(lit, 2 * 19 / 255), atol=0.01)


def test_light_and_blur() -> None:
    images = grey(3)
    images[:, :, 14, 14] = 1
    # A third of the first number each: contrast, brightness, blur. The second is how much.
    made = lit_or_blurred(images, torch.tensor([[0.1, 0.0], [0.5, 0.0], [0.9, 0.05]]), (0.0, 1.0))
    assert torch.allclose(made[0], images[0] * 0.5)
    assert torch.allclose(made[1], images[1] - 20 / 255)
    assert torch.allclose(made[2, 0, 13:16, 13:16], torch.full((3, 3), 0.5 + 0.5 / 9)), "a box of three"
