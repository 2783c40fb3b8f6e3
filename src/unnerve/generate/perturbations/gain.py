"""Louder or quieter sound (Ko et al., INTERSPEECH 2015)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn
from unnerve.generate.perturbations._sounding import is_waveform, sounded

__all__ = ["Gain"]

_AMOUNTS = (0.0, 3.0, 6.0, 10.0, 15.0, 20.0)
"""Decibels."""


@dataclass(frozen=True)
class Gain:
    """Multiply all samples by one number, or divide them by it; the die says which. What is too loud is clipped.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Ko et al., "Audio augmentation for speech recognition", 2015.
    """

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether inputs of this shape can be changed so."""
        return is_waveform(shape)

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 2."""
        return PARAMETERS

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 2)."""
        return drawn(streams, step, count)

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change waveforms (N, L) in [0, 1], where 0.5 is silence, by parameters (N, M, 2): (N, M, L)."""
        return sounded(inputs, parameters, _AMOUNTS, _louder)


def _louder(waves: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    decibels = torch.where(dice < 0.5, -amounts, amounts)
    return waves * (10 ** (decibels / 20)).to(waves.dtype).unsqueeze(1)
