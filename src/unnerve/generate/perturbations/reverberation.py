"""Sound in a room with an echo (Ko et al., ICASSP 2017)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn, noise
from unnerve.generate.perturbations._sounding import is_waveform, sounded

__all__ = ["Reverberation"]

_AMOUNTS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.9)
"""Power of the echo, as a share of that of the direct sound."""


@dataclass(frozen=True)
class Reverberation:
    """Add an echo that dies away within 4,000 samples (a quarter of a second at 16 kHz); the die is the room.

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
        return sounded(inputs, parameters, _AMOUNTS, _echoing)


_ECHO = 4000


def _echoing(waves: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    length = min(_ECHO, waves.shape[1])
    # Sixty decibels quieter at its end, by the usual definition of reverberation time.
    fading = 10 ** (-3 * torch.arange(length, dtype=torch.float64) / _ECHO)
    # In double precision: the last bit of a single-precision sum depends on its company.
    room = noise(dice, (length,), normal=True).double() * fading
    room = room / room.square().sum(dim=1, keepdim=True).sqrt().clamp_min(1e-12)
    size = waves.shape[1] + length
    waves = waves.double()
    echo = torch.fft.irfft(torch.fft.rfft(waves, n=size) * torch.fft.rfft(room, n=size), n=size)[:, : waves.shape[1]]
    made: Tensor = waves + echo * amounts.sqrt().unsqueeze(1)
    return made
