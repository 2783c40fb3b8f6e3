"""Classifiers of Hugging Face behind what their processors do, on images in [0, 1] and on waveforms."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.subjects.adapters.image_processing import ImageProcessing
from unnerve.subjects.declaration import ExpectedInput

__all__ = ["ImageClassifier", "SpectrogramClassifier", "WaveformClassifier"]

_TINY = 1e-7
"""What the processor of waveforms adds to their variance."""


class ImageClassifier(nn.Module):
    """A network that sees images as its processor makes them.

    Parameters
    ----------
    network : nn.Module
    processing : ImageProcessing
    expected : ExpectedInput
    """

    def __init__(self, network: nn.Module, processing: ImageProcessing, expected: ExpectedInput) -> None:
        super().__init__()
        self.network, self.processing, self.expected = network, processing, expected
        self.training = network.training

    @property
    def neurons_inside(self) -> nn.Module:
        """The network itself: its layers keep their names."""
        return self.network

    def forward(self, x: Tensor) -> Any:
        """Return the logits of images (N, C, H, W)."""
        self.expected.check(tuple(x.shape[1:]))
        return self.network(self.processing(x)).logits

    def extra_repr(self) -> str:
        """Return the processing: a model with another one is another model."""
        return repr(self.processing)


class WaveformClassifier(nn.Module):
    """A network that hears waveforms, each brought to mean 0 and variance 1 if its processor says so.

    Parameters
    ----------
    network : nn.Module
    normalises : bool
    """

    def __init__(self, network: nn.Module, normalises: bool) -> None:
        super().__init__()
        self.network, self.normalises = network, normalises
        self.training = network.training

    @property
    def neurons_inside(self) -> nn.Module:
        """The network itself: its layers keep their names."""
        return self.network

    def forward(self, x: Tensor) -> Any:
        """Return the logits of waveforms (N, L) or (N, 1, L)."""
        x = x.flatten(1)
        if self.normalises:
            spread = (x.var(dim=1, keepdim=True, unbiased=False) + _TINY).sqrt()
            x = (x - x.mean(dim=1, keepdim=True)) / spread
        return self.network(x).logits

    def extra_repr(self) -> str:
        """Return whether waveforms are normalised."""
        return f"normalises={self.normalises}"


@dataclass(frozen=True, eq=False)
class SpectrogramClassifier:
    """A network behind an extractor of features that has no gradients, as a function of waveforms.

    Parameters
    ----------
    network : nn.Module
    extractor : object
        From a list of waveforms to what the network takes.
    """

    network: nn.Module
    extractor: Any

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the logits of waveforms (N, L) or (N, 1, L)."""
        rows = list(x.reshape(len(x), -1))
        found = self.extractor(rows, sampling_rate=self.extractor.sampling_rate, return_tensors="np")
        given = torch.from_numpy(np.asarray(next(iter(found.values())), dtype=np.float32))
        with torch.no_grad():
            answer: np.ndarray = self.network(given).logits.numpy()
            return answer
