import numpy as np
import pytest
import torch
from scipy.ndimage import median_filter

from unnerve.core.errors import InvalidData
from unnerve.generate.perturbations.metamorphic import OPERATORS, Metamorphic, median


def changed(operator: str, amount: float, images: torch.Tensor) -> torch.Tensor:
    parameters = Metamorphic.chosen(torch.tensor([OPERATORS.index(operator)]), torch.tensor([amount]))
    return Metamorphic().apply(images, parameters.unsqueeze(1))[0, 0]


def point(side: int = 9) -> torch.Tensor:
    images = torch.zeros(1, 1, side, side)
    images[0, 0, side // 2, side // 2] = 1
    return images


def test_identity_changes_nothing() -> None:
    images = torch.rand(2, 3, 9, 9, generator=torch.Generator().manual_seed(0))
    same = torch.tensor(Metamorphic.identity).expand(2, 1, 2)
    assert torch.equal(Metamorphic().apply(images, same)[:, 0], images)


@pytest.mark.parametrize(("amount", "pixels"), [(0.0, -3), (0.51, 0), (0.99, 2)])
def test_translation_is_by_whole_pixels_along_both_sides(amount: float, pixels: int) -> None:
    made = changed("translation", amount, point())
    assert made[0, 4 + pixels, 4 + pixels] == pytest.approx(1, abs=1e-5)


def test_ranges_of_the_release() -> None:
    light = torch.full((1, 1, 9, 9), 0.4)
    assert changed("contrast", 0.0, light).unique().item() == pytest.approx(0.2)
    assert changed("contrast", 0.9999, light).mean() == pytest.approx(0.48, abs=1e-3)
    assert changed("brightness", 0.0, light).mean() == pytest.approx(0.4 - 20 / 255)
    assert changed("brightness", 0.9999, light).mean() == pytest.approx(0.4 + 19 / 255, abs=1e-3)
    small = changed("scale", 0.0, torch.ones(1, 1, 10, 10))
    assert float(small.mean()) == pytest.approx(0.49, abs=0.03), "0.7 of both sides"


def test_rotation_and_shear_keep_the_centre() -> None:
    for operator, amount in (("rotation", 0.0), ("rotation", 0.9), ("shear", 0.0), ("shear", 0.9)):
        assert float(changed(operator, amount, point())[0, 4, 4]) > 0.9


@pytest.mark.parametrize(("kind", "peak"), [(0, 1 / 9), (1, 1 / 25), (5, 0.0), (6, 0.0)])
def test_blurs(kind: int, peak: float) -> None:
    made = changed("blur", (kind + 0.5) / 7, point())
    assert float(made[0, 4, 4]) == pytest.approx(peak)
    assert float(changed("blur", (kind + 0.5) / 7, torch.full((1, 1, 9, 9), 0.3)).amax()) == pytest.approx(0.3)


def test_takes_images_only() -> None:
    with pytest.raises(InvalidData, match="metamorphic takes images"):
        Metamorphic().apply(torch.zeros(2, 5), torch.zeros(2, 1, 2))


@pytest.mark.parametrize(("padding", "mode"), [("reflect", "mirror"), ("replicate", "nearest")])
@pytest.mark.parametrize("side", [2, 3, 5])
def test_the_median_is_scipys_with_either_edge(side: int, padding: str, mode: str) -> None:
    image = torch.rand(1, 1, 7, 9, generator=torch.Generator().manual_seed(side))
    wanted = median_filter(image[0, 0].numpy(), size=side, mode=mode)
    assert np.array_equal(median(image, side, padding)[0, 0].numpy(), wanted)


def test_a_window_larger_than_the_image_reaches_as_far_as_it_can() -> None:
    assert torch.equal(median(torch.full((1, 1, 2, 2), 0.5), 5), torch.full((1, 1, 2, 2), 0.5))
