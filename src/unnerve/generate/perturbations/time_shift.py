"""Sound that begins later or earlier (Ko et al., INTERSPEECH 2015)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.streams import Streams
from unnerve.generate.perturbations._graded import PARAMETERS, drawn
from unnerve.generate.perturbations._sounding import is_waveform, sounded

__all__ = ["TimeShift"]

_AMOUNTS = (0.0, 0.02, 0.04, 0.08, 0.12, 0.2)
"""Share of the input."""


@dataclass(frozen=True)
class TimeShift:
    """Move a clip within its length; the die says which way. What leaves at one end is lost, the other is silent.

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
        return sounded(inputs, parameters, _AMOUNTS, _shifted)


def _shifted(waves: Tensor, amounts: Tensor, dice: Tensor) -> Tensor:
    length = waves.shape[1]
    samples = (amounts * length).round().long().clamp_min(1)
    later = torch.where(dice < 0.5, -samples, samples)
    places = torch.arange(length) - later.unsqueeze(1)
    return waves.gather(1, places.clamp(0, length - 1)).masked_fill_((places < 0) | (places >= length), 0)
