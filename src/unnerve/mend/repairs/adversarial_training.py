"""Adversarial training: on benign inputs and on attacks of them, made anew in each step (Madry et al., ICLR 2018)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from unnerve.core.data.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.attacks.pgd import PGD
from unnerve.mend.repairs._repair import RepairContext, check_counts
from unnerve.subjects.training.recipes import Recipe

__all__ = ["AdversarialTraining"]


@dataclass(frozen=True)
class AdversarialTraining:
    """Train a network further on benign inputs, and on what PGD makes of them against the network as it is now.

    Parameters
    ----------
    benign : int
        Benign inputs, >= 1.
    epochs : int
        >= 1.
    batch_size : int
        Inputs per step, half of them attacked, >= 2.
    rate : float
        Learning rate of Adam, > 0, which falls to zero along a cosine.
    steps : int
        Of PGD, >= 1.

    References
    ----------
    Madry et al., "Towards Deep Learning Models Resistant to Adversarial Attacks", 2018.
    """

    benign: int = 500
    epochs: int = 20
    batch_size: int = 32
    rate: float = 0.0003
    steps: int = 10
    findings: ClassVar[int] = 0
    learns_from_findings: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_counts(self, "benign", "steps")
        self.recipe(0)

    def recipe(self, seed: int) -> Recipe:
        """Return how the network is trained: half a batch is read, the other half is made of it."""
        return Recipe(self.epochs, max(1, self.batch_size // 2), self.rate, seed=seed)

    def batch(self, batch: Batch, step: int, context: RepairContext) -> Batch:
        """Return the batch with an attacked copy of each input behind it."""
        # Differs: Madry et al. train on attacked inputs alone; with benign ones beside them, as the DeepSensor papers
        # compare it, clean accuracy suffers less.
        attacked = self._attacked(batch, step, context)
        assert batch.labels is not None
        return replace(
            batch,
            inputs=torch.cat([batch.inputs, attacked]),
            labels=torch.cat([batch.labels, batch.labels]),
            ids=(*batch.ids, *(f"{name}, attacked" for name in batch.ids)),
        )

    def _attacked(self, batch: Batch, step: int, context: RepairContext) -> torch.Tensor:
        subject = Subject(Metered(context.model, Meter(len(batch))))
        streams = Streams(context.seed, [f"step {step}, {name}" for name in batch.ids])
        hunt = PGD(self.steps).hunt(subject, Seeds.observed(context.model, batch), context.region, streams)
        # All inputs are attacked to the end: one that is wrong already becomes harder still.
        everything, candidates = torch.ones(len(batch), dtype=torch.bool), next(hunt)
        for _ in range(self.steps - 1):
            candidates = hunt.send(everything)
        return candidates.inputs.clone()
