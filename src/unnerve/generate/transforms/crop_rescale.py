"""Cropping and rescaling as a defence (Guo et al., ICLR 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms._random_rows import check_draw, check_images, row_streams

__all__ = ["CropRescale"]


@dataclass(frozen=True)
class CropRescale:
    """Cut a window out of every image at a random place, and stretch it to the size of the image.

    Parameters
    ----------
    share : float
        Side of the window over that of the image, in ``(0, 1]``: 90 pixels of 224 x 224 images are cut as published
        for ensembles; small images bear less.
    draw : int
        Another number, >= 0, gives other places.

    References
    ----------
    Guo et al., "Countering Adversarial Images using Input Transformations", 2018.
    """

    # Differs: as published, the answers to 30 crops are averaged; a transform shows the model one.
    share: float = 0.9
    draw: int = 0
    smooth = True
    """Whether autograd goes through it."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidSetting(f"share must be in (0, 1], got {self.share}")
        check_draw(self.draw)

    def __call__(self, x: Tensor) -> Tensor:
        """Crop images, shape (N, C, H, W) in [0, 1]."""
        check_images("crop_rescale", x)
        size = tuple(x.shape[-2:])
        window = [max(1, round(self.share * side)) for side in size]
        free = torch.tensor([side - inner + 1 for side, inner in zip(size, window, strict=True)])
        corners = (row_streams(x, self.draw).uniform(0, 0, (2,)) * free).long().tolist()
        cut = [
            row[:, top : top + window[0], left : left + window[1]] for row, (top, left) in zip(x, corners, strict=True)
        ]
        return interpolate(torch.stack(cut), size=size, mode="bilinear", align_corners=False)
