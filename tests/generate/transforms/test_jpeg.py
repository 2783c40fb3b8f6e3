import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.generate.transforms.jpeg import JPEG


@pytest.mark.parametrize("channels", [1, 3])
def test_better_quality_is_nearer(channels: int) -> None:
    x = torch.rand(3, channels, 16, 16, generator=torch.Generator().manual_seed(0))
    far, near = ((JPEG(quality)(x) - x).abs().mean() for quality in (5, 95))
    assert near < 0.8 * far
    assert JPEG(75)(x).shape == x.shape
    assert torch.equal(JPEG(75)(x)[1:2], JPEG(75)(x[1:2])), "alone and in company"
    assert torch.equal(x, torch.rand(3, channels, 16, 16, generator=torch.Generator().manual_seed(0)))


def test_a_plain_image_stays() -> None:
    grey = torch.full((1, 1, 8, 8), 128 / 255)
    assert torch.allclose(JPEG(90)(grey), grey, atol=1.5 / 255)


def test_refuses_what_is_no_image() -> None:
    with pytest.raises(InvalidSetting, match=r"^quality must be in \[1, 100\], got 0$"):
        JPEG(0)
    with pytest.raises(InvalidData, match=r"^jpeg takes images of one or three channels, got inputs of shape \(5,\)$"):
        JPEG()(torch.zeros(2, 5))


def test_as_art_has_it() -> None:
    art = pytest.importorskip("art.defences.preprocessor.jpeg_compression")
    x = torch.rand(3, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    theirs, _ = art.JpegCompression(clip_values=(0, 1), quality=75, channels_first=True)(x.numpy())
    # Both go through Pillow; ART cuts values off to bytes where we round them.
    assert float((JPEG(75)(x) - torch.from_numpy(theirs)).abs().mean()) < 0.02
