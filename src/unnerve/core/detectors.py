"""What a detector of adversarial inputs looks like."""

from typing import Protocol, Self

from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject

__all__ = ["Detector"]


class Detector(Protocol):
    """Says how suspect inputs are; what it must know of clean inputs is learnt once and kept in the value."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    def calibrated(self, subject: Subject[Classifier], clean: Examples) -> Self:
        """Return the same detector with what it learnt from held-out clean inputs: thresholds, statistics."""
        ...

    def suspicion(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return how suspect inputs are, shape (N, ...) -> (N,); an input above 0 is taken for adversarial."""
        ...
