import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms._haar import denoised
from unnerve.generate.transforms.pixel_deflection import PixelDeflection
from unnerve.testing.scene import small_images


def test_values_come_from_near_by_in_the_same_channel() -> None:
    # Every value tells where it is: 100 times its row and its column, the channel in thousands.
    place = torch.arange(12).view(12, 1) * 100 + torch.arange(12).float()
    x = torch.stack([place, place + 5000]).unsqueeze(0) / 10_000
    found = PixelDeflection(deflections=20, window=2, sigma=0)(x)
    changed = (found != x).nonzero()
    assert 10 < len(changed) <= 20
    for _, channel, row, column in changed.tolist():
        value = round(float(found[0, channel, row, column]) * 10_000) - 5000 * channel
        assert abs(value // 100 - row) <= 2
        assert abs(value % 100 - column) <= 2


def test_nothing_to_do() -> None:
    assert PixelDeflection(0, sigma=0)(small_images()).equal(small_images())


def test_a_row_does_not_depend_on_its_company() -> None:
    x = small_images()[:6]
    assert torch.allclose(PixelDeflection(9)(x)[2:4], PixelDeflection(9)(x[2:4]), atol=1e-6)
    assert not PixelDeflection(9)(x).equal(PixelDeflection(9, draw=1)(x))


def test_wavelets_by_hand() -> None:
    # One block: mean 0.5; differences across of 0.4 each, so one coefficient of 0.4 with the mean square 0.16.
    x = torch.tensor([[[[0.7, 0.3], [0.7, 0.3]]]])
    less = 0.1**2 / (0.16 - 0.1**2) ** 0.5
    expected = [0.5 + (0.4 - less) / 2, 0.5 - (0.4 - less) / 2] * 2
    assert denoised(x, 0.1).flatten().tolist() == pytest.approx(expected, abs=1e-6)


def test_what_is_weaker_than_the_noise_goes() -> None:
    x = 0.5 + 0.01 * small_images()
    assert float(denoised(x, 0.1).std()) < 0.6 * float(x.std())


def test_colours_survive() -> None:
    x = torch.tensor([0.9, 0.1, 0.4]).view(1, 3, 1, 1).expand(1, 3, 16, 16).clone()
    assert torch.allclose(PixelDeflection()(x), x, atol=1e-4)


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^window must be >= 1, got 0$"):
        PixelDeflection(window=0)
