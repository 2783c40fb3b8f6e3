"""Non-local means (Buades et al., CVPR 2005), a squeezer of Xu et al., "Feature Squeezing", NDSS 2018."""

from dataclasses import dataclass

import torch
import torch.nn.functional as nnf
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms._random_rows import check_images

__all__ = ["NonLocalMeans"]


@dataclass(frozen=True)
class NonLocalMeans:
    r"""Replace every pixel by a mean of near pixels, weighted by how alike the patches around them are.

    .. math:: w = \exp(-\overline{(a - b)^2} / h^2)

    Parameters
    ----------
    window : int
        Side of the square that pixels are looked for in, odd, >= 3: 13 for CIFAR-10, 11 for ImageNet as published.
    patch : int
        Side of the patches, odd, >= 1.
    strength : float
        255 h, > 0: 2 for CIFAR-10, 4 for ImageNet.

    References
    ----------
    Buades et al., "A Non-Local Algorithm for Image Denoising", 2005; Xu et al., "Feature Squeezing", 2018.
    """

    window: int = 13
    patch: int = 3
    strength: float = 2.0
    smooth = True

    def __post_init__(self) -> None:
        for name, least in (("window", 3), ("patch", 1)):
            if getattr(self, name) < least or getattr(self, name) % 2 == 0:
                raise InvalidSetting(f"{name} must be odd and >= {least}, got {getattr(self, name)}")
        if not self.strength > 0:
            raise InvalidSetting(f"strength must be > 0, got {self.strength}")

    def __call__(self, x: Tensor) -> Tensor:
        """Smooth images, shape (N, C, H, W) in [0, 1]."""
        check_images("non_local_means", x)
        reach, half = self.window // 2, self.patch // 2
        height, width = x.shape[-2:]
        edge = reach + half
        padded = nnf.pad(x, (edge, edge, edge, edge), mode="replicate")
        own = padded[..., reach : reach + height + 2 * half, reach : reach + width + 2 * half]
        total, weights = torch.zeros_like(x), torch.zeros_like(x[:, :1])
        for top in range(self.window):
            for left in range(self.window):
                other = padded[..., top : top + height + 2 * half, left : left + width + 2 * half]
                apart = (own - other).square().mean(dim=1, keepdim=True)
                weight = (nnf.avg_pool2d(apart, self.patch, stride=1) * (-((255 / self.strength) ** 2))).exp()
                total = total + weight * other[..., half : half + height, half : half + width]
                weights = weights + weight
        return total / weights
