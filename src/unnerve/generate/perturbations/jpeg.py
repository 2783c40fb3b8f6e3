"""JPEG compression (Hendrycks and Dietterich, ICLR 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, graded

__all__ = ["JPEG", "compressed"]

_AMOUNTS = (100.0, 80.0, 65.0, 58.0, 50.0, 40.0)


@dataclass(frozen=True)
class JPEG:
    """Compress images and open them again, at a quality from 100 down to 40.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether inputs of this shape can be changed so."""
        return len(shape) == 3 and shape[0] in (1, 3)

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 2."""
        return PARAMETERS

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 2)."""
        return drawn(streams, step, count)

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images (N, C, H, W) in [0, 1] by parameters (N, M, 2): (N, M, C, H, W)."""
        return graded(inputs, parameters, _AMOUNTS, _compressed)


def _compressed(images: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    return compressed(images, [round(one) for one in amounts.tolist()])


def compressed(images: Tensor, qualities: Sequence[int]) -> Tensor:
    """Compress images (K, 1 or 3, H, W) in [0, 1], each at its quality in [1, 100], to multiples of 1/255."""
    if images.ndim != 4 or images.shape[1] not in (1, 3):
        shape = tuple(images.shape[1:])
        raise InvalidData(f"jpeg takes images of one or three channels, got inputs of shape {shape}")
    # Detached: there is no gradient through an encoder.
    pixels = (images.detach().cpu() * 255).round_().clamp_(0, 255).to(torch.uint8).movedim(1, -1).numpy()
    rows = [
        _opened_again(image.squeeze(-1) if image.shape[-1] == 1 else image, quality)
        for image, quality in zip(pixels, qualities, strict=True)
    ]
    opened = torch.from_numpy(np.stack(rows).reshape(pixels.shape)).movedim(-1, 1)
    return opened.to(images.device, images.dtype).div_(255)


def _opened_again(image: np.ndarray, quality: int) -> np.ndarray:
    file = BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality)
    with Image.open(file) as opened:
        return np.asarray(opened)
