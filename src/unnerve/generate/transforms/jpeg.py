"""JPEG compression as a defence (Dziugaite et al., 2016)."""

from dataclasses import dataclass
from io import BytesIO

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting

__all__ = ["JPEG"]


@dataclass(frozen=True)
class JPEG:
    """Compress every image and open it again; values become multiples of 1/255.

    Parameters
    ----------
    quality : int
        In [1, 100].

    References
    ----------
    Dziugaite et al., "A study of the effect of JPG compression on adversarial images", 2016.
    """

    quality: int = 75

    def __post_init__(self) -> None:
        if not 1 <= self.quality <= 100:
            raise InvalidSetting(f"quality must be in [1, 100], got {self.quality}")

    def __call__(self, x: Tensor) -> Tensor:
        """Compress images, shape (N, 1, H, W) or (N, 3, H, W) in [0, 1]."""
        if x.ndim != 4 or x.shape[1] not in (1, 3):
            raise InvalidData(f"jpeg takes images of one or three channels, got inputs of shape {tuple(x.shape[1:])}")
        # Detached: there is no gradient through an encoder, and the wrapper says so by what it offers.
        pixels = (x.detach().cpu() * 255).round_().clamp_(0, 255).to(torch.uint8).movedim(1, -1).numpy()
        rows = [self._compressed(image.squeeze(-1) if image.shape[-1] == 1 else image) for image in pixels]
        opened = torch.from_numpy(np.stack(rows).reshape(pixels.shape)).movedim(-1, 1)
        return opened.to(x.device, x.dtype).div_(255)

    def _compressed(self, image: np.ndarray) -> np.ndarray:
        file = BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=self.quality)
        with Image.open(file) as opened:
            return np.asarray(opened)
