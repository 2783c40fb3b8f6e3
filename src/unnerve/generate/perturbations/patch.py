"""A small block of pixels, overwritten or inverted (Zhang et al., "NSATP", DSA 2019; after Su et al., 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams

__all__ = ["Patch"]


@dataclass(frozen=True)
class Patch:
    """Overwrite one ``size`` x ``size`` block at a random place.

    Parameters
    ----------
    size : int
        Side of the block in pixels, >= 1; 2 in the papers' experiments.
    colour : str
        ``random``: one random colour for the block (the experiments); ``invert``: 1 - v (the motivating examples).

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """

    size: int = 2
    colour: str = "random"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidSetting(f"size must be >= 1, got {self.size}")
        if self.colour not in ("random", "invert"):
            raise InvalidSetting(f"colour must be random or invert, got '{self.colour}'")

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters: row, column, and a colour for each channel."""
        return 2 + self._image_shape(shape)[0]

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw (row, column, colour of each channel) in ``[0, 1)`` for every change, shape (N, count, 2 + C)."""
        return streams.uniform(step, 0, (count, self.dimensions(shape)))

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Make all changed copies at once.

        Parameters
        ----------
        inputs : Tensor of shape (N, C, H, W)
            Values in ``[0, 1]``.
        parameters : Tensor of shape (N, M, 2 + C)
            In ``[0, 1)``, as :meth:`draw` returns them.

        Returns
        -------
        Tensor of shape (N, M, C, H, W)
        """
        channels, height, width = self._image_shape(tuple(inputs.shape[1:]))
        count, tries = parameters.shape[:2]
        places = parameters.new_tensor([height - self.size + 1, width - self.size + 1])
        corner = (parameters[..., :2] * places).long().minimum(places.long() - 1).reshape(-1, 2)
        copies = inputs.repeat_interleave(tries, dim=0)  # always a copy, also for a single try
        copy = torch.arange(count * tries)
        for down in range(self.size):
            for right in range(self.size):
                place = (copy, slice(None), corner[:, 0] + down, corner[:, 1] + right)
                copies[place] = (
                    1 - copies[place] if self.colour == "invert" else parameters[..., 2:].reshape(-1, channels)
                )
        return copies.view(count, tries, channels, height, width)

    def _image_shape(self, shape: tuple[int, ...]) -> tuple[int, int, int]:
        if len(shape) != 3 or min(shape[1:]) < self.size:
            raise InvalidData(f"patch needs images (C, H, W) with sides >= {self.size}, got inputs of shape {shape}")
        return shape[0], shape[1], shape[2]
