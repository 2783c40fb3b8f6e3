import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.testing.scene import small_images


def test_levels_by_hand() -> None:
    assert BitDepth(1)(torch.tensor([[0.0, 0.49, 0.51, 1.0]])).tolist() == [[0.0, 0.0, 1.0, 1.0]]
    assert torch.allclose(BitDepth(2)(torch.tensor([[0.2, 0.4]])), torch.tensor([[1 / 3, 1 / 3]]))


def test_what_is_eight_bit_stays() -> None:
    x = torch.arange(256.0).div(255).unsqueeze(0)
    assert torch.allclose(BitDepth(8)(x), x)


def test_refuses_strange_depths() -> None:
    with pytest.raises(InvalidSetting, match=r"^bits must be in \[1, 16\], got 0$"):
        BitDepth(0)


def test_as_art_has_it() -> None:
    art = pytest.importorskip("art.defences.preprocessor.feature_squeezing")
    x = small_images()[:5]
    theirs, _ = art.FeatureSqueezing(clip_values=(0, 1), bit_depth=3)(x.numpy())
    np.testing.assert_allclose(BitDepth(3)(x).numpy(), theirs, atol=1e-6)
