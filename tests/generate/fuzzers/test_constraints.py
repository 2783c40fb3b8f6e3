import pytest
import torch

from unnerve.core.errors import InvalidData
from unnerve.generate.fuzzers._constraints import blackout, light, occlusion

DRAWS = torch.tensor([[0.0, 0.99]])


def test_light_changes_every_value_by_the_mean() -> None:
    gradient = torch.tensor([[[[1.0, 2.0], [3.0, -2.0]]]])
    assert torch.equal(light(gradient, DRAWS, 1), torch.ones(1, 1, 2, 2))


def test_occlusion_leaves_the_gradient_of_one_square() -> None:
    gradient = torch.arange(1.0, 10.0).view(1, 1, 3, 3)
    wanted = torch.tensor([[[[0.0, 2.0, 3.0], [0.0, 5.0, 6.0], [0.0, 0.0, 0.0]]]])
    assert torch.equal(occlusion(gradient, DRAWS, 2), wanted)


@pytest.mark.parametrize(("value", "change"), [(-1.0, -1.0), (1.0, 0.0)])
def test_blackout_darkens_one_square_or_does_nothing(value: float, change: float) -> None:
    gradient = torch.full((1, 2, 3, 3), value)
    found = blackout(gradient, DRAWS, 2)
    assert torch.equal(found[0, :, :2, 1:], torch.full((2, 2, 2), change))
    assert float(found.sum()) == 8 * change


def test_squares_larger_than_the_image_cover_it() -> None:
    assert torch.equal(occlusion(torch.ones(1, 1, 2, 2), DRAWS, 9), torch.ones(1, 1, 2, 2))


def test_squares_need_images() -> None:
    with pytest.raises(InvalidData, match="squares are for images"):
        blackout(torch.ones(1, 5), DRAWS, 2)
