import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.generate.transforms.crop_rescale import CropRescale
from unnerve.testing.scene import small_images


def test_a_window_is_stretched() -> None:
    # Of 2 x 2 pixels one is left, and fills the image.
    x = torch.tensor([[[[0.1, 0.2], [0.3, 0.4]]]])
    found = CropRescale(0.5)(x)
    assert found.unique().numel() == 1
    assert float(found[0, 0, 0, 0]) in x.flatten().tolist()


def test_all_of_an_image_is_the_image() -> None:
    assert CropRescale(1)(small_images()).equal(small_images())


def test_a_row_does_not_depend_on_its_company() -> None:
    x = small_images()[:6]
    assert CropRescale(0.7)(x)[2:4].equal(CropRescale(0.7)(x[2:4]))
    assert not CropRescale(0.7)(x).equal(CropRescale(0.7, draw=1)(x))


def test_refuses_what_it_cannot_crop() -> None:
    with pytest.raises(InvalidSetting, match=r"^share must be in \(0, 1\], got 0$"):
        CropRescale(0)
    with pytest.raises(InvalidSetting, match=r"^draw must be >= 0, got -1$"):
        CropRescale(draw=-1)
    with pytest.raises(InvalidData, match=r"^crop_rescale takes images, got inputs of shape \(5,\)$"):
        CropRescale()(torch.zeros(2, 5))
