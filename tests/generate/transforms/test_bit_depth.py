import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms.bit_depth import BitDepth


def test_levels_by_hand() -> None:
    assert BitDepth(1)(torch.tensor([[0.0, 0.49, 0.51, 1.0]])).tolist() == [[0.0, 0.0, 1.0, 1.0]]
    assert torch.allclose(BitDepth(2)(torch.tensor([[0.2, 0.4]])), torch.tensor([[1 / 3, 1 / 3]]))


def test_what_is_eight_bit_stays() -> None:
    x = torch.arange(256.0).div(255).unsqueeze(0)
    assert torch.allclose(BitDepth(8)(x), x)


def test_refuses_strange_depths() -> None:
    with pytest.raises(InvalidSetting, match=r"^bits must be in \[1, 16\], got 0$"):
        BitDepth(0)
