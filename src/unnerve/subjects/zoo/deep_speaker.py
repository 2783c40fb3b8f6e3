"""Deep Speaker (Li et al., "Deep Speaker: an end-to-end neural speaker embedding system", 2017)."""

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.sounds.mel import LogMel
from unnerve.subjects.zoo._counted import Add, layer_names
from unnerve.subjects.zoo._listening import RATE, ClipMean, heard, listening

__all__ = ["deep_speaker"]

_STAGES = (1, 2, 4, 8)
"""Width of each stage, in widths of the first."""


def deep_speaker(
    width: int = 64, blocks: int = 3, embedding: int = 512, bands: int = 64, classes: int = 30
) -> nn.Module:
    """Four stages of residual blocks on log-mel features, a mean over time, an embedding of length one: 28,190 neurons.

    Takes waveforms (N, L) in [-1, 1] at 16 kHz, or features (N, 1, bands, frames); returns logits (N, classes). With
    its settings as they are it has the 101 layers and 28,190 neurons that DeepSensor prints, and its 24,201,118
    parameters if the running means and variances of batch norms are counted, as the paper does.

    Parameters
    ----------
    width : int
        Channels of the first stage.
    blocks : int
        Residual blocks of each stage; two cores train ``width=16,blocks=1,embedding=128`` in minutes.
    embedding : int
    bands : int
        Mel bands, a multiple of 16.
    classes : int

    References
    ----------
    Li et al., "Deep Speaker: an end-to-end neural speaker embedding system", 2017.
    """
    if bands % 16:
        raise InvalidSetting(f"deep_speaker: bands must be a multiple of 16, got {bands}")
    return _DeepSpeaker(width, blocks, embedding, bands, classes).eval()


class _DeepSpeaker(nn.Module):
    def __init__(self, width: int, blocks: int, embedding: int, bands: int, classes: int) -> None:
        super().__init__()
        self.input_facts = listening()
        stages, before = [], 1
        for factor in _STAGES:
            stages.append(_stage(before, factor * width, blocks))
            before = factor * width
        self.stages = nn.Sequential(*stages)
        self.reshape = _ByTime()
        self.mean = ClipMean()
        self.affine = nn.Linear(before * bands // 16, embedding)
        self.length = _LengthOne()
        self.linear = nn.Linear(embedding, classes)
        # Keras's last layer holds its softmax, so that the two count once.
        self.neuron_layers = (*layer_names(self)[:-1], "linear+softmax")
        self.front = LogMel(RATE, bands)  # after the layers that count

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        features = heard(self.front, x)
        embedded = self.affine(self.mean(self.reshape(self.stages(features)), features))
        logits: Tensor = self.linear(self.length(embedded))
        return logits


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1, self.bn1, self.relu1 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), _clipped()
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.add, self.relu2 = Add(), _clipped()

    def forward(self, x: Tensor) -> Tensor:
        inside = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        result: Tensor = self.relu2(self.add(inside, x))
        return result


class _ByTime(nn.Module):
    """Channels and bands of each moment side by side: (N, C, B, T) to (N, T, C * B)."""

    def forward(self, x: Tensor) -> Tensor:
        return x.permute(0, 3, 1, 2).flatten(2)


class _LengthOne(nn.Module):
    """An embedding brought to length one, times a fixed scale: logits of at most 1 could never be sure of a class."""

    scale = 10.0
    # Differs: Deep Speaker trains its last layer on embeddings of length one as they are.

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * torch.nn.functional.normalize(x, dim=1)


def _stage(inside: int, width: int, blocks: int) -> nn.Sequential:
    first = [nn.Conv2d(inside, width, 5, stride=2, padding=2), nn.BatchNorm2d(width), _clipped()]
    return nn.Sequential(*first, *(_Block(width) for _ in range(blocks)))


def _clipped() -> nn.Module:
    return nn.Hardtanh(0.0, 20.0)
