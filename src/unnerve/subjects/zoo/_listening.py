"""What networks that listen share: features of waveforms, and means over a clip without its padding."""

from torch import Tensor, nn

from unnerve.core.data.clips import padding_of
from unnerve.subjects.input_facts import InputFacts
from unnerve.subjects.sounds.mel import LogMel

__all__ = ["RATE", "ClipMean", "heard", "listening"]

RATE = 16_000
"""Samples per second that the networks expect."""


def listening() -> InputFacts:
    """Return what such a network expects: values in [-1, 1], 16,000 samples a second."""
    return InputFacts(value_range=(-1.0, 1.0), rate=RATE)


def heard(front: LogMel, x: Tensor) -> Tensor:
    """Return features (N, 1, bands, frames) of waveforms (N, L); features stay as they are."""
    features: Tensor = front(x) if x.ndim == 2 else x
    return features


class ClipMean(nn.Module):
    """The mean over the moments of a clip, without those of its padding."""

    def forward(self, x: Tensor, features: Tensor) -> Tensor:
        """Average ``x``, shape (N, T, U), over the T that lie within the clip whose features (N, 1, B, F) are given.

        A moment counts by the share of its frames that are within the clip.
        """
        inside = (~padding_of(features, -1.0)).to(x.dtype).flatten(0, 2)  # (N, F)
        # Networks halve the number of frames, and round up: a moment stands for a power of two of frames.
        frames = 1 << max(0, -(-inside.shape[1] // x.shape[1]) - 1).bit_length()
        inside = nn.functional.pad(inside, (0, x.shape[1] * frames - inside.shape[1]))
        shares = inside.unflatten(1, (x.shape[1], frames)).mean(dim=2).unsqueeze(2)
        # A clip of nothing but silence has no moment within: its mean is that of all of them.
        shares = shares + (shares.sum(dim=1, keepdim=True) == 0).to(x.dtype)
        mean: Tensor = (x * shares).sum(dim=1) / shares.sum(dim=1)
        return mean
