import pytest
import torch
from torch import Tensor

from unnerve.core.data.conversion import conversion, converted, perturbed
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.perturbations.patch import Patch


def test_levels_of_255_are_converted_to_the_last_bit() -> None:
    levels = torch.arange(256.0)
    assert torch.equal(converted(levels, (0, 255), (0, 1)), levels / 255)
    assert converted(levels, (0, 255), (-1, 1))[[0, 255]].tolist() == [-1, 1]
    assert converted(torch.tensor([-1.0, 0.0, 1.0]), (-1, 1), (0, 255)).tolist() == [0, 127.5, 255]
    assert converted(levels, (0, 255), (0, 255)) is levels


def test_the_same_as_a_mean_and_a_deviation() -> None:
    assert conversion((0, 255), (0, 1)) == (0, 255)
    assert conversion((0, 1), (-1, 1)) == (0.5, 0.5)


@pytest.mark.parametrize("held", [(0, 255), (-1, 1), (-0.4242, 2.82)])
@pytest.mark.parametrize("block", [Patch(), Patch(colour="invert")])
def test_perturbations_change_the_same_pixels_to_the_same_shares(
    held: tuple[float, float], block: Patch, small_images: Tensor
) -> None:
    low, high = held
    images, parameters = small_images[:5], torch.rand(5, 3, 3)
    inputs = images * (high - low) + low
    expected = block.apply(images, parameters) * (high - low) + low
    made = perturbed(block, inputs, parameters, held)
    assert torch.allclose(made, expected, rtol=0, atol=1e-5 * (high - low))
    assert int((made != inputs.unsqueeze(1)).sum()) <= 5 * 3 * 4
    assert low <= float(made.amin()) < float(made.amax()) <= high


def test_what_comes_in_from_outside_is_black() -> None:
    white = torch.full((1, 1, 8, 8), 1.0)
    moved = perturbed(Affine(translation=0.5), white, torch.tensor([[[0.5, 1, 0.5, 0.5, 0.5]]]), (-1, 1))
    assert moved[0, 0, 0, :, 0].tolist() == [-1] * 8
