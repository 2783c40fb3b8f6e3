"""Retraining on findings and benign inputs (Jin et al., "DeepSensor", section 6.2)."""

from dataclasses import dataclass
from typing import ClassVar

from unnerve.core.data.examples import Batch
from unnerve.mend.repairs._repair import RepairContext, check_counts
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Retrain"]


@dataclass(frozen=True)
class Retrain:
    """Train a network further, on what was found and on as many benign inputs.

    Parameters
    ----------
    findings : int
        Findings, at most; taken from as many seeds and methods as there are, >= 1.
    benign : int
        Benign inputs: the findings' seeds, or others, >= 1.
    epochs : int
        >= 1.
    batch_size : int
        Inputs per step, >= 1.
    rate : float
        Learning rate of Adam, > 0, which falls to zero along a cosine.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    findings: int = 500
    benign: int = 500
    epochs: int = 20
    batch_size: int = 32
    rate: float = 0.0003
    learns_from_findings: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_counts(self, "findings", "benign")
        self.recipe(0)

    def recipe(self, seed: int) -> Recipe:
        """Return how the network is trained; the papers state epochs and batch only."""
        return Recipe(self.epochs, self.batch_size, self.rate, seed=seed)

    def batch(self, batch: Batch, step: int, context: RepairContext) -> Batch:
        """Return the batch as it is."""
        return batch
