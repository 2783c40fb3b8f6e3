"""Sound without its high frequencies, as over a telephone (Ko et al., INTERSPEECH 2015)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn
from unnerve.generate.perturbations._sounding import is_waveform, sounded

__all__ = ["BandLimit"]

_AMOUNTS = (1.0, 0.75, 0.5, 0.4, 0.3, 0.2)
"""The highest frequency that is left, as a share of half the sampling rate."""


@dataclass(frozen=True)
class BandLimit:
    """Take away all frequencies above a limit; of 16 kHz, half the strength leaves what a telephone does, 4 kHz.

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
        return sounded(inputs, parameters, _AMOUNTS, _limited)


def _limited(waves: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    spectrum = torch.fft.rfft(waves.double())  # rounded at the end, so that its last bits are the same in any company
    place = torch.linspace(0, 1, spectrum.shape[1], dtype=torch.float64)
    # A slope of a twentieth of the band instead of an edge, which would ring.
    kept = ((amounts.unsqueeze(1) - place) * 20 + 1).clamp(0, 1)
    made: Tensor = torch.fft.irfft(spectrum * kept, n=waves.shape[1])
    return made
