import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.affine import Affine

STILL = torch.full((1, 1, 5), 0.5)


def image() -> torch.Tensor:
    return torch.rand(2, 3, 9, 9, generator=torch.Generator().manual_seed(0))


def changed(which: int, value: float) -> torch.Tensor:
    parameters = STILL.clone()
    parameters[0, 0, which] = value
    return parameters


def test_the_middle_changes_nothing() -> None:
    assert torch.allclose(Affine().apply(image(), STILL.expand(2, 1, 5)).squeeze(1), image(), atol=1e-5)


def test_a_quarter_turn_is_exact() -> None:
    turned = Affine(rotation=90).apply(image()[:1], changed(0, 1.0))[0, 0]
    assert torch.allclose(turned, torch.rot90(image()[0], -1, (1, 2)), atol=1e-4) or torch.allclose(
        turned, torch.rot90(image()[0], 1, (1, 2)), atol=1e-4
    )


def test_a_move_by_whole_pixels_is_exact_and_lets_black_in() -> None:
    moved = Affine(translation=1 / 9).apply(image()[:1], changed(1, 1.0))[0, 0]
    assert torch.allclose(moved[:, :, 1:], image()[0, :, :, :-1], atol=1e-4)
    assert torch.allclose(moved[:, :, 0], torch.zeros(3, 9), atol=1e-4)


def test_bulk_equals_one_by_one() -> None:
    affine = Affine()
    parameters = affine.draw(Streams(0, ["a", "b"]), 0, 4, (3, 9, 9))
    bulk = affine.apply(image(), parameters)
    assert bulk.shape == (2, 4, 3, 9, 9)
    for row in range(2):
        for place in range(4):
            alone = affine.apply(image()[row : row + 1], parameters[row : row + 1, place : place + 1])
            assert torch.allclose(alone[0, 0], bulk[row, place], atol=1e-6)


def test_refuses_what_it_cannot_do() -> None:
    with pytest.raises(InvalidSetting, match=r"^scale must be >= 1, got 0.5$"):
        Affine(scale=0.5)
    with pytest.raises(InvalidSetting, match=r"^shear must be >= 0, got -1$"):
        Affine(shear=-1)
    with pytest.raises(InvalidData, match=r"^affine takes images, got inputs of shape \(7,\)$"):
        Affine().apply(torch.zeros(2, 7), STILL.expand(2, 1, 5))
