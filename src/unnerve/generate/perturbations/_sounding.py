"""What the natural changes of sounds share: waveforms in, waveforms out, and padding left alone."""

from collections.abc import Callable

from torch import Tensor

from unnerve.core.data.clips import padding_of
from unnerve.core.errors import InvalidData
from unnerve.generate.perturbations._graded import interpolated

__all__ = ["SoundChange", "is_waveform", "sounded"]

_FEWEST = 256
"""Samples of a waveform at least: a shorter row of numbers is something else."""

SoundChange = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(waveforms (K, L) in [-1, 1], amounts (K,) float64, dice (K,)) -> changed waveforms, of any range."""


def is_waveform(shape: tuple[int, ...]) -> bool:
    """Say whether inputs of this shape are taken for waveforms."""
    return len(shape) == 1 and shape[0] >= _FEWEST


def sounded(inputs: Tensor, parameters: Tensor, amounts: tuple[float, ...], change: SoundChange) -> Tensor:
    """Change waveforms by an amount that grows with their strength.

    Parameters
    ----------
    inputs : Tensor of shape (N, L)
        In [0, 1], as perturbations take everything: 0.5 is silence.
    parameters : Tensor of shape (N, M, 2 or more)
        In [0, 1]: strength and die.
    amounts : tuple of 6 floats
        At severities 0 to 5; in between they are interpolated.
    change : SoundChange

    Returns
    -------
    Tensor of shape (N, M, L)
        In [0, 1]; what lies behind the end of a clip stays silent.
    """
    if not is_waveform(tuple(inputs.shape[1:])):
        raise InvalidData(f"changes of sounds take waveforms, got inputs of shape {tuple(inputs.shape[1:])}")
    copies = inputs.repeat_interleave(parameters.shape[1], dim=0)
    strength, dice = parameters.flatten(0, 1)[:, :2].unbind(dim=1)
    waves = copies * 2 - 1
    made = change(waves, interpolated(strength, amounts), dice).to(inputs.dtype).clamp(-1, 1)
    made = made.masked_fill(padding_of(waves), 0).add(1).div(2)
    # What is not changed keeps its bits; there and back again would round it.
    made = made.where(strength.unsqueeze(1) > 0, copies)
    return made.reshape(len(inputs), parameters.shape[1], inputs.shape[1])
