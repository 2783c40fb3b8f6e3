"""A recurrent speaker encoder (Wan et al., "Generalized end-to-end loss for speaker verification", ICASSP 2018)."""

import torch
from torch import Tensor, nn

from unnerve.core.data.clips import padding_of
from unnerve.subjects.sounds.mel import MelPower
from unnerve.subjects.zoo._listening import RATE, listening

__all__ = ["resemblyzer"]

_BANDS, _WIDTH, _LAYERS = 40, 256, 3
_LEVEL = 10 ** (-30 / 20)
"""Quieter clips are brought to this level, -30 dB of full scale."""

_SURE = 20.0


def resemblyzer(classes: int = 60) -> nn.Module:
    """Three LSTM layers and an embedding of length one, compared with one for each speaker: 1,438,976 parameters.

    Takes waveforms (N, L) in [-1, 1] at 16 kHz, returns logits (N, classes): 20 times the cosine with each speaker's
    embedding, its ``centroids``. Layers are named as in the weights of the package Resemblyzer, which know no speakers:
    ``unnerve.subjects.training.enrolment`` finds the centroids of those in some data.

    Parameters
    ----------
    classes : int
        Speakers.

    References
    ----------
    Wan et al., "Generalized end-to-end loss for speaker verification", 2018.
    """
    return _Encoder(classes).eval()


class _Encoder(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.input_facts = listening()
        self.power = MelPower(RATE, _BANDS, slaney=True)
        self.lstm = nn.LSTM(_BANDS, _WIDTH, _LAYERS, batch_first=True)
        self.linear = nn.Linear(_WIDTH, _WIDTH)
        self.relu = nn.ReLU()
        self.centroids = nn.Parameter(nn.functional.normalize(torch.randn(classes, _WIDTH), dim=1))

    def embedding(self, x: Tensor) -> Tensor:
        """Return embeddings (N, 256) of length one."""
        sounding = ~padding_of(x)
        power = (x.square() * sounding).sum(dim=1, keepdim=True) / sounding.sum(dim=1, keepdim=True).clamp_min(1)
        frames = self.power(x * (_LEVEL / power.clamp_min(1e-12).sqrt()).clamp_min(1))
        states, _ = self.lstm(frames)
        # What a state says does not depend on what comes after it: the one at a clip's end knows no padding.
        last = (sounding.sum(dim=1) // self.power.hop).clamp(0, states.shape[1] - 1)
        found = self.relu(self.linear(states[torch.arange(len(x), device=x.device), last]))
        return nn.functional.normalize(found, dim=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        return _SURE * self.embedding(x) @ nn.functional.normalize(self.centroids, dim=1).T
