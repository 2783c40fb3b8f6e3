"""Log-mel features in plain torch, differentiable (Davis and Mermelstein, IEEE TASSP 1980)."""

import math
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidSetting

__all__ = ["LogMel", "MelPower", "mel_filters"]

_FLOOR = 1e-10
"""Power of -100 dB, about the noise of 16-bit samples: quieter is silence."""


class MelPower(nn.Module):
    """Power in mel bands of short frames: windowed Fourier transforms, then triangular filters.

    Frames are centred: frame t is about sample t * hop, with zeros beyond the ends of the clip.

    Parameters
    ----------
    rate : int
        Samples per second.
    bands : int
        Mel bands, >= 1.
    fft : int
        Samples of a frame; ``hop`` is from one frame to the next.
    hop : int
    slaney : bool
        Divide each filter by its width in Hz, so that all have the same area; without it all have a peak of 1.

    References
    ----------
    Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word recognition", 1980.
    """

    window: Tensor
    filters: Tensor

    def __init__(self, rate: int, bands: int = 40, fft: int = 400, hop: int = 160, slaney: bool = False) -> None:
        super().__init__()
        if not 1 <= hop <= fft:
            raise InvalidSetting(f"hop must be in [1, fft], got {hop} with fft {fft}")
        self.rate, self.fft, self.hop = rate, fft, hop
        # Not stored with weights: they follow from the settings.
        self.register_buffer("window", torch.hann_window(fft), persistent=False)
        self.register_buffer("filters", mel_filters(rate, bands, fft, slaney).T.contiguous(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Turn waveforms (N, L) into powers (N, 1 + L // hop, bands)."""
        if x.ndim != 2 or x.shape[1] < 1:
            raise InvalidData(f"waveforms must have the shape (N, L), got {tuple(x.shape)}")
        # Not torch.stft, whose answer has frequencies before frames: measured, what follows takes longer on it.
        frames = torch.constant_pad_nd(x, (self.fft // 2, self.fft // 2)).unfold(1, self.fft, self.hop)
        spectrum = torch.fft.rfft(frames * self.window)
        # Real and imaginary part apart: the absolute value has no derivative in silence, its square has.
        powers: Tensor = (spectrum.real.square() + spectrum.imag.square()) @ self.filters
        return powers


class LogMel(nn.Module):
    """Log-mel features in [-1, 1]: -1 is silence (-100 dB of a full-scale tone, or less), 1 a full-scale tone.

    Parameters
    ----------
    rate, bands, fft, hop
        See :class:`MelPower`.

    References
    ----------
    Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word recognition", 1980.

    Examples
    --------
    >>> import torch
    >>> from unnerve.subjects.sounds.mel import LogMel
    >>> LogMel(16000, bands=40)(torch.zeros(1, 16000)).shape
    torch.Size([1, 1, 40, 101])
    """

    def __init__(self, rate: int, bands: int = 40, fft: int = 400, hop: int = 160) -> None:
        super().__init__()
        self.power = MelPower(rate, bands, fft, hop)
        full = (fft / 4) ** 2  # of a tone: half the sum of the window, squared
        # A little below -100 dB, so that rounding leaves nothing of silence above -1, which marks padding.
        self._floor, self._offset = 0.99 * _FLOOR * full, 1 - 0.2 * math.log10(full)

    def forward(self, x: Tensor) -> Tensor:
        """Turn waveforms (N, L) in [-1, 1] into features (N, 1, bands, frames)."""
        # A floor inside the logarithm, not only a clamp after it: its gradient in silence is zero, and never infinite.
        level: Tensor = self.power(x).clamp_min(self._floor).log10() * 0.2 + self._offset
        return level.clamp(-1, 1).transpose(1, 2).unsqueeze(1)


@lru_cache(maxsize=8)
def mel_filters(rate: int, bands: int, fft: int, slaney: bool = False) -> Tensor:
    """Return triangular filters, evenly spaced on Slaney's mel scale from 0 to rate / 2.

    Parameters
    ----------
    rate, bands, fft : int
    slaney : bool
        Divide each by its width.

    Returns
    -------
    Tensor of shape (bands, fft // 2 + 1), float32
        In [0, 1] without ``slaney``.
    """
    if bands < 1 or rate < 1 or fft < 2:
        raise InvalidSetting(f"bands, rate and fft must be >= 1, 1 and 2, got {bands}, {rate} and {fft}")
    # Not where torch would put them by default: they are kept, and a network may be built on the device meta.
    exact: dict[str, Any] = {"dtype": torch.float64, "device": "cpu"}
    highest = _mel(rate / 2)
    edges = torch.tensor([_hertz(highest * k / (bands + 1)) for k in range(bands + 2)], **exact)
    bins = torch.linspace(0, rate / 2, fft // 2 + 1, **exact)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    filters = torch.minimum(rising, falling).clamp_min(0)
    if not bool((filters.amax(dim=1) > 0).all()):
        raise InvalidSetting(f"bands must be fewer, or fft larger: some of {bands} bands hold no frequency of {fft}")
    return (filters * (2 / (edges[2:] - edges[:-2]))[:, None] if slaney else filters).float()


def _mel(hertz: float) -> float:
    """Slaney's scale: linear below 1 kHz, logarithmic above."""
    return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * math.log(hertz / 1000) / math.log(6.4)


def _hertz(mel: float) -> float:
    return mel * 200 / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)
