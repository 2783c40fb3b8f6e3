"""What defences look like: detectors of adversarial inputs, hardened models, transforms that learn."""

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable

from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject

__all__ = ["Detector", "Hardening", "Recalling", "Selective", "Taught"]


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


@runtime_checkable
class Recalling(Protocol):
    """A detector that can be given back what it learnt."""

    @property
    def knowledge(self) -> dict[str, object]:
        """What it learnt, as JSON."""
        ...

    def recalled(self, knowledge: Mapping[str, Any]) -> Self:
        """Return the same detector with what it learnt before."""
        ...


@runtime_checkable
class Selective(Protocol):
    """A defence that not every model and not all data suit; it says so before anything is learnt or tested."""

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless it can be made ready for the model and meet such data, after a pass of one input at most."""
        ...


@runtime_checkable
class Hardening(Protocol):
    """A defence that trains another model in place of the one that is defended."""

    def hardened(self, model: Classifier, training: Examples) -> Classifier:
        """Return a new model of the same make, trained on labelled inputs."""
        ...


@runtime_checkable
class Taught(Protocol):
    """An input transform that must know clean inputs first."""

    @property
    def untaught(self) -> bool:
        """Whether it still has to."""
        ...

    def learnt(self, clean: Examples) -> Self:
        """Return the same with what it learnt from clean inputs."""
        ...
