"""Pixel deflection with wavelet denoising (Prakash et al., CVPR 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms._haar import denoised
from unnerve.generate.transforms._random_rows import check_draw, check_images, row_streams

__all__ = ["PixelDeflection"]

_LUMA = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
"""From red, green and blue to luminance and two differences of colour (ITU-R BT.601)."""


@dataclass(frozen=True)
class PixelDeflection:
    """Replace random values of every image by near ones of the same channel, then remove noise by wavelets.

    Parameters
    ----------
    deflections : int
        How many values, >= 0.
    window : int
        Farthest row or column that a value is taken from, >= 1.
    sigma : float
        Standard deviation of the noise that is removed, >= 0; 0 leaves it.
    draw : int
        Another number, >= 0, deflects other pixels.

    References
    ----------
    Prakash et al., "Deflecting Adversarial Attacks with Pixel Deflection", 2018; Chang et al., "Adaptive Wavelet
    Thresholding for Image Denoising and Compression", 2000.
    """

    # Differs: as published, pixels that a class activation map marks are spared; no map is made here.
    deflections: int = 200
    window: int = 10
    sigma: float = 0.04
    draw: int = 0

    def __post_init__(self) -> None:
        for name, least in (("deflections", 0), ("window", 1), ("sigma", 0)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
        check_draw(self.draw)

    def __call__(self, x: Tensor) -> Tensor:
        """Deflect and denoise images, shape (N, C, H, W) in [0, 1]."""
        check_images("pixel_deflection", x)
        deflected = self._deflected(x)
        if self.sigma == 0:
            return deflected
        if x.shape[1] != 3:
            return denoised(deflected, self.sigma).clamp_(0, 1)
        turn = torch.tensor(_LUMA, dtype=x.dtype)
        apart = denoised(torch.einsum("ij,njhw->nihw", turn, deflected), self.sigma)
        return torch.einsum("ij,njhw->nihw", torch.linalg.inv(turn), apart).clamp_(0, 1)

    def _deflected(self, x: Tensor) -> Tensor:
        if self.deflections == 0:
            return x.clone()
        sizes = torch.tensor(x.shape[1:])
        drawn = row_streams(x, self.draw).uniform(0, 0, (self.deflections, 5))
        place = (drawn[..., :3] * sizes).long()
        apart = (drawn[..., 3:] * (2 * self.window + 1)).long() - self.window
        # Kept inside by the edge, not drawn again: the number of draws must not depend on what is drawn.
        source = (place[..., 1:] + apart).clamp(min=0).minimum(sizes[1:] - 1)
        rows = torch.arange(len(x)).unsqueeze(1)
        out = x.clone()
        # All values are taken from the image as it was, so that the order of deflections does not matter.
        out[rows, place[..., 0], place[..., 1], place[..., 2]] = x[rows, place[..., 0], source[..., 0], source[..., 1]]
        return out
