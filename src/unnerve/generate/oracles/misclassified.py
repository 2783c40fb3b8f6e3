"""An input is an error if the model's answer is not its seed's label."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidData
from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.subject import Subject
from unnerve.generate.oracles._margins import judged_apart_from

__all__ = ["Misclassified"]


@dataclass(frozen=True)
class Misclassified:
    """The answer differs from the seed's true label (the usual notion of an adversarial example).

    References
    ----------
    Szegedy et al., "Intriguing properties of neural networks", 2014.
    """

    needs = Capability.ANSWERS
    target = None

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        return OracleFacts(describe(self), command_text(self), "the answer is not the label")

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Accept candidates whose answer is not the label; the margin is best other logit minus the label's."""
        if seeds.batch.labels is None:
            raise InvalidData("the oracle 'misclassified' needs labels; use 'changed' for data without them")
        return judged_apart_from(subject, candidates, seeds.batch.labels[candidates.seed_index])
