"""Removing noise from images by Haar wavelets with thresholds of their own in every band (BayesShrink)."""

import math

import torch
import torch.nn.functional as nnf
from torch import Tensor

__all__ = ["denoised"]


def denoised(x: Tensor, sigma: float) -> Tensor:
    r"""Shrink the wavelet coefficients of images towards zero by :math:`\sigma^2 / \sqrt{\max(v - \sigma^2, 0)}`.

    Here v is the mean square of a band; where it does not exceed the noise's, the band is emptied.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W)
    sigma : float
        Standard deviation of the noise, > 0.

    References
    ----------
    Chang et al., "Adaptive Wavelet Thresholding for Image Denoising and Compression", 2000.
    """
    height, width = x.shape[-2:]
    # As many levels as scikit-image takes: three fewer than would fit, and one at least.
    levels = max(1, int(math.log2(max(2, min(height, width)))) - 3)
    return _level(x, sigma, levels)[..., :height, :width]


def _level(x: Tensor, sigma: float, levels: int) -> Tensor:
    if levels == 0:
        return x
    height, width = x.shape[-2:]
    even = nnf.pad(x, (0, width % 2, 0, height % 2), mode="replicate")
    a, b, c, d = (even[..., top::2, left::2] for top in (0, 1) for left in (0, 1))
    # Orthonormal: noise has the same deviation in every band as in the image.
    mean = _level((a + b + c + d) / 2, sigma, levels - 1)[..., : a.shape[-2], : a.shape[-1]]
    bands = (_shrunk(band / 2, sigma) for band in (a - b + c - d, a + b - c - d, a - b - c + d))
    across, down, both = bands
    out = torch.empty_like(even)
    out[..., ::2, ::2] = (mean + across + down + both) / 2
    out[..., ::2, 1::2] = (mean - across + down - both) / 2
    out[..., 1::2, ::2] = (mean + across - down - both) / 2
    out[..., 1::2, 1::2] = (mean - across - down + both) / 2
    return out


def _shrunk(band: Tensor, sigma: float) -> Tensor:
    signal = (band.square().mean(dim=(2, 3), keepdim=True) - sigma**2).clamp(min=1e-12)
    return band.sign() * (band.abs() - sigma**2 / signal.sqrt()).relu()
