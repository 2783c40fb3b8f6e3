import math

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms.non_local_means import NonLocalMeans
from unnerve.testing.scene import small_images


def test_weights_by_hand() -> None:
    # One row of three pixels, patches of one: the middle one is a mean of all three.
    x = torch.tensor([[[[0.0, 0.1, 0.4]]]])
    h = 0.1
    left, right = math.exp(-(0.1**2) / h**2), math.exp(-(0.3**2) / h**2)
    expected = (0.1 * 1 + 0.0 * left + 0.4 * right) / (1 + left + right)
    found = NonLocalMeans(3, 1, 255 * h)(x)
    assert float(found[0, 0, 0, 1]) == pytest.approx(expected, abs=1e-6)


def test_noise_goes_and_edges_stay() -> None:
    clean = torch.zeros(1, 1, 12, 12)
    clean[..., 6:] = 1
    noise = (small_images()[:1].repeat(1, 1, 2, 2)[..., :12, :12] - 0.5) * 0.04
    found = NonLocalMeans(7, 3, 10)(clean + noise)
    assert float((found - clean).std()) < 0.5 * float(noise.std())
    assert float((found - clean).abs().amax()) < 0.05


@pytest.mark.parametrize(("setting", "value"), [("window", 4), ("patch", 2), ("window", 1)])
def test_refuses_windows_without_a_middle(setting: str, value: int) -> None:
    with pytest.raises(InvalidSetting, match=rf"^{setting} must be odd and >= \d, got {value}$"):
        NonLocalMeans(**{setting: value})
