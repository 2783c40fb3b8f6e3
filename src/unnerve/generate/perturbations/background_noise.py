"""White noise at a signal-to-noise ratio (Ko et al., ICASSP 2017)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, noise
from unnerve.generate.perturbations._sounding import is_waveform, sounded

__all__ = ["BackgroundNoise"]

_AMOUNTS = (0.0, 0.032, 0.1, 0.18, 0.32, 0.56)
"""Noise to signal, in amplitude: 30, 20, 15, 10 and 5 dB."""


@dataclass(frozen=True)
class BackgroundNoise:
    """Add white noise in proportion to the power of the clip; the die is the noise.

    Parameters of a copy are its strength, s / 5 for severity s, and a die, see ``_graded``.

    References
    ----------
    Ko et al., "A study on data augmentation of reverberant speech for robust speech recognition", 2017.
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
        return sounded(inputs, parameters, _AMOUNTS, _noisy)


def _noisy(waves: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    found = noise(dice, tuple(waves.shape[1:]), normal=True)
    # Power over the sounding part: padding would make short clips quieter than they are.
    sounding = (waves != 0).double().sum(dim=1).clamp_min(1)
    level = (waves.double().square().sum(dim=1) / sounding).sqrt() * amounts
    return waves + found * level.to(torch.float32).unsqueeze(1)
